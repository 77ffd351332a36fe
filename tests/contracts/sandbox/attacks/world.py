"""Attacks on the World itself: its SQL, its transaction, its own objects and those of the worker."""

from __future__ import annotations

from textwrap import dedent

from .attack import Attack, Ending, escaped, plain

_ATTACHED = "world.execute(\"ATTACH ':memory:' AS x\")\nreturn {}"
_IN_ROLLBACK = """
    world.execute('DELETE FROM loans')
    try:
        world.execute("INSERT OR ROLLBACK INTO books VALUES (101, '', '', NULL, 1, NULL)")
    except Exception:
        pass
    world.execute('DELETE FROM loans')
    return {}
    """

SQL = (
    plain("sql_attach", "engine", _ATTACHED),
    plain("sql_attach_file", "engine", "world.execute(\"ATTACH '/etc/passwd' AS x\")\nreturn {}"),
    plain("sql_pragma", "engine", "world.query('PRAGMA foreign_keys = off')\nreturn {}"),
    plain("sql_writable_schema", "engine", "world.query('PRAGMA writable_schema = on')\nreturn {}"),
    plain("sql_commit", "engine", "world.execute('COMMIT')\nreturn {}"),
    plain("sql_savepoint", "engine", "world.execute('SAVEPOINT x')\nreturn {}"),
    plain("sql_second_statement", "engine", "world.execute('DELETE FROM loans; COMMIT')\nreturn {}"),
    plain("sql_rollback_by_conflict", "engine", _IN_ROLLBACK),
    plain("sql_create", "engine", "world.execute('CREATE TABLE x (a)')\nreturn {}"),
    plain(
        "sql_temporary_trigger",
        "engine",
        "world.execute('CREATE TEMP TRIGGER t AFTER DELETE ON loans BEGIN SELECT 1; END')\nreturn {}",
    ),
    plain("sql_drop", "engine", "world.execute('DROP TABLE loans')\nreturn {}"),
    plain("sql_vacuum_into", "engine", "world.execute(\"VACUUM INTO '/tmp/envforge-attack'\")\nreturn {}"),
    plain("sql_random", "engine", "return world.query('SELECT random() AS r')[0]"),
    plain("sql_load_extension", "engine", "return world.query(\"SELECT load_extension('x') AS r\")[0]"),
    plain("sql_read_file", "engine", "return world.query(\"SELECT readfile('/etc/passwd') AS r\")[0]"),
    plain("sql_write_file", "engine", "return world.query(\"SELECT writefile('/tmp/x', 'y') AS r\")[0]"),
    plain("sql_documents_table", "engine", "return {'x': world.query('SELECT * FROM envforge_documents')}"),
    plain("sql_schema_table", "engine", 'world.execute("DELETE FROM sqlite_schema")\nreturn {}'),
    plain("sql_write_in_query", "engine", "world.query('DELETE FROM loans RETURNING id')\nreturn {}"),
    plain("run_exec", "python", "exec('x = 1')\nreturn {}", says="NameError"),
    plain("run_eval", "python", "return {'x': eval('1')}", says="NameError"),
    plain(
        "add_audit_hook",
        "python",
        """
        import statistics
        seen = []
        statistics.sys.addaudithook(lambda event, arguments: seen.append(event))
        statistics.sys.audit("attack")
        return {"got": seen}
        """,
        ends="contained",
    ),
    plain("set_trace", "python", "import statistics\nstatistics.sys.settrace(print)\nreturn {}", says="not allowed"),
    plain(
        "marshal_through_modules",
        "python",
        """
        import statistics
        return {'x': statistics.sys.modules['marshal'].loads(b'N')}
        """,
        says="not allowed",
    ),
)


def _own(name: str, body: str, *ends: Ending) -> Attack:
    """It may spoil its own instance, which is its own loss."""
    return Attack(name, dedent(body).strip("\n"), "host", ends, lasting=True)


