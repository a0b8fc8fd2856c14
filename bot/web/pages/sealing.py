"""The secret that one browser has, and what is kept so that nobody can read it without."""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from cryptography.fernet import Fernet, InvalidToken

_BYTES, _LETTERS = 32, 43


@dataclass(frozen=True, slots=True)
class Secret:
    """A random text, for one browser alone.

    Nothing that is made of it leads back to it, nor from one of these things to another.
    """

    text: str = field(repr=False)

    @staticmethod
    def new() -> "Secret":
        return Secret(secrets.token_urlsafe(_BYTES))

    @staticmethod
    def read(text: str) -> "Secret | None":
        """The secret of a cookie; None where that is none."""
        return Secret(text) if len(text) == _LETTERS else None

    @property
    def key(self) -> str:
        """By which what is kept is found: 64 digits."""
        return self._made("key").hex()

    def made_for(self, purpose: str) -> str:
        """Another secret, which may go where this one must not: 43 letters, digits, “-” and “_”."""
        return _text(self._made(purpose))

    def seal(self, text: str) -> str:
        """The text, to be read with this secret alone."""
        return self._cipher.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str | None:
        """What was sealed; None where that was by another secret, or was changed."""
        try:
            return self._cipher.decrypt(sealed).decode()
        except (InvalidToken, ValueError):
            return None

    @property
    def _cipher(self) -> Fernet:
        return Fernet(base64.urlsafe_b64encode(self._made("seal")))

    def _made(self, purpose: str) -> bytes:
        return hmac.digest(self.text.encode(), purpose.encode(), "sha256")


def challenge_for(verifier: str) -> str:
    """What stands for a verifier until it is shown itself.

    Source: RFC 7636, section 4.2
    """
    return _text(hashlib.sha256(verifier.encode()).digest())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
