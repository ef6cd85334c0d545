"""The nouns of kdelta as frozen values: no input, no output, no clock."""
