"""The attacker's kit: the way around the Python layer that pure Python always leaves, and bare system calls.

`SOURCE` is put before the hostile tools. What comes behind the Python layer must hold against it.
"""

from __future__ import annotations

import platform

_X86_64 = {
    "write": 1, "open": 2, "fstat": 5, "socket": 41, "connect": 42, "sendto": 44, "bind": 49, "listen": 50,
    "socketpair": 53,
    "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "semget": 64, "msgget": 68, "shmget": 29,
    "ptrace": 101, "syslog": 103, "setuid": 105, "setgid": 106, "capget": 125, "capset": 126, "personality": 135,
    "mknod": 133, "pivot_root": 155, "prctl": 157, "chroot": 161, "mount": 165, "umount2": 166, "swapon": 167,
    "reboot": 169, "sethostname": 170, "init_module": 175, "tkill": 200, "sched_setaffinity": 203, "tgkill": 234,
    "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "inotify_init1": 294,
    "unshare": 272, "move_pages": 279, "perf_event_open": 298, "fanotify_init": 300, "prlimit64": 302,
    "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "memfd_create": 319, "bpf": 321, "execveat": 322, "userfaultfd": 323, "pkey_mprotect": 329,
    "rt_sigqueueinfo": 129, "name_to_handle_at": 303, "setpriority": 141, "sched_setscheduler": 144,
    "modify_ldt": 154, "ioperm": 173, "quotactl": 179, "settimeofday": 164, "acct": 163, "vmsplice": 278,
}  # fmt: skip
_AARCH64 = {
    "write": 64, "fstat": 80, "socket": 198, "connect": 203, "sendto": 206, "bind": 200, "listen": 201,
    "socketpair": 199,
    "clone": 220, "execve": 221, "kill": 129, "semget": 190, "msgget": 186, "shmget": 194, "ptrace": 117,
    "syslog": 116, "setuid": 146, "setgid": 144, "capget": 90, "capset": 91, "personality": 92, "pivot_root": 41,
    "prctl": 167, "chroot": 51, "mount": 40, "umount2": 39, "swapon": 224, "reboot": 142, "sethostname": 161,
    "init_module": 105, "tkill": 130, "sched_setaffinity": 122, "tgkill": 131, "mq_open": 180, "kexec_load": 104,
    "add_key": 217, "request_key": 218, "keyctl": 219, "inotify_init1": 26, "unshare": 97, "move_pages": 239,
    "perf_event_open": 241, "fanotify_init": 262, "prlimit64": 261, "open_by_handle_at": 265, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "memfd_create": 279, "bpf": 280,
    "execveat": 281, "userfaultfd": 282, "pkey_mprotect": 288, "rt_sigqueueinfo": 138, "name_to_handle_at": 264,
    "setpriority": 140, "sched_setscheduler": 119, "quotactl": 60, "settimeofday": 170, "acct": 89, "vmsplice": 75,
}  # fmt: skip
_EVERYWHERE = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "open_tree": 428, "fsopen": 430, "pidfd_open": 434,
    "clone3": 435, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "memfd_secret": 447,
}  # fmt: skip
NUMBERS: dict[str, int] = {
    "x86_64": {**_X86_64, **_EVERYWHERE},
    "aarch64": {**_AARCH64, **_EVERYWHERE},
}.get(platform.machine(), {})
RETURN_42 = {"x86_64": "b82a000000c3", "aarch64": "40058052c0035fd6"}.get(platform.machine(), "")
"""Machine code of a function that returns 42."""

_MODE_AT = 16 if platform.machine() == "aarch64" else 24
"""Where `struct stat` keeps the kind of a file."""

