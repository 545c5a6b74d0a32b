"""The process of one call of a candidate: `python -P -s -S child.py MEMORY_MB CPU_S`, with a request on standard input.

It imports nothing of euclio. The request is JSON: the text of the program and the instance. The answer on standard
output is JSON as well: `plan`, or `error` in words. The candidate can choose this answer in any way, since the scorer
reads it as data. So nothing in this process needs protection from the candidate, and everything outside does.

Before it runs the candidate, the process gives up its rights (Linux; ours). Landlock takes away all files but those of
the standard library. Seccomp takes away other processes, programs and sockets. Limits hold for memory, processor time
and written files, and capabilities and new privileges are dropped. Without a program the process answers with the
rights that it could not give up.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys

# The scorer starts no candidate on systems without hard limits: this line is for the checker of types.
assert sys.platform != "win32"

OPEN_FILES = "it can read the files of this user"
OPEN_CALLS = "it can start and signal processes, and use the network"

# prctl(2), capset(2), seccomp(2) and landlock(7) of Linux.
SET_NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
CAPABILITIES_V3 = 0x20080522
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ_FILE, READ_FOLDER, PATH_BENEATH = 1 << 2, 1 << 3, 1
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights on files that each version of Landlock controls; later versions control those of the last one here."""
TCP, ABSTRACT_SOCKETS_AND_SIGNALS = 3, 3

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000
PERMISSION, NO_SUCH_CALL, NO_TERMINAL = 1, 38, 25
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
OWNER_AND_LEASE = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
NEW_THREAD = 0x10000
X32 = 0x40000000

# Numbers of system calls, the same on both architectures from 424 on: io_uring, pidfds, process_madvise and _mrelease,
# cachestat, fchmodat2, setxattrat, removexattrat, file_setattr; clone3, which hides its flags.
COMMON = (425, 426, 427, 424, 434, 438, 440, 448, 451, 452, 463, 466, 469)
CLONE3 = 435
CALLS = {
    # First come the architecture of the filter, capset, clone, tgkill, ioctl and fcntl. The refused calls follow in
    # this order.
    # Processes: fork, vfork, execve, execveat, kill, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo.
    # Sockets and other processes' memory: socket, socketpair, ptrace, process_vm_readv, process_vm_writev.
    # Namespaces and shared objects: unshare, setns, shmget, shmat, semget, msgget, mq_open.
    # The kernel: bpf, perf_event_open, userfaultfd, add_key, request_key, keyctl.
    # Limits and places: prlimit64, setrlimit, setpriority, ioprio_set, sched_setaffinity, mount, sched_setparam,
    # sched_setscheduler, sched_setattr.
    # Marks on files that cannot be opened: fchmod, fchmodat, fchownat, fchown, utimensat, flock, setxattr and its kin,
    # and older forms of these. A program could leave a word in them for its next call. So it could by the pages of
    # files in memory (fadvise64, mincore, readahead, preadv2) and by shared objects of other programs (shmctl, semop,
    # semctl, semtimedop, msgsnd, msgrcv, msgctl, mq_unlink).
    # Others: truncate, which older Landlock allows; inotify_init, inotify_init1, fanotify_init; syslog.
    "x86_64": (
        (0xC000003E, 126, 56, 234, 16, 72),
        "57 58 59 322 62 200 129 297 41 53 101 310 311 272 308 29 30 64 68 240 321 298 323 248 249 250 302 160 141 251 "
        "203 165 142 144 314 91 268 260 93 280 73 188 189 190 197 198 199 90 92 94 132 235 261 221 27 187 327 31 65 66 "
        "220 69 70 71 241 76 253 294 300 103",
    ),
    "aarch64": (
        (0xC00000B7, 91, 220, 131, 29, 25),
        "221 281 129 130 138 240 198 199 117 270 271 97 268 194 196 190 186 180 280 241 282 217 218 219 261 164 140 30 "
        "122 40 118 119 274 52 53 54 55 88 32 5 6 7 14 15 16 223 232 213 286 195 193 191 192 189 188 187 181 45 26 262 "
        "116",
    ),
}


