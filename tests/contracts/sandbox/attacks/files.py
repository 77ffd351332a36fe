"""Attacks on the files of the host: reading, writing, links, devices, /proc, and what was left open."""

from __future__ import annotations

from .attack import escaped, plain

PLAIN = (
    plain("open_plain", "python", "return {'x': open('/etc/passwd').read()}", says="open"),
    plain("import_os", "python", "import os\nreturn {'x': os.getcwd()}", says="import of 'os'"),
    plain(
        "import_pathlib",
        "python",
        "from pathlib import Path\nreturn {'x': Path('/etc/passwd').read_text()}",
        says="import",
    ),
    plain("import_engine", "python", "from envforge.world.sandbox import lockdown\nreturn {}", says="import"),
    plain(
        "open_through_modules",
        "python",
        """
        import statistics
        return {'x': statistics.sys.modules['builtins'].open('/etc/passwd').read()}
        """,
        says="not allowed",
    ),
    plain(
        "os_through_modules",
        "python",
        """
        import statistics
        return {'x': statistics.sys.modules['os'].open('/etc/passwd', 0)}
        """,
        says="not allowed",
    ),
    plain(
        "open_through_a_loader",
        "python",
        """
        import statistics
        loader = statistics.sys.modules['statistics'].__loader__
        return {'x': loader.get_data(host['canary']).decode()}
        """,
        says="not allowed",
    ),
    plain(
        "open_through_subclasses",
        "python",
        """
        for kind in object.__subclasses__():
            names = getattr(getattr(kind, '__init__', None), '__globals__', {})
            if 'open_code' in names or 'FileIO' in names:
                found = names.get('FileIO') or names['open_code']
                return {'x': found(host['canary']).read().decode()}
        import statistics
        return {'x': statistics.sys.modules['io'].FileIO(host['canary']).read().decode()}
        """,
        says="not allowed",
    ),
    plain("document_path", "python", "world.put_document('../x', '')\nreturn {}", says="no path"),
)

