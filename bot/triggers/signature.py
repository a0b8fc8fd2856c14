"""Whether a webhook delivery comes from GitHub. Pure."""

import hashlib
import hmac

from bot.errors import DeliveryRejected


def sign(secret: str, body: bytes) -> str:
    """The `X-Hub-Signature-256` of these raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify(secret: str, body: bytes, signature: str | None) -> None:
    """Return if the signature was made over exactly these bytes with the secret; compared in constant time.

    Raises: `DeliveryRejected` with 401 where the header is absent or wrong, without telling which.
    Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    if not hmac.compare_digest(sign(secret, body).encode(), (signature or "").encode("utf-8", "replace")):
        raise DeliveryRejected(401, "the signature is missing or wrong")
