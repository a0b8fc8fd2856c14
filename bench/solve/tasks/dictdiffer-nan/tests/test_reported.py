import math

from dictdiffer import diff


def test_a_value_that_became_nan_is_a_change():
    [(kind, path, (old, new))] = diff({"t": 21.5}, {"t": float("nan")})

    assert (kind, path, old) == ("change", "t", 21.5)
    assert math.isnan(new)
