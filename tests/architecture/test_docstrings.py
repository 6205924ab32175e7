"""What docstrings name exists, under the name that it has now; and they name the errors that are raised."""

import ast
import re
from functools import cache

import pytest
from architecture.rooms import PACKAGE, ROOMS, modules, tree

import hopweave
from hopweave.core import errors

NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`")
FOLDER = re.compile(r"\bhopweave(?:/\w+)++(?![\w.*])")
FILE_ENDINGS = {"csv", "json", "jsonl", "md", "py", "toml", "txt"}
OF_VALUES_AND_SETTINGS = {"llms.ollama", "record.answer", "record.error", "sampling.thinking"}
"""Fields of values, and tables of settings, that begin as a module does."""
KINDS = {
    name: {base.__name__ for base in kind.__mro__}
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.HopweaveError)
}
"""Each error of hopweave with the classes that it is of, by whose names it is documented or caught as well."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
CREATES = {"__init__", "__post_init__"}
"""Methods whose errors the docstring of the class names."""
SHOWN_TO_USERS = {"app", "router"}
"""What registers commands and routes, whose docstrings are the help that users read."""


@cache
def docstrings(path):
    """Every text that stands alone in a file: the docstrings of modules, classes, functions and constants."""
    waiting, found = [tree(path)], []
    while waiting:  # statements only, since none is within an expression
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.append(node.value.value)
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, block, ())
    return found


@cache
def defined_in(path):
    """The names that are defined, imported or used in a file, those of attributes among them."""
    found = set()
    for node in ast.walk(tree(path)):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name) | ast.Name(name) | ast.arg(name):
                found.add(name)
            case ast.Attribute(_, name):
                found.add(name)
            case ast.alias(name, renamed):
                found.add(renamed or name)
    return found


@cache
def parts_of_names() -> frozenset[str]:
    """What the names of all modules are made of, and that of the package."""
    return frozenset({"hopweave", *(part for module in modules() for part in module.split("."))})


def could_name_a_module(name: str) -> bool:
    """Whether a name in backticks begins as a module does, or is private: `links.Mention`, `hopweave.text`, `_learnt`."""
    first, _, rest = name.partition(".")
    if not rest:
        return re.fullmatch(r"_[a-z][a-z0-9_]*", name) is not None
    return first in parts_of_names() and name.rpartition(".")[2] not in FILE_ENDINGS


@cache
def modules_ending_in(stem: str) -> tuple[str, ...]:
    """The modules whose names end in some parts: `text.final` in `final`."""
    return tuple(module for module in modules() if f".{module}".endswith(f".{stem}"))


def exists(name: str, named_in: str) -> bool:
    """Whether a name is a module or what a module defines: from the top if it begins with a room, else from anywhere.

    A private name may also be one of the file that it is in.
    """
    if name.startswith("_") and name in defined_in(modules()[named_in]):
        return True
    from_top = name.startswith("hopweave.") or name.partition(".")[0] in ROOMS
    parts = name.removeprefix("hopweave.").split(".")
    for length in range(len(parts), 0, -1):
        stem, rest = ".".join(parts[:length]), set(parts[length:])
        for module in (stem,) if from_top else modules_ending_in(stem):
            if module in modules() and (not rest or rest <= defined_in(modules()[module])):
                return True
    return name.removeprefix("hopweave.") in hopweave.__all__


def test_modules_that_docstrings_name_exist():
    missing = [
        f"{module}: {name}"
        for module, path in modules().items()
        for text in docstrings(path)
        for name in NAME.findall(text)
        if could_name_a_module(name) and name not in OF_VALUES_AND_SETTINGS and not exists(name, module)
    ]
    assert missing == []


def test_folders_of_the_package_that_docstrings_name_exist():
    missing = [
        f"{module}: {folder}"
        for module, path in modules().items()
        for text in docstrings(path)
        for folder in FOLDER.findall(text)
        if not (PACKAGE.parent / folder).exists()
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("hopweave.core.protocols", True),
        ("core.protocols.Retriever", True),
        ("index_folder.MANIFEST", True),
        ("_learnt", True),
        ("_vector_index", False),
        ("run.evaluate", False),
        ("hopweave.datasets", False),
        ("index_folder.Nothing", False),
    ],
)
def test_a_name_exists_if_a_module_has_it(name, is_there):
    assert could_name_a_module(name)
    assert exists(name, "core.files") is is_there


def names_in(nodes) -> set[str]:
    """The names of expressions, without what is before a dot or in brackets."""
    found = set()
    for node in nodes:
        match node:
            case ast.Call(function):
                found |= names_in([function])
            case ast.Subscript(value):
                found |= names_in([value])
            case ast.Tuple(several):
                found |= names_in(several)
            case ast.Name(name) | ast.Attribute(_, name):
                found.add(name)
    return found


def raised_in(body, caught=frozenset()) -> set[str]:
    """The errors of hopweave that statements raise by name, except in functions within, and where they are caught again."""
    found = set()
    for node in body:
        match node:
            case ast.Raise(error) if error is not None:
                found |= {name for name in names_in([error]) & KINDS.keys() if not KINDS[name] & caught}
            case ast.Try() | ast.TryStar():
                types = [handler.type or ast.Name("BaseException") for handler in node.handlers]
                found |= raised_in(node.body, caught | names_in(types))
                found |= raised_in([*node.handlers, *node.orelse, *node.finalbody], caught)
            case ast.With() | ast.AsyncWith():
                managers = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
                hidden = [kind for one in managers if "suppress" in names_in([one]) for kind in one.args]
                found |= raised_in(node.body, caught | names_in(hidden))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case _:
                for block in ("body", "orelse", "cases"):
                    found |= raised_in(getattr(node, block, ()), caught)
    return found


def docstring(node) -> str:
    return ast.get_docstring(node, clean=False) or ""


def roles_in(module) -> dict[str, str]:
    """What the protocols and abstract classes of a module say of their methods, by the name of the method."""
    found = {}
    for kind in module.body:
        if isinstance(kind, ast.ClassDef) and {"Protocol", "ABC"} & names_in(kind.bases):
            for method in kind.body:
                if isinstance(method, FUNCTION):
                    found[method.name] = found.get(method.name, "") + docstring(method)
    return found


@cache
def roles() -> dict[str, str]:
    found = {}
    for path in modules().values():
        for name, text in roles_in(tree(path)).items():
            found[name] = found.get(name, "") + text
    return found


def unnamed_errors(module, roles) -> list[str]:
    """The errors that public functions and methods of a module raise themselves, and that no docstring names.

    That of its class may name them, too, and that of a role which a method of this name could fill: it says what differs.
    """
    found = []
    waiting = [(node, None) for node in module.body]
    while waiting:
        node, kind = waiting.pop(0)
        if isinstance(node, ast.ClassDef) and kind is None and not node.name.startswith("_"):
            waiting += [(method, node) for method in node.body]
        if not isinstance(node, FUNCTION) or (node.name.startswith("_") and node.name not in CREATES):
            continue
        if {one.func.value.id for one in node.decorator_list if is_registering(one)} & SHOWN_TO_USERS:
            continue
        said = docstring(node)
        if kind is not None:
            said += docstring(kind) + roles.get(node.name, "")
            getters = [one for one in kind.body if isinstance(one, FUNCTION) and one.name == node.name]
            said += "".join(map(docstring, getters))
        named = set(re.findall(r"\w+", said))
        where = f"{kind.name}.{node.name}" if kind is not None else node.name
        found += [f"{where}: {error}" for error in sorted(raised_in(node.body)) if not KINDS[error] & named]
    return found


def is_registering(decorator) -> bool:
    """Whether a decorator is a call of a method of something named, such as `@app.command()`."""
    match decorator:
        case ast.Call(ast.Attribute(ast.Name())):
            return True
    return False


def test_docstrings_name_the_errors_that_public_functions_raise():
    missing = [
        f"{module}: {problem}"
        for module, path in modules().items()
        if not any(part.startswith("_") for part in module.split("."))
        for problem in unnamed_errors(tree(path), roles())
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("code", "problems"),
    [
        ("def f():\n    raise DataError('no')", ["f: DataError"]),
        ("def f():\n    'Raises `DataError`.'\n    raise DataError('no')", []),
        ("def f():\n    'Raises `HopweaveError`.'\n    raise DataError('no')", []),
        ("def f():\n    'Raises `DatabaseError`.'\n    raise DataError('no')", ["f: DataError"]),
        ("def _f():\n    raise DataError('no')", []),
        ("def f():\n    raise ValueError('no')", []),
        ("def f(x):\n    match x:\n        case 1:\n            raise errors.DataError('no')", ["f: DataError"]),
        ("def f():\n    try:\n        raise DataError('no')\n    except (OSError, HopweaveError):\n        pass", []),
        ("def f():\n    try:\n        pass\n    except OSError:\n        raise DataError('no')", ["f: DataError"]),
        ("def f():\n    with suppress(DataError):\n        raise DataError('no')", []),
        ("def f():\n    def g():\n        raise DataError('no')\n    return g", []),
        ("@app.command()\ndef f():\n    raise DataError('no')", []),
        ("class C:\n    def __init__(self):\n        raise DataError('no')", ["C.__init__: DataError"]),
        ("class C:\n    'Raises `DataError`.'\n    def __post_init__(self):\n        raise DataError('no')", []),
        ("class C:\n    async def search(self):\n        raise SearchError('no')", []),
        ("class C:\n    async def search(self):\n        raise DataError('no')", ["C.search: DataError"]),
        ("class _C:\n    def f(self):\n        raise DataError('no')", []),
    ],
)
def test_an_error_is_named_if_the_docstring_of_the_function_its_class_or_its_role_has_it(code, problems):
    role = "class R(Protocol):\n    def search(self):\n        'Raises `SearchError`.'"
    assert unnamed_errors(ast.parse(code), roles_in(ast.parse(role))) == problems
