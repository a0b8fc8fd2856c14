"""What is taken where nobody says: the same for the server, the command and the library."""

DEFAULT_MODEL = "gpt-5-mini"
DEFAULT_IMAGE = "selfcode-sandbox"
