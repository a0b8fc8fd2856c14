"""What `sandbox.docker` is made of; `engine`, `box`, `command`, `images` and `builders` are the door to Docker."""
