import sqlparse


def test_two_statements():
    assert sqlparse.split("SELECT 1; SELECT 2;") == ["SELECT 1;", "SELECT 2;"]


def test_a_semicolon_in_a_string_does_not_split():
    assert sqlparse.split("SELECT ';'; SELECT 2") == ["SELECT ';';", "SELECT 2"]


def test_a_procedure_with_a_condition_is_one_statement():
    procedure = "CREATE PROCEDURE p()\nBEGIN\n  IF x THEN\n    SELECT 1;\n  END IF;\nEND;"

    assert sqlparse.split(procedure + "\nSELECT 2;") == [procedure, "SELECT 2;"]


def test_keywords_are_made_upper_case():
    assert sqlparse.format("select a from b", keyword_case="upper") == "SELECT a FROM b"


def test_comments_are_taken_out():
    assert sqlparse.format("select 1 -- one", strip_comments=True).strip() == "select 1"


def test_the_kind_of_a_statement():
    assert sqlparse.parse("insert into a values (1)")[0].get_type() == "INSERT"
