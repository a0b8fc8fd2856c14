"""The program that parses: source files in on stdin, their symbols out on stdout, a JSON line for each file.

It runs as a process of its own (`reading.py` starts it), for the parsers are C, and they read what strangers wrote:
there are files that make them crash, or take minutes. One that takes too long ends the process. It imports nothing of
ours.
"""

import json
import sys
from typing import Any

CPU_S_PER_FILE = 1.0
MEMORY_BYTES = 2 * 1024**3
OUTPUT_BYTES = 64 * 1024**2
SYMBOLS = 4_000
CALLS = 20_000
IMPORTS = 300
NAME_CHARS = 200

_C = """
(function_definition declarator: (_) @declarator) @definition
(struct_specifier name: (_) @name body: (_)) @definition
(union_specifier name: (_) @name body: (_)) @definition
(enum_specifier name: (_) @name body: (_)) @definition
(type_definition declarator: (type_identifier) @name) @definition
(preproc_function_def name: (_) @name) @definition
(preproc_def name: (_) @name) @definition
(call_expression function: [(identifier) @call (field_expression field: (_) @call)])
(argument_list (identifier) @call)
(preproc_include) @import
"""
_JAVASCRIPT = """
(function_declaration name: (_) @name) @definition
(generator_function_declaration name: (_) @name) @definition
(class_declaration name: (_) @name) @definition
(method_definition name: (_) @name) @definition
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (class)])) @definition
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (class)])) @definition
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @definition)
(assignment_expression left: (member_expression property: (_) @name)
  right: [(arrow_function) (function_expression)]) @definition
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition
(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: (_) @call)
(arguments [(identifier) @call (member_expression property: (_) @call)])
(import_statement) @import
(call_expression function: (identifier) @_require arguments: (arguments (string)) (#eq? @_require "require")) @import
(export_statement source: (_)) @import
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(abstract_class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(type_alias_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(function_signature name: (_) @name) @definition
(public_field_definition name: (_) @name value: (arrow_function)) @definition
"""
)
QUERIES = {
    "python": """
(decorated_definition definition: (_ name: (_) @name)) @definition
(function_definition name: (_) @name) @definition
(class_definition name: (_) @name) @definition
(module (assignment left: (identifier) @name) @definition)
(call function: [(identifier) @call (attribute attribute: (_) @call)])
(class_definition superclasses: (argument_list [(identifier) @call (attribute attribute: (_) @call)]))
(decorator [(identifier) @call (attribute attribute: (_) @call)])
(argument_list [(identifier) @call (attribute attribute: (_) @call)])
(keyword_argument value: [(identifier) @call (attribute attribute: (_) @call)])
(default_parameter value: [(identifier) @call (attribute attribute: (_) @call)])
(typed_default_parameter value: [(identifier) @call (attribute attribute: (_) @call)])
(import_statement) @import
(import_from_statement) @import
""",
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": """
(function_declaration name: (_) @name) @definition
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name) @definition
(type_declaration (type_spec name: (_) @name)) @definition
(source_file (const_declaration (const_spec name: (_) @name)) @definition)
(source_file (var_declaration (var_spec name: (_) @name)) @definition)
(call_expression function: [(identifier) @call (selector_expression field: (_) @call)])
(argument_list [(identifier) @call (selector_expression field: (_) @call)])
(import_spec) @import
""",
    "rust": """
(function_item name: (_) @name) @definition
(function_signature_item name: (_) @name) @definition
(struct_item name: (_) @name) @definition
(enum_item name: (_) @name) @definition
(trait_item name: (_) @name) @definition
(impl_item type: (_) @name) @definition
(mod_item name: (_) @name body: (_)) @definition
(const_item name: (_) @name) @definition
(static_item name: (_) @name) @definition
(type_item name: (_) @name) @definition
(macro_definition name: (_) @name) @definition
(call_expression function: [(identifier) @call (field_expression field: (_) @call)
  (scoped_identifier name: (_) @call)])
(macro_invocation macro: (identifier) @call)
(arguments [(identifier) @call (scoped_identifier name: (_) @call)])
(use_declaration) @import
(mod_item !body) @import
""",
    "java": """
