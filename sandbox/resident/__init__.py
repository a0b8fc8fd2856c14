"""What `sandbox.bubblewrap` is made of: a program that keeps workspaces in namespaces of their own."""
