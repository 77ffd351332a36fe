"""The lint for state that outlives a call: what it must find, and what it must let pass."""

from __future__ import annotations

import collections
import textwrap
from pathlib import Path

import pytest

from envforge.world.lint.calls import MUTATORS
from envforge.world.module_state import findings

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library" / "tools.py"
HEAD = "from __future__ import annotations\nimport json\nimport re\nfrom envforge.world.api import ToolError, World\n"


def _tool(body: str, before: str = "", parameters: str = "") -> str:
    extra = f", {parameters}" if parameters else ""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"{HEAD}{textwrap.dedent(before)}\ndef tool(world: World{extra}) -> dict:\n{lines}\n"


STATEFUL: dict[str, tuple[str, str]] = {
    "global": (_tool("global _N\n_N += 1\nreturn {'n': _N}", "_N = 0"), "global _N"),
    "nonlocal": (_tool("n = 0\ndef f():\n    nonlocal n\n    n += 1\nf()\nreturn {'n': n}"), "nonlocal n"),
    "subscript": (_tool("_C['a'] = 1\nreturn {}", "_C = {}"), "_C is changed: a part of it"),
    "subscript deleted": (_tool("del _C['a']\nreturn {}", "_C = {'a': 1}"), "_C is changed: a part of it"),
    "subscript of a part": (_tool("_C['a']['n'] = 1\nreturn {}", "_C = {'a': {'n': 0}}"), "_C is changed"),
    "counter in a dict": (_tool("_C['n'] += 1\nreturn {'n': _C['n']}", "_C = {'n': 0}"), "_C is changed"),
    "slice": (_tool("_L[:] = []\nreturn {}", "_L = [1]"), "_L is changed"),
    "loop target": (_tool("for _C['k'] in (1, 2):\n    pass\nreturn {}", "_C = {}"), "_C is changed"),
    "with target": (_tool("with world.query('x') as _C['k']:\n    pass\nreturn {}", "_C = {}"), "_C is changed"),
    "unpacking target": (_tool("_C['a'], b = 1, 2\nreturn {}", "_C = {}"), "_C is changed"),
    "starred target": (_tool("*_C['a'], b = 1, 2\nreturn {}", "_C = {}"), "_C is changed"),
    "alias": (_tool("c = _C\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by walrus": (_tool("if (c := _C) is not None:\n    c['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by unpacking": (_tool("c, d = _C, 1\nc['n'] = d\nreturn {}", "_C = {}"), "_C is changed"),
    "alias of an alias": (_tool("c = d\nd = _C\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias at module level": (_tool("_D['n'] = 1\nreturn {}", "_C = {}\n_D = _C"), "_C is changed"),
    "alias in a tuple": (_tool("pair = (_C, 1)\npair[0]['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias in a dict": (_tool("box = {'c': _C}\nbox['c']['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias put into a local": (_tool("b = []\nb.append(_C)\nb[0]['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias stored in a local": (_tool("b = {}\nb['c'] = _C\nb['c']['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by or": (_tool("c = _C or {}\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by if": (_tool("c = _C if world else {}\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by match": (_tool("match _C:\n    case c:\n        c['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by get": (_tool("c = {}.get('x', _C)\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by next": (_tool("c = next(iter(()), _C)\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by max": (_tool("c = max(_C, {}, key=len)\nc['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "alias by cast": (
        _tool("c = typing.cast('dict', _C)\nc['n'] = 1\nreturn {}", "import typing\n_C = {}"),
        "_C is changed",
    ),
    "alias by repeat": (
        _tool("for c in itertools.repeat(_C, 1):\n    c['n'] = 1\nreturn {}", "import itertools\n_C = {}"),
        "_C is changed",
    ),
    "row of a table": (_tool("for r in _R:\n    r['seen'] = 1\nreturn {}", "_R = [{'a': 1}]"), "_R is changed"),
    "row of a table by number": (
        _tool("for n, r in enumerate(_R):\n    r['seen'] = n\nreturn {}", "_R = [{'a': 1}]"),
        "_R is changed",
    ),
    "row of a table by key": (
        _tool("for k, r in _R.items():\n    r['seen'] = k\nreturn {}", "_R = {'x': {'a': 1}}"),
        "_R is changed",
    ),
    "row of a table in a comprehension": (
        _tool("return {'x': [r.update(a=2) for r in _R]}", "_R = [{'a': 1}]"),
        "_R is changed by .update()",
    ),
    "row of a copied table": (
        _tool("rows = list(_R)\nrows[0]['a'] = 2\nreturn {}", "_R = [{'a': 1}]"),
        "_R is changed",
    ),
    "row of a spread table": (_tool("t = {**_T}\nt['x']['a'] = 2\nreturn {}", "_T = {'x': {}}"), "_T is changed"),
    "row of a merged table": (_tool("t = _T | {}\nt['x']['a'] = 2\nreturn {}", "_T = {'x': {}}"), "_T is changed"),
    "row in a tuple": (_tool("_T[0]['a'] = 2\nreturn {}", "_T = ({},)"), "_T is changed"),
    "row by a sort key": (
        _tool("r = sorted(_R, key=lambda r: r.pop('a'))\nreturn {'r': r}", "_R = [{'a': 1}]"),
        "_R is changed by .pop()",
    ),
    "row by map": (
        _tool("list(map(_touch, _R))\nreturn {}", "_R = [{}]\ndef _touch(r):\n    r['x'] = 1"),
        "_R is changed",
    ),
    "row by map of a method": (_tool("list(map(dict.clear, _R))\nreturn {}", "_R = [{'a': 1}]"), "_R is passed to"),
    "method handed on": (_tool("push = _L.append\npush(1)\nreturn {}", "_L = []"), "its method append is handed on"),
    "method of the class": (_tool("list.append(_L, 1)\nreturn {}", "_L = []"), "_L is passed to list.append"),
    "augmented local alias": (_tool("x = _L\nx += [1]\nreturn {}", "_L = []"), "by an augmented assignment"),
    "augmented parameter": (
        _tool("_more(_L)\nreturn {}", "_L = []\ndef _more(x):\n    x += [1]"),
        "by an augmented assignment",
    ),
    "helper that changes": (_tool("_put(_C)\nreturn {}", "_C = {}\ndef _put(c):\n    c['n'] = 1"), "_C is changed"),
    "helper by keyword": (_tool("_put(c=_C)\nreturn {}", "_C = {}\ndef _put(*, c):\n    c['n'] = 1"), "_C is changed"),
    "helper by star": (_tool("_put(*[_C])\nreturn {}", "_C = {}\ndef _put(c):\n    c['n'] = 1"), "_C is changed"),
    "helper by double star": (
        _tool("_put(**{'c': _C})\nreturn {}", "_C = {}\ndef _put(c):\n    c['n'] = 1"),
        "_C is changed",
    ),
    "helper with many": (
        _tool("_put(1, _C)\nreturn {}", "_C = {}\ndef _put(*many):\n    many[1]['n'] = 1"),
        "_C is changed",
    ),
    "helper with many named": (
        _tool("_put(c=_C)\nreturn {}", "_C = {}\ndef _put(**many):\n    many['c']['n'] = 1"),
        "_C is changed",
    ),
    "helper that gives": (_tool("_get()['n'] = 1\nreturn {}", "_C = {}\ndef _get():\n    return _C"), "_C is changed"),
    "helper that yields": (
        _tool("for c in _get():\n    c['n'] = 1\nreturn {}", "_C = {}\ndef _get():\n    yield _C"),
        "_C is changed",
    ),
    "helper called by value": (
        _tool("h = _H['a']\nh()['n'] = 1\nreturn {}", "_C = {}\ndef _get():\n    return _C\n_H = {'a': _get}"),
        "_C is changed",
    ),
    "helper given to a helper": (
        _tool(
            "_call(_get)['n'] = 1\nreturn {}",
            "_C = {}\ndef _get():\n    return _C\ndef _call(f):\n    return f()",
        ),
        "_C is changed",
    ),
    "helper of a helper": (
        _tool("_a(_C)\nreturn {}", "_C = {}\ndef _a(x):\n    _b(x)\ndef _b(x):\n    x['n'] = 1"),
        "_C is changed",
    ),
    "inner function": (_tool("def put(c):\n    c['n'] = 1\nput(_C)\nreturn {}", "_C = {}"), "_C is changed"),
    "inner function that gives": (
        _tool("def get():\n    return _C\ng = get\ng()['n'] = 1\nreturn {}", "_C = {}"),
        "_C is changed",
    ),
    "lambda that changes": (_tool("f = lambda: _C.update(n=1)\nf()\nreturn {}", "_C = {}"), "_C is changed by .update"),
    "lambda that gives": (_tool("f = lambda: _C\nf()['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "lambda at module level": (
        _tool("_F(_C)\nreturn {}", "_C = {}\n_F = lambda c: c.clear()"),
        "_C is changed by .clear",
    ),
    "passed to the unknown": (_tool("f(_C)\nreturn {}", "_C = {}", "f: object"), "_C is passed to f"),
    "name of a comprehension": (_tool("x = [_C for _C in ()]\n_C['n'] = 1\nreturn {}", "_C = {}"), "_C is changed"),
    "sent to a generator": (_tool("g.send(_C)\nreturn {}", "_C = {}", "g: object"), "_C is passed to g.send"),
    "chain map": (
        _tool("c = collections.ChainMap(_C)\nc['n'] = 1\nreturn {}", "import collections\n_C = {}"),
        "_C is passed to collections.ChainMap",
    ),
    "insort": (_tool("bisect.insort(_L, 3)\nreturn {}", "import bisect\n_L = []"), "_L is passed to bisect.insort"),
    "partial": (
        _tool("f = functools.partial(dict.update, _C)\nf(n=1)\nreturn {}", "import functools\n_C = {}"),
        "_C is passed to functools.partial",
    ),
    "folded into": (
        _tool("functools.reduce(lambda a, x: a.update(n=x), [1], _C)\nreturn {}", "import functools\n_C = {}"),
        "_C is changed by .update()",
    ),
    "accumulated into": (
        _tool(
            "list(itertools.accumulate([1], lambda a, x: a.update(n=x), initial=_C))\nreturn {}",
            "import itertools\n_C = {}",
        ),
        "_C is changed by .update()",
    ),
    "carried by an error": (
        _tool(
            "try:\n    raise ToolError('x', _C)\nexcept ToolError as e:\n    e.message['n'] = 1\nreturn {}", "_C = {}"
        ),
        "_C is changed",
    ),
    "carried by another error": (_tool("raise ValueError(_C)", "_C = {}"), "_C is passed to ValueError"),
    "a builtin's name": (
        _tool("return {'n': len(_C)}", "_C = {}\ndef _put(c):\n    c['n'] = 1\nlen = _put"),
        "_C is passed to len",
    ),
    "a builtin's name inside": (
        _tool("def f(len):\n    len(_C)\nf(dict.clear)\nreturn {}", "_C = {}"),
        "_C is passed to len",
    ),
    "a helper's name inside": (
        _tool("def f(_read):\n    _read(_C)\nf(dict.clear)\nreturn {}", "_C = {}\ndef _read(c):\n    return len(c)"),
        "_C is passed to _read",
    ),
    "one of two inner functions": (
        _tool(
            "if world:\n    def f(a):\n        a.clear()\nelse:\n    def f(b):\n        pass\nf(_C)\nreturn {}",
            "_C = {}",
        ),
        "_C is passed to f",
    ),
    "hidden helper": (
        _tool("_H['a']()\nreturn {}", "_C = {}\ndef _f():\n    _C.clear()\n_H = {'a': _f}\ndef _f():\n    pass"),
        "_f is defined twice",
    ),
    "one of two helpers": (
        _tool("_f(_C)\nreturn {}", "_C = {}\ndef _f(a):\n    return a\n_f = dict.clear"),
        "_C is passed to _f",
    ),
    "callback of json": (
        _tool("json.dumps(_S, default=lambda o: o.clear())\nreturn {}", "_S = {'a': {1}}"),
        "_S is changed by .clear()",
    ),
    "callback of json, unknown": (
        _tool("json.dumps(_S, default=f)\nreturn {}", "_S = {'a': {1}}", "f: object"),
        "_S is",
    ),
    "decorator inside": (
        _tool("@_L.append\ndef f():\n    pass\nreturn {}", "_L = []"),
        "its method append is handed on",
    ),
    "annotation inside": (_tool("def f(x: _L.append(1)):\n    pass\nreturn {}", "_L = []"), "_L is changed by .append"),
    "default that counts": (_tool("seen.append(1)\nreturn {'n': len(seen)}", "", "seen: list = []"), "seen is changed"),
    "default that caches": (
        _tool("_one(1)\nreturn {}", "def _one(k, cache={}):\n    cache[k] = 1\n    return cache[k]"),
        "the default of _one's cache is changed",
    ),
    "default by keyword": (
        _tool("_one(1)\nreturn {}", "def _one(k, *, cache={}):\n    cache[k] = 1"),
        "cache is changed",
    ),
    "default that is handed out": (
        _tool("_box()['n'] = 1\nreturn {}", "def _box(box={}):\n    return box"),
        "the default of _box's box is changed",
    ),
    "default that is a global": (
        _tool("_one()\nreturn {}", "_C = {}\ndef _one(c=_C):\n    c['n'] = 1"),
        "_C is changed",
    ),
    "default iterator": (
        _tool("return {'n': next(n)}", "import itertools", "n: object = itertools.count()"),
        "an iterator",
    ),
    "default of a lambda": (
        _tool("return {'n': _F()}", "_F = lambda c={}: c.setdefault('n', 1)"),
        "is changed by .set",
    ),
    "default of a lambda in a table": (
        _tool("return {'n': _F['a']()}", "_F = {'a': lambda c={}: c.setdefault('n', 1)}"),
        "c is changed by .setdefault()",
    ),
    "lambda in a table": (_tool("_F['a']()\nreturn {}", "_C = {}\n_F = {'a': lambda: _C.clear()}"), "_C is changed by"),
    "lambda in a default": (_tool("f()\nreturn {}", "_C = {}", "f: object = lambda: _C.clear()"), "_C is changed by"),
    "count": (_tool("return {'n': next(_N)}", "import itertools\n_N = itertools.count()"), "_N is itertools.count()"),
    "iter": (_tool("return {'n': next(_N)}", "_N = iter([1, 2])"), "_N is iter([1, 2])"),
    "generator": (_tool("return {'n': next(_N)}", "_N = (n for n in [1, 2])"), "_N is "),
    "generator function": (_tool("return {'n': next(_N)}", "def _f():\n    yield 1\n_N = _f()"), "_N is _f()"),
    "map at module level": (_tool("return {'n': list(_N)}", "_N = map(str, [1, 2])"), "_N is map"),
    "iterator in a dict": (_tool("return {'n': next(_N['a'])}", "_N = {'a': iter([1])}"), "_N is "),
    "closure": (
        _tool(
            "return {'n': _N()}",
            "def _make():\n    c = [0]\n    def f():\n        c[0] += 1\n    return f\n_N = _make()",
        ),
        "_N is _make()",
    ),
    "default dict": (
        _tool("return {'n': _N['x']}", "import collections\n_N = collections.defaultdict(int)"),
        "_N is collections.defaultdict",
    ),
    "module loop": (_tool("return {}", "_C = {}\nfor k in 'ab':\n    _C[k] = 1"), "For at module level"),
    "module call": (_tool("return {}", "_C = []\n_C.append(1)"), "Expr at module level"),
    "module attribute": (_tool("return {}", "json.x = 1"), "json.x"),
    "class": (_tool("return {}", "class A:\n    seen = []"), "class A"),
    "decorator": (_tool("return {}", "def _d(f):\n    return f\n@_d\ndef _g():\n    return 1"), "_g has a decorator"),
    "cache": (_tool("return {}", "import functools\n@functools.cache\ndef _g():\n    return 1"), "functools.cache"),
    "lru cache": (
        _tool("return {}", "from functools import lru_cache\n@lru_cache\ndef _g():\n    return 1"),
        "lru_cache",
    ),
    "cache inside": (_tool("f = functools.cache(len)\nreturn {}", "import functools"), "functools.cache"),
    "cached property": (_tool("return {}", "from functools import cached_property"), "cached_property"),
    "function attribute": (_tool("tool.calls = 1\nreturn {}"), "tool.calls is set"),
    "function attribute counted": (_tool("tool.calls += 1\nreturn {}"), "tool.calls is set"),
    "attribute deleted": (_tool("del tool.calls\nreturn {}"), "tool.calls is set"),
    "monkeypatched World": (_tool("World.query = None\nreturn {}"), "World.query is set"),
    "monkeypatched world": (_tool("world.query = None\nreturn {}"), "world.query is set"),
    "monkeypatched type": (_tool("type(world).query = None\nreturn {}"), "is set"),
    "monkeypatched ToolError": (_tool("ToolError.code = 'x'\nreturn {}"), "ToolError.code is set"),
    "patched module": (_tool("json.dumps = None\nreturn {}"), "json.dumps is set"),
    "patched module alias": (_tool("j = json\nj.dumps = None\nreturn {}"), "the module json is used as a value"),
    "module in a module": (_tool("statistics.sys.modules['x'] = 1\nreturn {}", "import statistics"), "statistics.sys"),
    "module from a module": (_tool("sys.modules['x'] = 1\nreturn {}", "from statistics import sys"), "statistics.sys"),
    "private of a module": (_tool("re._cache.clear()\nreturn {}"), "access to _cache"),
    "list of a module": (_tool("math.foo.append(1)\nreturn {}", "import math"), "math.foo"),
    "decimal context": (
        _tool("decimal.getcontext().prec = 3\nreturn {}", "import decimal"),
        "decimal.getcontext keeps",
    ),
    "decimal setcontext": (
        _tool("setcontext(None)\nreturn {}", "from decimal import setcontext"),
        "decimal.setcontext",
    ),
    "random": (_tool("return {'n': random.random()}", "import random"), "import random"),
    "os": (_tool("return {}", "from os import environ"), "import from os"),
    "star": (_tool("return {}", "from math import *"), "import * from math"),
    "setattr": (_tool("setattr(tool, 'n', 1)\nreturn {}"), "setattr reaches"),
    "getattr": (_tool("getattr(tool, '__dict__')['n'] = 1\nreturn {}"), "getattr reaches"),
    "globals": (_tool("globals()['n'] = 1\nreturn {}"), "globals reaches"),
    "exec": (_tool("exec('x = 1')\nreturn {}"), "exec reaches"),
    "keyword defaults": (_tool("tool.__kwdefaults__['a'] = 1\nreturn {}"), "access to __kwdefaults__"),
    "function dictionary": (_tool("tool.__dict__['n'] = 1\nreturn {}"), "access to __dict__"),
    "function globals": (_tool("tool.__globals__['n'] = 1\nreturn {}"), "access to __globals__"),
    "builtins": (_tool("__builtins__['n'] = 1\nreturn {}"), "__builtins__ reaches"),
    "frame": (_tool("g = (n for n in [1])\ng.gi_frame.f_globals['n'] = 1\nreturn {}"), "access to gi_frame"),
    "field of a format": (
        _tool("o = string.Formatter().get_field('0.__globals__', (tool,), {})\nreturn {}", "import string"),
        "string.Formatter",
    ),
    "evaluated hints": (_tool("typing.get_type_hints(tool)\nreturn {}", "import typing"), "typing.get_type_hints"),
    "registered overload": (_tool("typing.overload(tool)\nreturn {}", "import typing"), "typing.overload"),
    "updated function": (
        _tool("functools.update_wrapper(tool, tool)\nreturn {}", "import functools"),
        "functools.update_wrapper",
    ),
    "private of the World": (_tool("world._plan.ids.clear()\nreturn {}"), "access to _plan"),
    "host's part of the World": (_tool("world.reset(1)\nreturn {}"), "world.reset is no part"),
    "syntax": ("def tool(:\n", "invalid syntax"),
    "null byte": ("x = 1\0", "null bytes"),
}


@pytest.mark.parametrize("method", sorted(MUTATORS))
def test_every_method_that_changes_a_container_is_found(method: str) -> None:
    found = findings(_tool(f"_C.{method}(1)\nreturn {{}}", "_C = {}"))
    assert found == [f"line 7: _C is changed by .{method}()"]


def test_no_method_of_a_container_is_unknown() -> None:
    """What a new Python adds to list, dict … must be looked at: does it change its container?"""
    kinds = (list, dict, set, collections.deque, collections.Counter, collections.OrderedDict)
    reading = {"copy", "count", "difference", "elements", "fromkeys", "get", "index", "intersection", "isdisjoint"}
    reading |= {"issubset", "issuperset", "items", "keys", "maxlen", "most_common", "symmetric_difference", "total"}
    reading |= {"union", "values"}
    assert {name for kind in kinds for name in dir(kind) if not name.startswith("_")} - reading == MUTATORS


@pytest.mark.parametrize(("source", "word"), STATEFUL.values(), ids=STATEFUL.keys())
def test_state_is_found_with_its_line(source: str, word: str) -> None:
    found = findings(source)
    assert any(word in one for one in found), found
    assert all(one.startswith("line ") and ": " in one for one in found)


def test_the_line_is_the_one_of_the_change() -> None:
    assert findings("_C = {}\n\n\ndef tool(world):\n    _C['a'] = 1\n") == [
        "line 5: _C is changed: a part of it is assigned or deleted"
    ]


STATELESS: dict[str, str] = {
    "constants": _tool("return {'n': _N + len(_T)}", "_N = 3\n_T = 'abc'\n_U: int = 4\n_V: int"),
    "lookup": _tool("return {'n': _C['a'] if 'a' in _C else _C.get('b', 0)}", "_C = {'a': 1}"),
    "lookup of a row": _tool("return {'n': _C['a']['b'][0]}", "_C = {'a': {'b': [1]}}"),
    "loop": _tool("n = 0\nfor k, v in _C.items():\n    n += v\n    k += 'x'\nreturn {'n': n}", "_C = {'a': 1}"),
    "loop over rows": _tool("return {'r': [{**r, 'x': 1} for r in _R if r['a']]}", "_R = [{'a': 1}]"),
    "copy and change": _tool("c = dict(_C)\nc['a'] = 2\nd = _C.copy()\nd.update(c)\nreturn d", "_C = {'a': 1}"),
    "list and change": _tool("x = list(_L)\nx.append(4)\nx += [5]\nreturn {'x': x}", "_L = [1, 2]"),
    "merge": _tool("c = _C | {'b': 2}\nc['d'] = 4\nreturn c", "_C = {'a': 1}"),
    "sorted": _tool("x = sorted(_L)\nx.sort(key=len)\nreturn {'x': x}", "_L = ['b', 'a']"),
    "sorted by key": _tool("return {'x': sorted(_C.items(), key=lambda i: i[1])}", "_C = {'a': 1}"),
    "text": _tool("return {'x': ', '.join(_L) + f'{_C}' + str(_L)}", "_L = ['a']\n_C = {}"),
    "translate": _tool("return {'x': 'abc'.translate(_T)}", "_T = str.maketrans({'a': 'b'})"),
    "given back": _tool("return {'x': _L, 'y': _C}", "_L = ['a']\n_C = {}"),
    "helper that reads": _tool("return {'x': _of(_C, 'a')}", "_C = {'a': 1}\ndef _of(c, k):\n    return c.get(k)"),
    "helper with its own": _tool(
        "x = _make()\nx['a'] = 1\nreturn x", "def _make():\n    box = {}\n    box['b'] = 2\n    return box"
    ),
    "helper that fills": _tool("x = []\n_fill(x)\nreturn {'x': x}", "def _fill(x):\n    x.append(1)"),
    "sql parameters": _tool("return {'r': world.query('SELECT 1', _P)}", "_P = [1, 2]"),
    "regular expression": _tool("return {'x': bool(_R.fullmatch('a'))}", "_R = re.compile('a', re.ASCII)"),
    "regular expressions": _tool(
        "for p in _R:\n    if p.search('a'):\n        return {}\nreturn {'x': re.sub('a', 'b', 'c')}",
        "_R = [re.compile('a')]",
    ),
    "regular expressions in rules": _tool(
        "return {'x': [k for k, r in _R.items() if r['p'].match('a')]}", "_R = {'a': {'p': re.compile('a')}}"
    ),
    "error from a table": _tool("raise ToolError('x', _M['x'], ', '.join(_L))", "_M = {'x': 'y'}\n_L = ['a']"),
    "error that is told": _tool(
        "try:\n    _check()\nexcept ToolError as error:\n    return {'e': error.message, 'h': error.hint.strip()}",
        "_M = {'x': {'text': 'y'}}\ndef _check():\n    raise ToolError('x', _M['x']['text'], ', '.join(_M))",
    ),
    "json of a table": _tool("return {'x': json.dumps(_S, default=str, indent=2, sort_keys=True)}", "_S = {'a': [1]}"),
    "local list": _tool("x = []\nx.append(1)\nx += [2]\nx.sort()\ndel x[0]\nreturn {'x': x}"),
    "parameter changed": _tool("given['a'] = 1\nreturn given", "", "given: dict"),
    "row changed": _tool("r = world.query('SELECT 1')[0]\nr['x'] = 2\nr.pop('y', None)\nreturn r"),
    "inner function": _tool("x = []\ndef add(n):\n    x.append(n)\nadd(1)\nreturn {'x': x}"),
    "counter inside": _tool("n = itertools.count()\nreturn {'n': next(n)}", "import itertools"),
    "defaultdict inside": _tool(
        "d = defaultdict(list)\nd['a'].append(1)\nreturn dict(d)", "from collections import defaultdict"
    ),
    "frozen default": _tool("return {'n': n, 's': s}", "", "n: int = 1, s: str | None = None, t: tuple = (1, 2)"),
    "default that is read": _tool("return {'n': len(known)}", "", "known: list = []"),
    "default from a constant": _tool("return {'n': n}", "_N = 4", "n: int = _N"),
    "shadowed by a parameter": _tool("items.append(1)\nreturn {'x': items}", "items = []", "items: list"),
    "shadowed by a local": _tool("_C = {}\n_C['a'] = 1\nreturn _C", "_C = {}"),
    "dispatch": _tool("return _H[kind](world)", "def _a(world):\n    return {'a': 1}\n_H = {'a': _a}", "kind: str"),
    "lambda table": _tool("return {'x': _S[kind](3)}", "_S = {'up': lambda n: n + 1}", "kind: str"),
    "dates": _tool(
        "d = datetime.datetime.strptime(world.now(), _F).replace(tzinfo=datetime.UTC)\nreturn {'d': d.isoformat()}",
        "import datetime\n_F = '%Y'\n_DAY = datetime.timedelta(days=1)",
    ),
    "decimals": _tool(
        "return {'x': str(Decimal('1.5').quantize(_CENT, rounding=ROUND_HALF_UP))}",
        "from decimal import ROUND_HALF_UP, Decimal\n_CENT = Decimal('0.01')",
    ),
    "statistics": _tool("return {'x': statistics.mean(_L), 'y': math.pi}", "import math\nimport statistics\n_L = [1]"),
    "comprehension at module level": _tool("return {'n': _C['a']}", "_C = {k: n for n, k in enumerate('abc')}"),
    "iterators used up on the spot": _tool(
        "return {'n': _C['a'] + _S['a'], 'm': 1 in _T}",
        "_C = dict(zip('ab', (1, 2)))\n_T = tuple(n for n in range(3))\n_S = {k: v for k, v in _C.items()}",
    ),
    "set of a list": _tool("return {'n': 'a' in _S}", "_L = ['a', 'b']\n_S = frozenset(_L)\n_T = tuple(sorted(_L))"),
    "split text": _tool("return {'n': _W}", "_W = 'a b c'.split()"),
    "sum of tuples": _tool("return {'n': _W[1:]}", "_A = (1, 2)\n_W = _A + (3,)"),
    "alias of a type": _tool("return {}", "Row = dict[str, object]\nfrom typing import Any\nRows = list[Any]"),
    "ancestors": _tool("return {'x': isinstance(x, Mapping)}", "from collections.abc import Mapping", "x: object"),
    "dotted ancestors": _tool(
        "return {'x': isinstance(x, collections.abc.Mapping)}", "import collections.abc", "x: object"
    ),
    "named tuple": _tool(
        "p = _P(1, 2)._replace(a=3)\nreturn p._asdict()",
        "from collections import namedtuple\n_P = namedtuple('_P', 'a b')",
    ),
    "json": _tool("x = json.loads(given)\nx['a'] = 1\nreturn {'x': json.dumps(x)}", "", "given: str"),
    "json at module level": _tool("return {'x': _D['a']}", "_D = json.loads('{\"a\": 1}')"),
    "match": _tool("match given:\n    case {'a': x}:\n        return {'x': x}\nreturn {}", "", "given: dict"),
    "try": _tool(
        "try:\n    n = int(given)\nexcept ValueError as error:\n    raise ToolError('x', str(error)) from error\n"
        "return {'n': n}",
        "",
        "given: str",
    ),
}


@pytest.mark.parametrize("source", STATELESS.values(), ids=STATELESS.keys())
def test_what_keeps_nothing_passes(source: str) -> None:
    assert findings(source) == []


def test_the_library_passes() -> None:
    assert findings(LIBRARY.read_text(encoding="utf-8")) == []


def test_nesting_without_end_is_a_finding() -> None:
    assert findings(_tool("return {'x': " + "-" * 20_000 + "1}")) != []
