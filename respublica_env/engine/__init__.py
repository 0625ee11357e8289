"""The rule book in code, one chapter a file, each opening with the rule it implements."""
