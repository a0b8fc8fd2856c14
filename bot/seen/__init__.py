"""What operators see: log lines that say what they are about, and figures."""
