"""What `sandbox.environments` is made of: a way to the network for setup, and a shelf for what it made."""
