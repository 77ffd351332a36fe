"""Attacks that take too much: time, memory, output, stack; and those that end or stop the worker."""

from __future__ import annotations

from textwrap import dedent

from .attack import Attack, escaped, plain

_ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) AS m FROM t"

PLAIN = (
    plain("endless_loop", "host", "while True:\n    pass", ends="killed", says="over its time"),
    plain(
        "endless_loop_that_catches_everything",
        "host",
        """
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
        """,
        ends="killed",
        says="over its time",
    ),
    plain(
        "endless_regular_expression",
        "host",
        "import re\nre.match('(a+)+$', 'a' * 60 + 'b')\nreturn {}",
        ends="killed",
        says="over its time",
    ),
    plain("endless_integer", "host", "return {'x': 7 ** (10 ** 9) % 3}", ends="killed"),
    plain(
        "endless_sum_in_c",
        "host",
        "import itertools\nreturn {'x': sum(itertools.repeat(1))}",
        ends="killed",
        says="over its time",
    ),
    plain(
        "endless_sql",
        "engine",
        f"return world.query('{_ENDLESS}')[0]",
        says="nterrupt",
    ),
    plain(
        "endless_sql_again_and_again",
        "engine",
        f"""
        while True:
            try:
                world.query('{_ENDLESS}')
            except Exception:
                pass
        """,
        ends="killed",
        says="over its time",
    ),
    plain("memory_at_once", "limits", "return {'x': len('a' * 10**10)}", says="MemoryError"),
    plain(
        "memory_bit_by_bit",
        "limits",
        "held = []\nwhile True:\n    held.append('a' * (8 << 20))",
        says="MemoryError",
    ),
    plain(
        "memory_of_small_objects",
        "limits",
        "held = []\nwhile True:\n    held.extend([[]] * (1 << 18))",
        says="MemoryError",
    ),
    plain(
        "memory_in_sql_blob",
        "engine",
        """
        world.query('SELECT length(zeroblob(999999999)) AS n')
        return {'x': world.query('SELECT hex(zeroblob(900000000)) AS n')}
        """,
    ),
    plain(
        "memory_in_sql_rows",
        "limits",
        "return {'x': world.query(\"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) \"\n"
        "    \"SELECT printf('%.*c', 1000000, 'x') || n AS text FROM t\")}",
    ),
    plain(
        "memory_by_inserts",
        "engine",
        """
        n = 0
        while True:
            n += 1
            world.put_document(f'big/{n}', 'x' * 4_000_000)
        """,
    ),
    plain("deep_recursion", "limits", "def f():\n    return f()\nreturn {'x': f()}", says="RecursionError"),
    plain(
        "deep_json",
        "limits",
        "import json\nreturn {'x': json.loads('[' * 1_000_000)}",
        says="RecursionError",
    ),
    plain("deep_result", "host", "held = []\nfor _ in range(100_000):\n    held = [held]\nreturn {'x': held}"),
    plain("result_within_itself", "host", "held = {}\nheld['x'] = held\nreturn held"),
    plain("giant_output", "host", "return {'x': 'a' * 30_000}", says="30"),
    plain("giant_output_of_many_keys", "host", "return {str(n): n for n in range(100_000)}", says="limit"),
    plain("giant_number", "host", "return {'x': 10 ** 100_000}"),
    plain("no_dict", "host", "return [1]", says="returns a dict"),
    plain("not_json", "host", "return {'x': float('nan')}"),
    plain("lone_surrogate", "host", "return {'x': chr(0xD800)}"),
    plain("object_in_result", "host", "return {'x': world}"),
    plain("system_exit", "host", "raise SystemExit(0)", says="SystemExit"),
    plain("keyboard_interrupt", "host", "raise KeyboardInterrupt", says="KeyboardInterrupt"),
    plain("generator_exit", "host", "raise GeneratorExit", says="GeneratorExit"),
    plain(
        "error_that_cannot_be_shown",
        "host",
        """
        class Odd(Exception):
            def __str__(self):
                raise SystemExit(1)
        raise Odd
        """,
    ),
    plain(
        "error_that_takes_for_ever",
        "host",
        """
        class Odd(Exception):
            def __str__(self):
                while True:
                    pass
        raise Odd
        """,
        ends="killed",
        says="over its time",
    ),
    plain("giant_error", "host", "raise ValueError('x' * 50_000_000)", says="ValueError"),
    plain(
        "giant_tool_error",
        "host",
        "from envforge.world.api import ToolError\nraise ToolError('conflict', 'x' * 50_000_000, 'y' * 50_000_000)",
    ),
    plain(
        "odd_tool_error",
        "host",
        """
        from envforge.world.api import ToolError
        error = ToolError('conflict', 'x')
        error.code, error.message, error.hint = {'a': world}, None, [object()]
        raise error
        """,
    ),
    plain(
        "tool_error_without_parts",
        "host",
        """
        from envforge.world.api import ToolError
        error = ToolError('conflict', 'x')
        del error.code, error.message
        raise error
        """,
    ),
)


