import sqlparse


def test_a_procedure_with_a_loop_is_split_off():
    procedure = "CREATE PROCEDURE p()\nBEGIN\n  FOR i IN 1..3 LOOP\n    INSERT INTO t VALUES (i);\n  END LOOP;\nEND;"

    assert sqlparse.split(procedure + "\nDROP TABLE old;") == [procedure, "DROP TABLE old;"]
