import pytest
from itsdangerous import BadSignature, Serializer, Signer, TimestampSigner, URLSafeSerializer, URLSafeTimedSerializer

KEYS = ["first", "second", "third"]


@pytest.mark.parametrize("old", KEYS)
@pytest.mark.parametrize("kind", [Signer, TimestampSigner])
def test_every_key_of_the_list_verifies(kind, old):
    assert kind(KEYS).unsign(kind(old).sign("value")) == b"value"


@pytest.mark.parametrize("old", KEYS)
@pytest.mark.parametrize("kind", [Serializer, URLSafeSerializer, URLSafeTimedSerializer])
def test_every_key_of_the_list_loads(kind, old):
    assert kind(KEYS).loads(kind(old).dumps({"user": 7})) == {"user": 7}


@pytest.mark.parametrize("derivation", ["concat", "django-concat", "hmac", "none"])
def test_every_derivation_knows_old_keys(derivation):
    old = Signer("first", key_derivation=derivation).sign("value")

    assert Signer(KEYS, key_derivation=derivation).validate(old)


def test_a_key_that_is_not_in_the_list_is_rejected():
    with pytest.raises(BadSignature):
        URLSafeSerializer(KEYS).loads(URLSafeSerializer("zeroth").dumps([1]))


def test_a_removed_key_is_rejected():
    assert not Signer(["second", "third"]).validate(Signer("first").sign("value"))
