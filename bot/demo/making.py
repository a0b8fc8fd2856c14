"""What a new repository or a new App begins with."""

from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.demo import git
from bot.demo.state import Repository

KeyPair = tuple[str, str]


def fill(repository: Repository, source: Mapping[str, bytes | str] | Path | None) -> None:
    """Fill a new repository from files by path, a plain folder, or a git repository; None leaves it empty."""
    match source:
        case None:
            return
        case Path() if (source / ".git").exists() or (source / "HEAD").exists():
            git.take_over(repository.directory, source)
        case Path():
            git.commit(repository.directory, repository.default_branch, git.folder_files(source), "First commit")
        case _:
            git.commit(repository.directory, repository.default_branch, source, "First commit")


def key_pair() -> KeyPair:
    """A private key as PEM text, and its public one."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()
