from uritemplate import URITemplate, expand, variables


def test_a_plain_variable_is_quoted():
    assert expand("/users/{name}", name="a b/c") == "/users/a%20b%2Fc"


def test_a_query_starts_with_a_question_mark():
    assert expand("/find{?q,page}", q="tea", page="2") == "/find?q=tea&page=2"


def test_one_more_parameter_is_added_to_a_query():
    assert expand("/find?q=tea{&page}", page="2") == "/find?q=tea&page=2"


def test_path_segments_explode_with_slashes():
    assert expand("{/parts*}", parts=["a", "b", "c"]) == "/a/b/c"


def test_undefined_variables_leave_nothing():
    assert expand("/find{?q}") == "/find"


def test_the_names_of_a_template_are_known():
    assert list(variables("/{a}/{b}{?c}")) == ["a", "b", "c"]


def test_partial_keeps_what_is_not_given():
    assert str(URITemplate("/{a}{?b}").partial(a="1")) == "/1{?b}"