(class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(record_declaration name: (_) @name) @definition
(annotation_type_declaration name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
(constructor_declaration name: (_) @name) @definition
(method_invocation name: (_) @call)
(object_creation_expression type: (_) @call)
(import_declaration) @import
""",
    "ruby": """
(method name: (_) @name) @definition
(singleton_method name: (_) @name) @definition
(class name: (_) @name) @definition
(module name: (_) @name) @definition
(program (assignment left: (constant) @name) @definition)
(call method: (_) @call)
(call method: (identifier) @_require arguments: (argument_list (string))
  (#match? @_require "^require(_relative)?$")) @import
""",
    "c": _C,
    "cpp": _C
    + """
(class_specifier name: (_) @name body: (_)) @definition
(namespace_definition name: (_) @name) @definition
(call_expression function: (qualified_identifier name: (_) @call))
""",
    "csharp": """
(class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(struct_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(record_declaration name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
(constructor_declaration name: (_) @name) @definition
(property_declaration name: (_) @name) @definition
(invocation_expression function: [(identifier) @call (member_access_expression name: (_) @call)])
(object_creation_expression type: (_) @call)
(using_directive) @import
""",
    "php": """
(function_definition name: (_) @name) @definition
(class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(trait_declaration name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
(function_call_expression function: (_) @call)
(member_call_expression name: (_) @call)
(scoped_call_expression name: (_) @call)
(namespace_use_declaration) @import
""",
}
"""By grammar. What is handed on by its name counts as called.

`declarator` is C's way to write a name; `owner` is the type of a method that stands apart from it.
"""


def symbols_of(text: str, language: str) -> dict[str, Any]:
    """Definitions as [name, owner or "", first line, line of the name, last line], calls as [name, line], imports."""
    from tree_sitter import Parser, Query, QueryCursor  # noqa: PLC0415
    from tree_sitter_language_pack import get_language  # noqa: PLC0415

    grammar = get_language(language)  # type: ignore[arg-type]
    tree = Parser(grammar).parse(text.encode("utf-8", "replace"))
    definitions: dict[int, list[Any]] = {}
    calls: list[list[Any]] = []
    imports: list[str] = []
    for _, match in QueryCursor(Query(grammar, QUERIES[language])).matches(tree.root_node):
        if "definition" in match:
            _add_definition(definitions, match)
        if "import" in match:
            imports += [_text(node) for node in match["import"][: IMPORTS - len(imports)]]
        calls += [[_text(node), node.start_point[0] + 1] for node in match.get("call", ())][: CALLS - len(calls)]
    return {"definitions": list(definitions.values())[:SYMBOLS], "calls": calls, "imports": imports}


def _add_definition(known: dict[int, list[Any]], match: dict[str, Any]) -> None:
    """Of two definitions of one name at one place the longer counts: the one with its decorators."""
    node = match["definition"][0]
    names = match.get("name") or [named for found in match.get("declarator", ()) if (named := _declared(found))]
    for named in names:
        owner, _, name = _text(named).rpartition("::")
        owners = [_text(one).strip("*() ") for one in match.get("owner", ())]
        first, last = node.start_point[0] + 1, node.end_point[0] + (1 if node.end_point[1] else 0)
        before = known.get(named.start_byte)
        if before is None or last - first > before[4] - before[2]:
            known[named.start_byte] = [name, owner or "".join(owners), first, named.start_point[0] + 1, last]


def _declared(declarator: Any) -> Any | None:
    """The name in a C declarator: `*(*f(int))(int)`."""
    for _ in range(20):
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "reference_declarator":
            inner = declarator.named_children[0]
        if inner is None:
            return declarator if "identifier" in declarator.type or "name" in declarator.type else None
        declarator = inner
    return None


def _text(node: Any) -> str:
    return str(node.text[: NAME_CHARS * 4].decode("utf-8", "replace"))[:NAME_CHARS]


def _limited() -> None:
    """Bound what this process may take, as far as the system lets it."""
    import resource  # noqa: PLC0415

    limits = {resource.RLIMIT_AS: MEMORY_BYTES, resource.RLIMIT_FSIZE: OUTPUT_BYTES, resource.RLIMIT_CORE: 0}
    for kind, most in limits.items():
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            continue


def main() -> None:
    """Answer each file in turn. The clock of one that takes too long ends the process."""
    import signal  # noqa: PLC0415

    sys.path[:] = json.loads(sys.argv[1])
    _limited()
    for language, text in json.load(sys.stdin):
        signal.setitimer(signal.ITIMER_PROF, CPU_S_PER_FILE)
        sys.stdout.write(json.dumps(symbols_of(text, language)) + "\n")
        sys.stdout.flush()
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main()
