"""From a TOML file or command-line words to a Plan, and the order in which it is carried out."""