ESCAPED = (
    escaped(
        "read_files",
        "files",
        """
        for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", host["canary"], host["checkout"]):
            k.attempt(path, lambda: k.os.read(k.os.open(path, k.os.O_RDONLY), 200))
            k.attempt("io " + path, lambda: k.load("io").open(path, "rb").read(200))
        """,
    ),
    escaped(
        "list_folders",
        "files",
        """
        for path in ("/", "/etc", "/root", "/home", "/tmp", "/usr", "/sys", host["folder"], ".."):
            k.attempt(path, lambda: k.os.listdir(path))
        """,
    ),
    escaped(
        "open_by_other_calls",
        "files",
        """
        path = host["canary"].encode()
        k.attempt("openat2", lambda: k.syscall("openat2", -100, path, bytes(24), 24))
        k.attempt("O_PATH", lambda: k.os.open(path, k.os.O_PATH) and k.os.open("/etc", k.os.O_PATH))
        k.attempt("open_tree", lambda: k.syscall("open_tree", -100, path, 0))
        k.attempt("name_to_handle_at", lambda: k.reached("name_to_handle_at", -100, path, 0, 0, 0))
        k.attempt("open_by_handle_at", lambda: k.reached("open_by_handle_at", -100, bytes(64), 0))
        """,
    ),
    escaped(
        "who_exists",
        "paths",
        """
        for path in ("/etc/passwd", host["canary"], host["checkout"], "/usr", "/proc/self"):
            k.attempt("stat " + path, lambda: k.os.stat(path).st_ino)
            k.attempt("access " + path, lambda: k.os.access(path, 0))
            k.attempt("chdir " + path, lambda: k.os.chdir(k.os.path.dirname(path) or "/") or len(k.os.getcwd()) > 1)
            k.attempt("readlink " + path, lambda: k.os.readlink("/proc/self/exe"))
        """,
    ),
    escaped(
        "write_outside",
        "files",
        """
        for place in (host["folder"], "/tmp", "/dev/shm", "/var/tmp", "/", ".", "/root", "/run"):
            path = place + "/envforge-attack"
            flags = k.os.O_CREAT | k.os.O_WRONLY
            k.attempt("create in " + place, lambda: [k.os.open(path, flags, 0o666)])
            k.attempt("mkdir in " + place, lambda: k.os.mkdir(path + "-d") is None)
            k.attempt("mknod in " + place, lambda: k.os.mknod(path + "-p", 0o010600) is None)
            k.attempt("O_TMPFILE in " + place, lambda: [k.os.open(place, k.os.O_TMPFILE | k.os.O_RDWR, 0o600)])
        k.attempt("append", lambda: k.os.write(k.os.open(host["canary"], k.os.O_WRONLY | k.os.O_APPEND), b"x"))
        """,
    ),
    escaped(
        "change_the_canary",
        "files",
        """
        path = host["canary"]
        k.attempt("truncate", lambda: k.os.truncate(path, 1) is None)
        k.attempt("chmod", lambda: k.os.chmod(path, 0o600) is None)
        k.attempt("chown", lambda: k.os.chown(path, 1, 1) is None)
        k.attempt("utime", lambda: k.os.utime(path, (1, 1)) is None)
        k.attempt("setxattr", lambda: k.os.setxattr(path, "user.attack", b"1") is None)
        k.attempt("rename", lambda: k.os.rename(path, path + "-moved") is None)
        k.attempt("unlink", lambda: k.os.unlink(path) is None)
        """,
    ),
    escaped(
        "links",
        "files",
        """
        path = host["canary"]
        for place in (host["folder"], "/tmp", "/", "."):
            link = place + "/envforge-link"
            k.attempt("symlink in " + place, lambda: k.os.symlink(path, link) is None)
            k.attempt("hard link in " + place, lambda: k.os.link(path, link + "-h") is None)
            k.attempt("read by link in " + place, lambda: k.os.read(k.os.open(link, 0), 99))
        k.attempt("given link", lambda: k.os.read(k.os.open(host["link"], 0), 99))
        k.attempt("up and down", lambda: k.os.read(k.os.open("../../../../../../../.." + path, 0), 99))
        """,
    ),
    escaped(
        "proc",
        "files",
        """
        for who in ("self", "1", "thread-self", str(host["pid"]), str(host["neighbour"])):
            for what in ("environ", "maps", "cmdline", "status"):
                path = f"/proc/{who}/{what}"
                k.attempt(path, lambda: k.os.read(k.os.open(path, 0), 4096))
            k.attempt(f"/proc/{who}/mem", lambda: [k.os.open(f"/proc/{who}/mem", k.os.O_RDWR)])
            k.attempt(f"/proc/{who}/root", lambda: k.os.listdir(f"/proc/{who}/root"))
            k.attempt(f"/proc/{who}/fd", lambda: k.os.listdir(f"/proc/{who}/fd"))
        """,
    ),
    escaped(
        "kernel_files",
        "files",
        """
        write = k.os.O_WRONLY
        for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
                     "/sys/kernel/uevent_helper", "/sys/power/state", "/proc/self/oom_score_adj",
                     "/proc/self/uid_map", "/sys/fs/cgroup/cgroup.procs"):
            k.attempt(path, lambda: [k.os.open(path, write)])
        """,
    ),
    escaped(
        "devices",
        "files",
        """
        for path in ("/dev/mem", "/dev/kmsg", "/dev/ptmx", "/dev/tty", "/dev/zero", "/dev/urandom", "/dev/fuse",
                     "/dev/net/tun", "/dev/kvm", "/dev/vda", "/dev/sda"):
            k.attempt(path, lambda: [k.os.open(path, k.os.O_RDWR)])
        k.attempt("make /dev/mem", lambda: k.os.mknod("/mem", 0o020666, (1 << 8) | 1) is None)
        k.attempt("make it outside", lambda: k.os.mknod(host["folder"] + "/mem", 0o020666, (1 << 8) | 1) is None)
        """,
    ),
    escaped(
        "what_was_left_open",
        "files",
        """
        for number, kind, device, inode in k.left_open:
            at = f"{kind} {number}"
            if kind in ("pipe", "socket"):
                k.attempt(at + " of no channel", lambda: number > 2 and len(k.channels()) > 2)
                continue
            k.attempt(at + " openat", lambda: [k.os.open("..", 0, dir_fd=number)])
            k.attempt(at + " read", lambda: kind != "device" and host["marker"] in str(k.os.pread(number, 9999, 0)))
            k.attempt(at + " write", lambda: kind != "device" and k.os.pwrite(number, b"x", 0))
            k.attempt(at + " truncate", lambda: kind != "device" and k.os.ftruncate(number, 0) is None)
            k.attempt(at + " fchmod", lambda: k.os.fchmod(number, 0o666) is None)
            k.attempt(at + " fchdir", lambda: k.os.fchdir(number) is None)
        """,
    ),
    escaped(
        "huge_file",
        "files",
        """
        def fill(path):
            number = k.os.open(path, k.os.O_CREAT | k.os.O_RDWR, 0o600)
            return sum(k.os.write(number, bytes(1 << 20)) for _ in range(64))

        for path in ("/big", "/tmp/envforge-big", "/dev/shm/envforge-big", host["folder"] + "/big"):
            k.attempt(path, lambda: fill(path))
        """,
    ),
)
