import pytest
from marshmallow import Schema, ValidationError, fields, validate, validates_schema


class Person(Schema):
    name = fields.Str(required=True)
    age = fields.Int(validate=validate.Range(min=0))

    @validates_schema
    def check(self, data, **_):
        if data.get("name") == data.get("age"):
            raise ValidationError("name and age are the same")


def errors(data, **options):
    with pytest.raises(ValidationError) as caught:
        Person(**options).load(data)
    return caught.value.messages


def test_good_data_is_loaded():
    assert Person().load({"name": "x", "age": "3"}) == {"name": "x", "age": 3}


def test_a_list_of_good_data_is_loaded():
    assert Person(many=True).load([{"name": "x"}, {"name": "y"}]) == [{"name": "x"}, {"name": "y"}]


def test_errors_are_by_field():
    assert errors({"age": -1}) == {
        "name": ["Missing data for required field."],
        "age": ["Must be greater than or equal to 0."],
    }


def test_unknown_fields_are_errors():
    assert errors({"name": "x", "size": 1}) == {"size": ["Unknown field."]}


def test_data_is_dumped():
    assert Person(only=["name"]).dump({"name": "x", "age": 3}) == {"name": "x"}
