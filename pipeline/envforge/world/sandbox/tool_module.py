"""Loading tools.py: a namespace with few builtins, an import allow-list and nothing shared.

Python code of an environment is loaded by this module only inside the sandboxed worker, or in the pytest process
that a person started over an environment's tests. Standard library only.
"""

from __future__ import annotations
import __future__

import builtins
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

from envforge.world.live import LiveWorld

TOOL_IMPORTS = frozenset(
    {
        "__future__",
        "bisect",
        "collections",
        "datetime",
        "decimal",
        "fractions",
        "functools",
        "itertools",
        "json",
        "math",
        "re",
        "statistics",
        "string",
        "textwrap",
        "typing",
        "unicodedata",
    }
)
API_IMPORTS = frozenset({"envforge.world.api"})
TEST_IMPORTS = frozenset({"pytest", "tools", "envforge.world.testing"})
_LAZY_IMPORTS = frozenset({"_strptime"})
"""What C code of allowed modules imports in the caller's name."""
_REFUSED_BUILTINS = frozenset(
    {
        "__import__",
        "breakpoint",
        "compile",
        "copyright",
        "credits",
        "eval",
        "exec",
        "exit",
        "globals",
        "hash",
        "help",
        "id",
        "input",
        "license",
        "locals",
        "open",
        "quit",
        "vars",
    }
)

Namespace = dict[str, Any]
Importer = Callable[..., Any]


def guarded_import(more: frozenset[str] = frozenset(), modules: Mapping[str, Any] | None = None) -> Importer:
    """An `__import__` that lets the allow-list and `more` through; `modules` are answered as they are."""
    roots = TOOL_IMPORTS | _LAZY_IMPORTS
    whole = API_IMPORTS | more
    given = dict(modules or {})

    def import_module(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and name in given:
            return given[name]
        dotted = "." in name
        if level or not (name.partition(".")[0] in roots or (name in whole and (fromlist or not dotted))):
            raise ImportError(f"import of {name!r} is not allowed here", name=name)
        return builtins.__import__(name, globals_, locals_, fromlist, level)

    return import_module


def restricted_builtins(importer: Importer) -> Namespace:
    """The builtins without those that reach files, code or the process."""
    kept = {name: value for name, value in vars(builtins).items() if name not in _REFUSED_BUILTINS}
    return {**kept, "__import__": importer}


def load_module(source: str, name: str, importer: Importer, filename: str = "") -> Namespace:
    """Run module source in a namespace of its own. Raises whatever it raises."""
    filename = filename or f"{name}.py"
    code = compiled(source, filename)
    namespace: Namespace = {"__name__": name, "__file__": filename, "__builtins__": restricted_builtins(importer)}
    exec(code, namespace)  # noqa: S102
    return namespace


_given: dict[tuple[str, str], types.CodeType] = {}


@functools.lru_cache(maxsize=64)
def compiled(source: str, filename: str) -> types.CodeType:
    """The module's code. Kept: mutants load the same long module again and again."""
    return _given.pop((source, filename), None) or compile(source, filename, "exec", dont_inherit=True)


def give_code(source: str, filename: str, code: types.CodeType) -> None:
    """What `compiled` will answer: the zygote has compiled this module before."""
    _given[source, filename] = code


def load_patched_tools(source: str, patch: str) -> Namespace:
    """The namespace of tools.py with some of its functions defined anew by `patch`. Raises whatever it raises."""
    namespace = load_tools(source)
    flags = __future__.annotations.compiler_flag
    exec(compile(patch, "tools.py", "exec", flags, dont_inherit=True), namespace)  # noqa: S102
    return namespace


def load_tools(source: str, filename: str = "") -> Namespace:
    """The namespace of tools.py. Raises whatever it raises."""
    return load_module(source, "tools", guarded_import(), filename)


def public_functions(namespace: Namespace) -> dict[str, Callable[..., Any]]:
    """The functions that the module itself defines and does not hide."""
    return {
        name: value
        for name, value in namespace.items()
        if isinstance(value, types.FunctionType) and not name.startswith("_") and value.__module__ == "tools"
    }


class TestedTools(types.ModuleType):
    """The module `tools` as unit tests see it: each public function is one transaction, as in a real call."""

    __test__ = False

    def load(self, namespace: Namespace) -> None:
        """Show the functions of `namespace`; what was shown before is gone."""
        self.__dict__.clear()
        self.__dict__.update({"__name__": "tools", **{k: v for k, v in namespace.items() if not k.startswith("__")}})
        for name, function in public_functions(namespace).items():
            setattr(self, name, _in_transaction(function))


def _in_transaction(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        world = positional[0] if positional else named.get("world")
        if not isinstance(world, LiveWorld):
            return function(*positional, **named)
        named.pop("world", None)
        return world.run(functools.partial(_call_rest, function, positional[1:]), named)

    return call


def _call_rest(function: Callable[..., Any], rest: tuple[Any, ...], world: LiveWorld, **named: Any) -> Any:
    return function(world, *rest, **named)


def describe(error: BaseException) -> str:
    """Type and message of an error, even when its own __str__ misbehaves."""
    try:
        text = str(error)
    except BaseException:
        text = "(no message)"
    return f"{type(error).__name__}: {text}"[:4000]


def where_it_broke(error: BaseException, filename: str) -> int:
    """The last line of `filename` in the error's traceback; 0 when there is none."""
    line = 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == filename:
            line = step.tb_lineno
        step = step.tb_next
    return line
