import pytest
from itsdangerous import BadSignature, Signer, TimestampSigner, URLSafeSerializer


def test_what_is_signed_can_be_read():
    signer = Signer("key")

    assert signer.unsign(signer.sign("hello")) == b"hello"


def test_a_changed_value_is_rejected():
    with pytest.raises(BadSignature):
        Signer("key").unsign(b"x" + Signer("key").sign("hello"))


def test_another_key_is_rejected():
    with pytest.raises(BadSignature):
        Signer("other").unsign(Signer("key").sign("hello"))


def test_the_newest_key_signs():
    assert Signer(["old", "new"]).sign("x") == Signer("new").sign("x")


def test_values_are_made_safe_for_urls():
    serializer = URLSafeSerializer("key")

    assert serializer.loads(serializer.dumps({"id": 5})) == {"id": 5}


def test_time_is_kept():
    signer = TimestampSigner("key")

    assert signer.unsign(signer.sign("x"), max_age=60) == b"x"