_KIT = '''
class _Kit:
    """os, ctypes, libc, bare system calls; keeps what was achieved and what was refused."""

    def __init__(self, sys, load):
        self.sys, self.load = sys, load
        self.builtins = sys.modules["builtins"]
        self.os = load("os")
        self.ct = _find_ctypes(sys, load)
        self.libc = self.ct.CDLL(None, use_errno=True)
        self.libc.syscall.restype = self.ct.c_long
        self.got, self.refused = {}, {}
        self.left_open = self.descriptors()
        # A limit on open files is no lock: three are held for nothing.
        for number in (0, 1, 2):
            try:
                self.os.close(number)
            except OSError:
                pass

    def attempt(self, label, action):
        """Run it; whatever it returns (but None, False, 0 and empty values) was achieved."""
        try:
            value = action()
        except BaseException as error:
            self.refused[label] = f"{type(error).__name__} {getattr(error, 'errno', '')} {error}"[:200]
            return None
        if value:
            self.got[label] = repr(value)[:200]
        else:
            self.refused[label] = f"nothing: {value!r}"
        return value

    def syscall(self, name, *arguments):
        """A system call past libc. Raises OSError."""
        self.ct.set_errno(0)
        given = [self.ct.c_long(one) if isinstance(one, int) else one for one in arguments]
        result = self.libc.syscall(self.ct.c_long(_NUMBERS[name]), *given)
        if result == -1:
            code = self.ct.get_errno()
            raise OSError(code, self.os.strerror(code))
        return result

    def reached(self, name, *arguments):
        """True when the kernel looked at the arguments at all: it did it, or found them wrong."""
        try:
            self.syscall(name, *arguments)
        except OSError as error:
            if error.errno in (1, 13, 38):
                raise
        return True

    def call(self, name, *arguments):
        """A function of libc that answers -1. Raises OSError."""
        self.ct.set_errno(0)
        result = getattr(self.libc, name)(*arguments)
        if result == -1:
            code = self.ct.get_errno()
            raise OSError(code, self.os.strerror(code))
        return result

    def descriptors(self):
        """(number, kind, device, inode) of everything this process holds open."""
        kinds = {0o010000: "pipe", 0o140000: "socket", 0o100000: "file", 0o040000: "folder", 0o020000: "device"}
        held = []
        for number in range(1024):
            status = self.ct.create_string_buffer(256)
            try:
                self.syscall("fstat", number, status)
            except OSError as error:
                if error.errno == 9:
                    continue
                raise
            fields = [int.from_bytes(status.raw[at : at + 8], "little") for at in (0, 8, _MODE_AT)]
            held.append((number, kinds.get(fields[2] & 0o170000, "other"), fields[0], fields[1]))
        return held

    def channels(self):
        """Descriptors that lead to the host."""
        return [number for number, kind, _, _ in self.left_open if kind in ("pipe", "socket") and number > 2]

    def worker(self):
        """The object that answers the host, found in the frames below this one."""
        try:
            raise ValueError
        except ValueError as error:
            frame = error.__traceback__.tb_frame
        while frame is not None:
            found = frame.f_locals.get("self")
            if hasattr(found, "pipe") and hasattr(found, "worlds"):
                return found
            frame = frame.f_back
        raise LookupError("no worker below")

    def report(self):
        return {"got": self.got, "refused": self.refused, "escaped": True}


def _namespaces(sys):
    """Global names of every frame below this one and of every module."""
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None:
        yield frame.f_globals
        frame = frame.f_back
    for module in list(sys.modules.values()):
        yield getattr(module, "__dict__", {})


def _escape():
    """Switch the Python layer off."""
    import statistics

    sys = statistics.sys
    builtins = sys.modules["builtins"]
    for names in _namespaces(sys):
        if str(names.get("__name__", "")).startswith("envforge.world"):
            flag = names.get("_armed")
            if isinstance(flag, list):
                flag[0] = False
            if callable(names.get("arm")):
                names["arm"](False)
                names["arm"] = _nothing
    return _Kit(sys, builtins.__import__)


def _nothing(*_):
    return None


def _find_ctypes(sys, load):
    """The module, wherever it was hidden: this process needed it to lock itself down."""
    for names in _namespaces(sys):
        for value in list(names.values()):
            if type(value) is type(sys) and getattr(value, "__name__", "") == "ctypes" and hasattr(value, "CDLL"):
                return value
    for value in load("gc").get_objects():
        if type(value) is dict and "CDLL" in value and "set_errno" in value:
            return _Names(value)
    return load("ctypes")


class _Names:
    def __init__(self, names):
        self.__dict__.update(names)
'''
SOURCE = f"{_KIT}\n\n_NUMBERS = {NUMBERS!r}\n_RETURN_42 = bytes.fromhex({RETURN_42!r})\n_MODE_AT = {_MODE_AT}\n"
