import pytest
import sqlparse

LOOPS = {
    "counted": "FOR i IN 1..3 LOOP\n    INSERT INTO t VALUES (i);\n  END LOOP;",
    "endless": "LOOP\n    SELECT 1;\n  END LOOP;",
    "conditional": "WHILE x LOOP\n    SELECT 1;\n  END LOOP;",
    "nested": "LOOP\n    LOOP\n      SELECT 1;\n    END LOOP;\n    SELECT 2;\n  END LOOP;",
    "with a condition": "LOOP\n    IF x THEN\n      SELECT 1;\n    END IF;\n  END LOOP;",
}


def procedure(body):
    return f"CREATE PROCEDURE p()\nBEGIN\n  {body}\nEND;"


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_a_statement_follows_a_procedure_with_a_loop(body):
    assert sqlparse.split(procedure(body) + "\nDROP TABLE old;") == [procedure(body), "DROP TABLE old;"]


def test_two_procedures_with_loops():
    first, second = procedure(LOOPS["endless"]), procedure(LOOPS["counted"])

    assert sqlparse.split(f"{first}\n{second}\nSELECT 3;") == [first, second, "SELECT 3;"]


@pytest.mark.parametrize(
    "body",
    ["IF x THEN\n    SELECT 1;\n  END IF;", "WHILE x DO\n    SELECT 1;\n  END WHILE;", "SELECT 1;"],
)
def test_other_blocks_are_split_as_before(body):
    assert sqlparse.split(procedure(body) + "\nSELECT 2;") == [procedure(body), "SELECT 2;"]
