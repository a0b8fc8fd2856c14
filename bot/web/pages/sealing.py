"""The secret that one browser has, and what is kept so that nobody can read it without."""

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_LENGTH = 32
_NONCE = 12


@dataclass(frozen=True, slots=True)
class Secret:
    """Random bytes. Nothing that is made of them leads back to them, nor from one of these things to another."""

    value: bytes = field(repr=False)

    @staticmethod
    def new() -> "Secret":
        return Secret(secrets.token_bytes(_LENGTH))

    @staticmethod
    def read(text: str) -> "Secret | None":
        """The secret of a cookie; None where that is none."""
        try:
            value = base64.b64decode(text.encode() + b"=", altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        return Secret(value) if len(value) == _LENGTH else None

    @property
    def text(self) -> str:
        """For the browser alone."""
        return _text(self.value)

    @property
    def key(self) -> str:
        """By which what is kept is found: 64 digits."""
        return self._made("key").hex()

    def made_for(self, purpose: str) -> str:
        """Another secret, which may go where this one must not: 43 letters, digits, “-” and “_”."""
        return _text(self._made(purpose))

    def seal(self, text: str) -> str:
        """The text, to be read with this secret alone."""
        nonce = secrets.token_bytes(_NONCE)
        return _text(nonce + self._cipher.encrypt(nonce, text.encode(), self.key.encode()))

    def open(self, sealed: str) -> str | None:
        """What was sealed; None where that was by another secret, or was changed."""
        try:
            whole = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
            return self._cipher.decrypt(whole[:_NONCE], whole[_NONCE:], self.key.encode()).decode()
        except (InvalidTag, ValueError):
            return None

    @property
    def _cipher(self) -> AESGCM:
        return AESGCM(self._made("seal"))

    def _made(self, purpose: str) -> bytes:
        return hmac.digest(self.value, purpose.encode(), "sha256")


def challenge_for(verifier: str) -> str:
    """What stands for a verifier until it is shown itself.

    Source: RFC 7636, section 4.2
    """
    return _text(hashlib.sha256(verifier.encode()).digest())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