def _costs(name: str, body: str, *, says: str = "") -> Attack:
    return escaped(name, "host", body, ends=("killed",), bite="", says=says)


ESCAPED = (
    escaped(
        "memory_past_python",
        "limits",
        """
        k.libc.malloc.restype = k.ct.c_void_p
        k.libc.malloc.argtypes = [k.ct.c_size_t]
        k.attempt("malloc", lambda: k.libc.malloc(3 << 30))
        k.libc.mmap.restype = k.ct.c_void_p
        k.libc.mmap.argtypes = [k.ct.c_void_p, k.ct.c_size_t] + [k.ct.c_int] * 3 + [k.ct.c_long]
        for name, flags in {"private": 0x22, "shared": 0x21, "huge": 0x40022, "no reserve": 0x4022}.items():
            k.attempt(name, lambda: k.libc.mmap(None, 3 << 30, 3, flags, -1, 0) not in (None, (1 << 64) - 1))
        """,
    ),
    escaped(
        "zip_bomb",
        "limits",
        """
        # A fully flushed part of a raw stream can be repeated: 400 MB in 0.4 MB.
        zlib = k.load("zlib")
        squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
        part = squeeze.compress(bytes(1 << 25)) + squeeze.flush(zlib.Z_FULL_FLUSH)
        k.attempt("decompress", lambda: len(zlib.decompress(part * 12 + b"\\x03\\x00", -15)))
        """,
    ),
    _costs("exit_at_once", "k.os._exit(3)", says="ended"),
    _costs("close_everything", "k.os.closerange(0, 1024)"),
    _costs(
        "wait_for_ever",
        """
        lock = k.load("_thread").allocate_lock()
        lock.acquire()
        lock.acquire()
        """,
        says="over its time",
    ),
    _costs(
        "ignore_signals_and_loop",
        """
        for number in range(1, 65):
            try:
                k.load("_signal").signal(number, k.load("_signal").SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
        """,
        says="over its time",
    ),
    _costs(
        "stop_itself",
        """
        k.attempt("stop", lambda: k.os.kill(k.os.getpid(), 19))
        while True:
            pass
        """,
        says="over its time",
    ),
    _costs("crash", "k.ct.string_at(1)", says="SIGSEGV"),
    _costs(
        "crash_by_bytecode",
        """
        def f():
            pass
        f.__code__ = f.__code__.replace(co_code=bytes([100, 255, 83, 0]) * 4, co_consts=(), co_stacksize=1)
        f()
        """,
    ),
    _costs(
        "crash_by_recursion_in_c",
        """
        k.sys.setrecursionlimit(2**31 - 1)
        held = []
        for _ in range(3_000_000):
            held = [held]
        repr(held)
        """,
    ),
    escaped(
        "marshal_gadget",
        "processes",
        """
        def fork():
            text = "__import__('posix').fork()"
            marshal = k.load("marshal")
            code = marshal.loads(marshal.dumps(k.builtins.compile(text, "x", "eval")))
            pid = k.builtins.eval(code, {"__builtins__": k.builtins})
            if pid == 0:
                k.os._exit(0)
            return pid

        k.attempt("fork", fork)
        """,
    ),
    escaped(
        "pickle_gadgets",
        "processes",
        """
        def load(stream):
            value = k.load("_pickle").loads(stream)
            if value == 0:
                k.os._exit(0)
            return value != -1 and repr(value)

        k.attempt("fork", lambda: load(b"cposix\\nfork\\n(tR."))
        k.attempt("open", lambda: load(b"c_io\\nopen\\n(S'/etc/passwd'\\ntR."))
        k.attempt("system", lambda: load(b"cposix\\nsystem\\n(S'exit 42'\\ntR."))
        """,
    ),
)


LATER = tuple(
    Attack(name, dedent(body).strip("\n"), "host", ("contained", "refused"), escaped=True, lasting=True)
    for name, body in {
        "alarm_left_behind": """
            signal = k.load("_signal")
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            """,
        "handler_left_behind": """
            signal = k.load("_signal")

            def forever(*_):
                while True:
                    pass

            signal.signal(signal.SIGALRM, forever)
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
            """,
        "tracer_left_behind": """
            def trace(frame, event, argument):
                raise SystemExit("traced")

            k.sys.settrace(trace)
            k.sys.setprofile(trace)
            """,
        "finalizer_left_behind": """
            class Bomb:
                def __del__(self):
                    again = Bomb()
                    k.sys.modules["builtins"].bombs = [again]
                    raise SystemExit("late")

            Bomb()
            k.load("gc").callbacks.append(lambda *_: Bomb())
            """,
        "exit_handler_left_behind": """
            k.load("atexit").register(lambda: k.load("time").sleep(99))
            """,
        "no_recursion_left": """
            k.sys.setrecursionlimit(60)
            """,
        "no_collector_left": """
            k.load("gc").disable()
            k.load("gc").set_threshold(1)
            """,
    }.items()
)
