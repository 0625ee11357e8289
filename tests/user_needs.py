"""Forty reports of how users of other environments got hurt, and for each the tests that it does not hurt here."""

from typing import NamedTuple

AEC = "envs/test_aec_user_needs.py"
SINGLE = "envs/test_single_agent.py"
VECTOR = "envs/test_gymnasium_vector.py"
SB3 = "envs/test_sb3.py"
SPIEL = "envs/test_open_spiel.py"
HERE = "test_user_needs.py"
CHECKS = "test_testing.py"
CHECKED = {CHECKS: ["test_every_door_passes", "test_what_is_broken_is_found"]}


class Row(NamedTuple):
    """A report.

    Attributes:
        hurt: what hurt, in a few words.
        tests: names of tests by file.
        apart: what is not tested here, and why; for a row without tests, why it does not apply.
    """

    hurt: str
    tests: dict[str, list[str]]
    apart: str = ""


ROWS = {
    1: Row(
        "`sample(mask)` refuses the mask's type",
        {
            AEC: ["test_row_1_and_2_the_mask_stands_in_observation_and_info_and_samples"],
            SINGLE: ["test_the_mask_is_where_each_library_looks"],
            **CHECKED,
        },
    ),
    2: Row(
        "is the mask in the observation or in the info?",
        {
            AEC: ["test_row_1_and_2_the_mask_stands_in_observation_and_info_and_samples"],
            SINGLE: ["test_the_mask_is_where_each_library_looks", "test_the_mask_is_appended_on_request"],
            **CHECKED,
        },
    ),
    3: Row(
        "the mask of who is not to decide leaks the hand",
        {
            AEC: ["test_row_3_only_the_agent_to_decide_has_a_mask"],
            **CHECKED,
        },
    ),
    4: Row(
        "no action is legal after the end, or where chance decides",
        {
            HERE: ["test_row_4_masks_after_the_end_and_where_chance_decides"],
            SINGLE: ["test_an_episode_ends_once_and_then_ignores_actions"],
            VECTOR: ["test_disabled_leaves_what_is_over_as_it_is"],
            **CHECKED,
        },
    ),
    5: Row(
        "a composite action space cannot be masked, a large one breaks the distribution",
        {
            HERE: ["test_row_5_actions_are_one_number_behind_every_door"],
            SB3: ["test_learners_train_on_it"],
            "test_rules.py": ["test_published_sizes"],
            "test_actions.py": ["test_every_action_is_read_back_from_its_words"],
        },
    ),
    6: Row(
        "a policy that is asked without masks seems not to have learnt them",
        {
            HERE: ["test_row_6_a_policy_that_forgets_the_mask_is_told_so"],
            "test_vec_env.py": ["test_a_masked_action_in_words"],
            "test_game.py": ["test_why_illegal_names_the_action_the_phase_and_what_is_legal"],
            "test_train.py": ["test_plain_sb3_reads_the_checkpoint_and_agrees_with_the_agent"],
        },
    ),
    7: Row(
        "masks of a vector environment are pickled, or slow",
        {
            SB3: ["test_masks_are_handed_over_without_pickling"],
            "test_vec_env.py": ["test_masks_are_a_row_for_each_game_however_they_are_taken"],
        },
    ),
    8: Row(
        "a learner gets the reward of its opponent; a loser never sees its loss",
        {
            SINGLE: ["test_the_rewards_add_up_to_what_the_seat_has_earned"],
            SB3: ["test_a_maskable_ppo_beats_random_players"],
            "test_aec_play.py": ["test_rewards_add_up_read_either_way"],
            "test_train.py": ["test_it_learns"],
            **CHECKED,
        },
    ),
    9: Row(
        "the loop to the end, with a last step of each agent, surprises",
        {
            AEC: ["test_row_9_the_loop_to_the_end", "test_row_9_play_episode_takes_a_policy_for_each_agent"],
            "test_documents.py": ["test_the_loop_is_as_short_as_promised", "test_python_blocks_run"],
        },
    ),
    10: Row(
        "`rewards` and `last()` say different things",
        {
            AEC: ["test_row_10_rewards_are_the_same_read_either_way"],
            "test_aec_play.py": ["test_rewards_add_up_read_either_way"],
            **CHECKED,
        },
    ),
    11: Row(
        "a game dies without a flag",
        {
            AEC: ["test_row_11_the_cap_of_turns_ends_the_game_and_says_so"],
            SINGLE: ["test_a_stalled_game_is_an_end_that_says_so"],
        },
    ),
    12: Row(
        "several decisions in one turn",
        {
            AEC: ["test_row_12_a_turn_is_several_decisions_of_the_same_agent"],
            "test_observation.py": ["test_recorded_states_stand_where_the_table_says"],
        },
    ),
    13: Row(
        "an illegal action corrupts the game or its wrappers",
        {
            AEC: [
                "test_row_13_after_an_illegal_action_reset_starts_clean",
                "test_row_13_pettingzoos_own_wrappers_go_around_raw_env",
            ],
            "test_aec_calls.py": ["test_reset_after_an_illegal_action_starts_clean"],
            SINGLE: ["test_an_illegal_action_that_raises_changes_nothing"],
            **CHECKED,
        },
    ),
    14: Row(
        "conversion to the parallel API gives stale observations",
        {
            AEC: ["test_row_14_no_parallel_game_is_claimed_and_turns_convert"],
        },
    ),
    15: Row(
        "opponents' hands stand in the observation",
        {
            AEC: ["test_row_15_no_hand_of_another_is_in_an_observation"],
            "test_observation.py": ["test_what_only_the_seat_itself_knows_is_private"],
            **CHECKED,
        },
    ),
    16: Row(
        "bots read the true state",
        {
            "test_bots.py": ["test_a_bot_reads_only_what_its_seat_may_see"],
            "envs/test_others.py": ["test_an_agent_that_needs_the_game_is_given_a_copy"],
        },
        "agents that search the tree are yet to come, and with them their own test",
    ),
    17: Row(
        "how is it proved that nothing leaks?",
        {
            "test_properties.py": ["test_what_a_seat_cannot_know_does_not_show", "test_swapping_does_swap"],
            HERE: ["test_row_17_what_differs_in_public_is_seen_to_differ"],
            "envs/test_view.py": [
                "test_what_a_seat_cannot_know_is_not_in_it",
                "test_a_pass_by_choice_looks_as_one_without_a_choice",
            ],
            "envs/test_picture.py": ["test_what_a_seat_cannot_know_does_not_show"],
            **CHECKED,
        },
    ),
    18: Row(
        "search rolls out the true state",
        {
            "test_determinize.py": ["test_depends_only_on_what_its_seat_sees_and_on_the_generator"],
        },
    ),
    19: Row(
        "is an observation the present, or all that has been?",
        {
            "envs/test_chance.py": ["test_equal_strings_are_equal_histories_of_views"],
            HERE: ["test_row_19_an_observation_is_the_present"],
        },
    ),
    20: Row(
        "the same seed, another episode",
        {
            AEC: ["test_row_20_a_seed_gives_one_series_of_games"],
            SINGLE: ["test_the_same_seed_is_the_same_episode"],
            "test_game.py": ["test_a_seeded_episode_is_what_it_always_was"],
            **CHECKED,
        },
    ),
    21: Row(
        "a new seed drops options",
        {
            SINGLE: ["test_seeding_keeps_every_option"],
            AEC: ["test_row_20_a_seed_gives_one_series_of_games"],
        },
    ),
    22: Row(
        "games of a process share one random stream; workers play identical games",
        {
            SINGLE: ["test_games_in_one_process_share_no_random_stream", "test_unseeded_games_differ"],
            VECTOR: ["test_seeds_deal_as_games_of_these_seeds"],
            "test_batch.py": ["test_a_reset_without_seeds_goes_on_in_its_own_stream"],
            **CHECKED,
        },
    ),
    23: Row(
        "another bot changes the deck",
        {
            "test_bots.py": ["test_a_bot_exchanged_for_another_leaves_the_deal_as_it_was"],
            SINGLE: ["test_another_opponent_leaves_the_deal_and_the_seat_as_they_are"],
        },
    ),
    24: Row(
        "Numba ignores NumPy's seed, threads break it",
        {
            "test_batch.py": [
                "test_any_number_of_threads_gives_the_same_bytes",
                "test_another_process_gives_the_same_bytes",
            ],
            "test_plain_python.py": ["test_the_plain_engine_plays_the_same_games"],
            **CHECKED,
        },
    ),
    25: Row(
        "AEC with masks cannot be vectorised through SuperSuit",
        {
            VECTOR: ["test_rows_are_single_environments"],
            SB3: ["test_rows_are_single_environments"],
            "envs/test_flat.py": ["test_it_is_the_same_game"],
            "train/test_recipes.py": ["test_every_recipe_is_checked_with_the_version_that_its_header_names"],
        },
    ),
    26: Row(
        "a vector environment of processes is slower than a loop",
        {
            "test_bench.py": ["test_a_quick_run_gives_every_row_and_names_missing_peers"],
            VECTOR: ["test_rows_are_single_environments"],
        },
        "how fast it is, is measured by `python -m respublica_env.bench`: no test depends on the speed of a machine",
    ),
    27: Row(
        "autoreset changed, the last observation is lost; vector twin and single environment drift apart",
        {
            VECTOR: ["test_rows_are_single_environments", "test_finals_are_arrays_of_those_that_ended"],
            HERE: ["test_row_27_the_autoreset_mode_is_declared"],
            SB3: ["test_rows_are_single_environments"],
        },
    ),
    28: Row(
        "the first call takes tens of seconds, in every session",
        {
            "test_cache.py": [
                "test_importing_compiles_nothing",
                "test_an_edit_of_one_chapter_is_seen_in_functions_of_another",
            ],
            "test_imports.py": ["test_importing_the_package_loads_nothing_heavy"],
            HERE: ["test_row_28_warming_up_says_what_it_does"],
        },
    ),
    29: Row(
        "no cache can be written",
        {
            "test_cache.py": [
                "test_a_folder_that_cannot_be_written_gives_one_warning_and_no_cache",
                "test_the_cache_can_be_turned_off",
            ],
        },
    ),
    30: Row(
        "minutes of compilation in JAX",
        {},
        "the engine is compiled by Numba, not JAX; who trains in JAX steps it on the host as any other environment",
    ),
    31: Row(
        "RLlib wants other names for masks, which change from release to release",
        {
            "train/test_recipes.py": ["test_every_recipe_is_checked_with_the_version_that_its_header_names"],
        },
        "the recipe itself runs in an environment of its own, see train/recipes/check.sh",
    ),
    32: Row(
        "TorchRL observes every agent at each step; environments are hard to find by name",
        {
            AEC: ["test_row_32_every_live_agent_can_be_observed_at_any_time"],
            "test_aec.py": ["test_made_by_name_after_importing_the_package"],
            SINGLE: ["test_the_id_is_found_by_the_name_of_the_module"],
            "train/test_recipes.py": ["test_every_recipe_is_checked_with_the_version_that_its_header_names"],
        },
    ),
    33: Row(
        "Tianshou puts names of agents and lists into batches",
        {
            "train/test_recipes.py": ["test_every_recipe_is_checked_with_the_version_that_its_header_names"],
        },
        "the recipe itself runs in an environment of its own, see train/recipes/check.sh",
    ),
    34: Row(
        "another number of players changes the spaces; a policy does not notice",
        {
            AEC: ["test_rules_decide_the_spaces_of_every_agent"],
            "test_documents.py": ["test_tables_of_spaces_are_generated"],
            "test_train.py": ["test_the_policy_plays_and_refuses_other_rules"],
            "envs/test_others.py": ["test_an_agent_that_cannot_play_these_rules_is_refused"],
        },
    ),
    35: Row(
        "OpenSpiel: seeds ignored, several kinds of observation",
        {
            SPIEL: ["test_observations_are_those_of_the_game", "test_the_type_says_what_there_is"],
            "envs/test_chance.py": ["test_chance_and_injected_decks_are_the_same_game"],
        },
    ),
    36: Row(
        "no standard way to self-play",
        {
            "envs/test_others.py": [
                "test_a_lineup_is_drawn_for_each_deal_of_each_game",
                "test_other_opponents_count_from_the_next_deal_on",
            ],
        },
        "environments ask for opponents at each deal, which is all that a league needs; the league is yet to come",
    ),
    37: Row(
        "the reward of self-play is flat, progress invisible",
        {
            "test_evaluate.py": [
                "test_every_deal_is_played_in_every_distinct_seating",
                "test_win_share_and_points_against_a_count_by_hand",
                "test_the_interval_of_an_equal_player_holds_par",
            ],
            "test_train.py": ["test_a_run_leaves_checkpoint_logs_and_evaluation"],
        },
        "win shares against fixed players with intervals are there; ratings of many players are yet to come",
    ),
    38: Row(
        "resuming begins from scratch",
        {
            "test_train.py": [
                "test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been",
                "test_a_finished_run_goes_on_when_asked_for_more",
            ],
        },
    ),
    39: Row(
        "no copy in mid-game",
        {
            AEC: ["test_row_39_a_copy_plays_on_to_the_same_end", "test_row_39_a_copy_samples_the_same_actions"],
            SINGLE: ["test_a_copy_in_mid_game_plays_on_to_the_same_end"],
            VECTOR: ["test_a_copy_in_mid_game_plays_on_to_the_same_end"],
            "test_game.py": ["test_pickle_and_copy_keep_everything"],
            **CHECKED,
        },
    ),
    40: Row(
        "`ansi` opens a window, black pictures",
        {
            AEC: ["test_row_40_rendering_opens_nothing"],
            "envs/test_picture.py": ["test_no_display_and_no_other_graphics_library"],
            "envs/test_render.py": ["test_a_game_is_the_same_with_and_without_looking"],
        },
    ),
}
