from addict import Dict


def test_a_section_can_be_switched_off():
    settings = Dict({"proxy": {"host": "10.0.0.1"}})
    settings.update({"proxy": False})

    assert settings == {"proxy": False}