def limit(memory_mb: int, cpu_s: int) -> None:
    """Limit address space and processor time of this process, and let it write no file, core files included."""
    # The soft limit of time ends the process by a signal of its own, which says why; the hard one cannot be ignored.
    limits = {
        resource.RLIMIT_AS: (memory_mb << 20, memory_mb << 20),
        resource.RLIMIT_CPU: (cpu_s, cpu_s + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
    }
    for which, values in limits.items():
        resource.setrlimit(which, values)


def confine() -> list[str]:
    """Give up all rights that the candidate does not need; those that could not be given up, in words."""
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in CALLS:
        return [OPEN_FILES, OPEN_CALLS]
    libc = ctypes.CDLL(None)
    (architecture, capset, clone, tgkill, ioctl, fcntl), refused = CALLS[machine]
    libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    left = [] if _only_library(libc) else [OPEN_FILES]
    # Without capabilities root cannot raise its limits again. This comes last but one: Landlock needs none of them.
    libc.syscall(capset, struct.pack("II", CAPABILITIES_V3, 0), bytes(24))
    words = _filter(architecture, clone, tgkill, [int(number) for number in refused.split()])
    words += [*_on_descriptors(ioctl, fcntl), (RETURN, 0, 0, ALLOWED)]
    program = b"".join(struct.pack("HBBI", *word) for word in words)
    kept = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(words), ctypes.addressof(kept))
    if libc.prctl(SET_SECCOMP, FILTER, ctypes.create_string_buffer(header), 0, 0):
        left.append(OPEN_CALLS)
    return left


def _only_library(libc: ctypes.CDLL) -> bool:
    """Let this process open the standard library alone, and reach no process or port outside; whether that worked."""
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    fields = [FILE_RIGHTS[min(version, max(FILE_RIGHTS))]]
    fields += [TCP] if version >= 4 else []
    fields += [ABSTRACT_SOCKETS_AND_SIGNALS] if version >= 6 else []
    rules = libc.syscall(CREATE_RULESET, struct.pack(f"{len(fields)}Q", *fields), 8 * len(fields), 0)
    if rules < 0:
        return False
    library = os.path.dirname(os.__file__)  # noqa: PTH120
    # Installed packages lie in the folder of the library: it is listed as a whole, and read but for these.
    shown = [(library, READ_FOLDER)]
    shown += [(f"{library}/{name}", READ_FILE) for name in os.listdir(library) if not name.endswith("-packages")]  # noqa: PTH208
    for path, rights in shown:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        libc.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
        os.close(place)
    return bool(libc.syscall(RESTRICT_SELF, rules, 0) == 0)


def _filter(architecture: int, clone: int, tgkill: int, refused: list[int]) -> list[tuple[int, int, int, int]]:
    """The filter of system calls, as instructions of classic BPF: code, jump if true, jump if false, operand."""
    no, missing = (RETURN, 0, 0, REFUSED | PERMISSION), (RETURN, 0, 0, REFUSED | NO_SUCH_CALL)
    words = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), no, (LOAD, 0, 0, NUMBER)]
    words += [(AT_LEAST, 0, 1, X32), no]
    for number in (*COMMON, *refused):
        words += [(EQUAL, 0, 1, number), no]
    # Where clone3 is missing, the C library starts threads by clone, whose flags can be seen.
    words += [(EQUAL, 0, 1, CLONE3), missing]
    words += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 1, 0, NEW_THREAD), no]
    words += [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 3, tgkill), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, os.getpid()), no]
    return words


def _on_descriptors(ioctl: int, fcntl: int) -> list[tuple[int, int, int, int]]:
    """Instructions that refuse what open files offer beyond reading: flags of files, signals to owners, leases."""
    words = [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 1, ioctl), (RETURN, 0, 0, REFUSED | NO_TERMINAL)]
    for command in OWNER_AND_LEASE:
        words += [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 3, fcntl), (LOAD, 0, 0, SECOND_ARGUMENT), (EQUAL, 0, 1, command)]
        words.append((RETURN, 0, 0, REFUSED | PERMISSION))
    return words


def called(program: str, instance: object) -> str:
    """The answer of the candidate's function `solve` on the instance, as the text of a JSON object."""
    try:
        # Dataclasses look for the module that defines them.
        module = type(sys)("candidate")
        sys.modules["candidate"], names = module, module.__dict__
        text = program.removeprefix("\ufeff")
        code = compile(text, "candidate.py", "exec", dont_inherit=True)
        exec(code, names)  # the candidate is code, and this process is for it
        solve = names.get("solve")
        if not callable(solve):
            return json.dumps({"error": "has no function solve(instance)"})
        return json.dumps({"plan": solve(instance)})
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        return json.dumps({"error": f"raises {type(error).__name__}: {error}"[:300]})


def main() -> None:
    """Read the request, give up all rights, call the candidate and answer."""
    request = json.loads(sys.stdin.buffer.read())
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.close(nothing)
    limit(int(sys.argv[1]), int(sys.argv[2]))
    left = confine()
    program = request["program"]
    text = json.dumps({"open": left}) if program is None else called(program, request["instance"])
    data = memoryview(text.encode("ascii"))
    while data:
        data = data[os.write(answers, data) :]
    os._exit(0)  # threads of the candidate end here


if __name__ == "__main__":
    main()
