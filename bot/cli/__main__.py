"""`python -m bot.cli`."""

from bot.cli import main

if __name__ == "__main__":
    main()