OWN_INSTANCE = (
    _own("close_the_world", "world.close()\nreturn {}", "refused", "contained", "killed"),
    _own("reset_the_world", "world.reset(5)\nreturn {}", "refused", "contained"),
    _own("restore_nonsense", "world.restore(None)\nreturn {}", "refused"),
    _own(
        "call_in_a_call",
        "world.execute('DELETE FROM loans')\n"
        "world._in_call = False\nreturn world.run(lambda w: w.execute('DELETE FROM fines') and {}, {})",
        "refused",
        "contained",
    ),
    _own(
        "own_guard",
        """
        for name, value in list(world.__dict__.items()) + list(world._engine.__dict__.items()):
            if hasattr(value, '_open'):
                value._open = 1
        world.execute('COMMIT')
        world.execute('DROP TABLE loans')
        return {}
        """,
        "refused",
        "contained",
    ),
    _own(
        "patch_the_world",
        """
        kind = type(world)
        for name in ('changeset', 'state', 'reset', 'restore', 'run', 'now', 'fork'):
            setattr(kind, name, lambda *a, **b: {'forged': name})
        return {}
        """,
        "contained",
        "killed",
        "refused",
    ),
    _own(
        "patch_json",
        """
        import json
        json.dumps = lambda *a, **b: '{"forged": 1}'
        json.loads = lambda *a, **b: {'forged': 1}
        json.encoder.JSONEncoder.default = None
        return {'x': 1}
        """,
        "contained",
        "killed",
        "refused",
    ),
    _own(
        "patch_the_error",
        """
        from envforge.world.api import ToolError
        ToolError.__init__ = lambda self, *a: None
        ToolError.code = ToolError.message = ToolError.hint = property(lambda self: 1 // 0)
        raise ToolError('x')
        """,
        "refused",
        "killed",
    ),
    _own(
        "patch_the_builtins",
        """
        import statistics
        names = statistics.sys.modules['builtins'].__dict__
        for name in ('len', 'isinstance', 'str', 'dict', 'getattr', 'memoryview', 'int', 'open', 'print'):
            names[name] = lambda *a, **b: 0
        return {}
        """,
        "contained",
        "killed",
        "refused",
    ),
)

ESCAPED = (
    Attack(
        "sql_without_guard",
        dedent("""
            held = [one for one in k.load("gc").get_objects() if type(one).__name__ == "Connection"]
            k.attempt("no connection to attack", lambda: not held)
            connection = held[0]
            for one in held:
                one.authorizer = None

            def run(text):
                return list(connection.execute(text)) or None

            k.attempt("attach", lambda: run("ATTACH '" + host["canary"] + "' AS c"))
            k.attempt("vacuum", lambda: run("VACUUM INTO '" + host["folder"] + "/copy.db'"))
            k.attempt("read attached", lambda: run("SELECT * FROM c.sqlite_schema"))
            k.attempt("allow extensions", lambda: connection.enable_load_extension(True))
            k.attempt("extension", lambda: connection.load_extension(host["canary"]))

            def other_database():
                type(connection)(host["folder"] + "/x.db").execute("CREATE TABLE x(a)")
                return "made"

            k.attempt("other database", other_database)
            """).strip("\n"),
        "files",
        ("contained",),
        escaped=True,
        lasting=True,
    ),
    Attack(
        "write_to_the_template",
        dedent("""
            gc = k.load("gc")
            engine = world._engine
            maps = [one for one in gc.get_objects() if type(one).__name__ == "mmap"]
            maps += [one for one in k.worker().__dict__.values() if type(one).__name__ == "mmap"]
            k.attempt("none found", lambda: not maps)
            k.libc.mprotect.argtypes = [k.ct.c_void_p, k.ct.c_size_t, k.ct.c_int]
            for number, one in enumerate(maps):
                k.attempt(f"item {number}", lambda: one.__setitem__(0, 1) or True)

                def writable():
                    # The mapping's address is the first field behind the object's head.
                    start = k.ct.c_void_p.from_address(k.builtins.id(one) + 16).value
                    if k.libc.mprotect(start, 4096, 3):
                        raise OSError(k.ct.get_errno(), "mprotect")
                    k.ct.memset(start, 0, 4096)
                    return "written"

                k.attempt(f"memory {number}", writable)
            """).strip("\n"),
        "host",
        ("contained", "killed"),
        escaped=True,
        lasting=True,
    ),
    escaped(
        "other_sessions",
        "host",
        """
        seen = k.worker().worlds
        k.attempt("more than one instance", lambda: len(seen) > 1 and list(seen))
        k.attempt("traces of a neighbour", lambda: [
            one for one in k.load("gc").get_objects() if type(one).__name__ == "LiveWorld" and one is not world
        ])
        lent = "SELECT id FROM loans WHERE book_id = 108 AND returned_at IS NULL"
        k.attempt("lent book of the neighbour", lambda: world.query(lent))
        """,
        bite="",
    ),
)
