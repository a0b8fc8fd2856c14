"""Which parts of a repository a model is shown, found through symbols, ranked, and cut to a budget."""
