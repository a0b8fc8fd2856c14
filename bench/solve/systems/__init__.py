"""What is measured side by side: the plain loop, mini-swe-agent, and ours."""
