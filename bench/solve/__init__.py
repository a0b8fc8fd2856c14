"""Which share of tasks a model solves, for how many tokens, with our agent and with its peers. See README.md here."""
