"""Colours of the table, for the picture and the replay page alike; this module needs no Pillow.

The hues follow Okabe and Ito ("Color Universal Design", 2008), whose palette colour-blind people tell apart, darker on
light cards and lighter on dark ones.
"""

INK = "#22303c"
PAPER = "#fffdf7"
EMPTY = "#d9cfb8"
GOLD = "#f2b705"
GROUND = "#e6dcc6"
TABLE = "#2e5b4e"
BRONZE = "#8a6d1f"
POPULATION_HUES = ("#c44f00", "#0072b2", "#a87700", "#00805c", "#a8527f", "#2f89bd", "#5f6670", "#4b3621")
TECHNOLOGY_GROUND = "#2b3a4a"
TECHNOLOGY_HUES = ("#f0a818", "#f0e442", "#e39cc3", "#3fc79b", "#6fc0f0", "#ff8a4c", "#c9d1d9", "#ffffff")
BACKS = ("#b5523b", "#44618c")
BACK_LINES = ("#cf7a62", "#6a88b5")
