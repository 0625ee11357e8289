"""The shortest scripts that train through other libraries' own doors, masks applied; `check.sh` runs them all."""
