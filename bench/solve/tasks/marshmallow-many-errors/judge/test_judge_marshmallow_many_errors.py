import pytest
from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate, validates_schema


class Person(Schema):
    name = fields.Str(required=True)
    age = fields.Int(validate=validate.Range(min=0))

    @validates_schema
    def check(self, data, **_):
        if data.get("name") == "nobody":
            raise ValidationError("nobody is no name")


class Group(Schema):
    people = fields.List(fields.Nested(Person))
    leaders = fields.Nested(Person, many=True)


def errors(schema, data, **options):
    with pytest.raises(ValidationError) as caught:
        schema.load(data, **options)
    return caught.value.messages


def test_errors_are_by_position():
    data = [{"name": "x"}, {"age": -1}, {"name": "y", "age": "z"}]

    assert errors(Person(many=True), data) == {
        1: {"name": ["Missing data for required field."], "age": ["Must be greater than or equal to 0."]},
        2: {"age": ["Not a valid integer."]},
    }


def test_a_first_item_has_the_position_zero():
    assert errors(Person(many=True), [{}]) == {0: {"name": ["Missing data for required field."]}}


def test_unknown_fields_are_by_position():
    data = [{"name": "a"}, {"name": "b", "size": 1}]

    assert errors(Person(many=True), data) == {1: {"size": ["Unknown field."]}}
    assert Person(many=True).load(data, unknown=EXCLUDE) == [{"name": "a"}, {"name": "b"}]


def test_an_item_of_a_wrong_type():
    assert errors(Person(many=True), [{"name": "a"}, 5]) == {1: {"_schema": ["Invalid input type."]}}


def test_schema_errors_are_by_position():
    data = [{"name": "a"}, {"name": "nobody"}]

    assert errors(Person(many=True), data) == {1: {"_schema": ["nobody is no name"]}}


def test_nested_lists_are_by_position():
    data = {"leaders": [{"name": "a"}, {}], "people": [{}, {"name": "b"}]}

    assert errors(Group(), data) == {
        "leaders": {1: {"name": ["Missing data for required field."]}},
        "people": {0: {"name": ["Missing data for required field."]}},
    }


def test_one_object_has_no_position():
    assert errors(Person(), {}) == {"name": ["Missing data for required field."]}
