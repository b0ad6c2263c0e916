/**
 * The system-call filter of the Linux sandbox, assembled by hand for x64 and arm64: classic BPF that every engine loads before the command.
 */

export type FilterArch = "x64" | "arm64";

export const isFilterArch = (arch: string): arch is FilterArch => arch === "x64" || arch === "arm64";

/** What else the filter has to block if the command shares the machine's network, message queues and memory segments. */
export interface SharedWorld {
  /** Whether the command may use the network. */
  readonly internet: boolean;
  /** Whether files may be truncated by path, which old versions of Landlock do not control. */
  readonly truncate: boolean;
}

/**
 * The filter as bytes, an array of `struct sock_filter`. Everything is allowed except:
 * - calls that inspect or control other processes, or change mounts, namespaces, keys or the kernel (EPERM);
 * - io_uring, which would bypass this filter (EPERM);
 * - sockets of any family other than IPv4, IPv6 and netlink: a unix socket is a way out of the sandbox that no namespace blocks (EPERM);
 *   vsock and the rest reach the hypervisor or old kernel code (EAFNOSUPPORT); of netlink only routing is allowed, which queries the
 *   sandbox's own network: other protocols carry messages between processes or reach rarely used kernel code (EPROTONOSUPPORT);
 * - socket pairs other than connected unix ones: datagram sockets of a pair can send, or be reconnected, to any address (EPERM);
 * - setting the set-user-ID or set-group-ID bit of a file, by any call: it would give the user's rights to everybody on the machine (EPERM).
 *   The arguments of openat2 are in memory, where a filter cannot read them (ENOSYS, so that programs use openat);
 * - leases on files (EPERM): a process outside that opens such a file would be blocked for most of a minute;
 * - injecting input into a terminal (TIOCSTI, TIOCLINUX) and line disciplines (TIOCSETD), which are old drivers loaded on demand;
 * - personalities other than those that compilers, sanitizers and 32-bit builds use (EPERM);
 * - clone with a new namespace (EPERM); clone3, whose flags a filter cannot read (ENOSYS, so that the C library uses clone);
 * - system calls of another architecture (the process is killed) and x32 numbers (EPERM);
 * - without namespaces: access to the memory segments and queues of other programs, also by a known id; the resource limits of other
 *   processes (the server would fail at the next file that it opens); and the network unless it is allowed (EPERM).
 */
export function seccompFilter(arch: FilterArch, shared?: SharedWorld): Uint8Array {
  const { audit, x32, calls } = architectures[arch];
  const { truncate, ...queues } = sharedCalls[arch];
  const further = shared === undefined ? [] : [...Object.values(queues), ...(shared.truncate ? [] : [truncate])];
  const program: Instruction[] = [
    load(offsetOfArch),
    jump(opEqual, audit, "next", "kill"),
    load(offsetOfNumber),
    ...(x32 ? [jump(opGreaterOrEqual, 0x4000_0000, "deny", "next")] : []),
    ...search(
      ...numbered({ openat: [calls.openat], open: calls.open, ioctl: [calls.ioctl], fcntl: [calls.fcntl] }),
      ...numbered({ limits: shared === undefined ? [] : [calls.prlimit64], mode1: calls.modeFirst, mode2: calls.modeSecond }),
      ...numbered({ socket: [calls.socket], pair: [calls.socketpair], clone: [calls.clone], personality: [calls.personality] }),
      ...numbered({ missing: [clone3, openat2], deny: [...calls.denied, ...further] }),
    ),
    // The kernel reads the mode only if a file may be created; otherwise programs leave arbitrary values there.
    ...block("openat", load(lowWordOfArgument(2)), jump(opAnyBit, makesFile, "mode3", "allow")),
    ...block("open", load(lowWordOfArgument(1)), jump(opAnyBit, makesFile, "mode2", "allow")),
    ...[1, 2, 3].flatMap((i) => block(`mode${i}`, load(lowWordOfArgument(i)), jump(opAnyBit, setIdBits, "deny", "allow"))),
    ...block("socket", load(lowWordOfArgument(0)), ...goto([afInet, afInet6], shared?.internet === false ? "deny" : "inet")),
    ...goto([afNetlink], "netlink"),
    jump(opEqual, afUnix, "deny", "noFamily"),
    ...block("inet", load(lowWordOfArgument(1)), jump(opAnyBit, uncommonTypes, "noProtocol", "allow")),
    ...block("netlink", load(lowWordOfArgument(2)), jump(opEqual, netlinkRoute, "allow", "noProtocol")),
    ...block("pair", load(lowWordOfArgument(0)), jump(opEqual, afUnix, "next", "noFamily")),
    ...[load(lowWordOfArgument(1)), and(typeMask), ...goto([sockStream, sockSeqpacket], "allow"), jump(opAlways, 0, "deny", "deny")],
    // Only the low word matters: the kernel itself drops the upper half of an ioctl request.
    ...block("ioctl", load(lowWordOfArgument(1)), ...goto([TIOCSTI, TIOCLINUX, TIOCSETD], "deny"), answer(retAllow)),
    ...block("fcntl", load(lowWordOfArgument(1)), ...goto([F_SETLEASE, F_SETDELEG], "deny"), answer(retAllow)),
    ...block("limits", load(lowWordOfArgument(0)), jump(opEqual, ownProcess, "allow", "deny")),
    ...block("personality", load(lowWordOfArgument(0)), ...goto([askPersonality], "allow")),
    jump(opAnyBit, oddPersonality, "deny", "allow"),
    ...block("clone", load(lowWordOfArgument(0)), jump(opAnyBit, cloneNamespaces, "deny", "allow")),
    label("allow", answer(retAllow)),
    label("deny", answer(retErrno | EPERM)),
    label("missing", answer(retErrno | ENOSYS)),
    label("noFamily", answer(retErrno | EAFNOSUPPORT)),
    label("noProtocol", answer(retErrno | EPROTONOSUPPORT)),
    label("kill", answer(retKillProcess)),
  ];
  return encode(program);
}

const EPERM = 1;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;
const afUnix = 1;
const afInet = 2;
const afInet6 = 10;
const afNetlink = 16;
const netlinkRoute = 0;
/** The type of a socket without SOCK_NONBLOCK and SOCK_CLOEXEC. */
const typeMask = 0xf;
const sockStream = 1;
const sockSeqpacket = 5;
/** Every type above 3 (SOCK_RAW) has this bit or the next: SCTP and DCCP, which are loaded on demand, and obsolete types. */
const uncommonTypes = 0xc;
/** O_CREAT, and the bit of O_TMPFILE that is not O_DIRECTORY. */
const makesFile = 0o100 | 0o20000000;
const setIdBits = 0o6000;
const F_SETLEASE = 1024;
const F_SETDELEG = 1040;
const ownProcess = 0;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;
const askPersonality = 0xffff_ffff;
/** All except LINUX32, UNAME26 and ADDR_NO_RANDOMIZE. */
const oddPersonality = ~(0x8 | 0x2_0000 | 0x4_0000) >>> 0;
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. NEWTIME shares its bit with the exit signal and clone does not accept it. */
const cloneNamespaces = 0x7e02_0000;
const clone3 = 435;
const openat2 = 437;

const retAllow = 0x7fff_0000;
const retErrno = 0x0005_0000;
const retKillProcess = 0x8000_0000;

/** struct seccomp_data: number, architecture, instruction pointer, six 64-bit arguments. */
const offsetOfNumber = 0;
const offsetOfArch = 4;
const lowWordOfArgument = (index: number): number => 16 + 8 * index;

const opLoad = 0x20;
const opEqual = 0x15;
const opGreaterOrEqual = 0x35;
const opAnyBit = 0x45;
const opAnd = 0x54;
/** "At least 0": always true. */
const opAlways = opGreaterOrEqual;
const opReturn = 0x06;

interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly name?: string;
  readonly whenTrue?: string;
  readonly whenFalse?: string;
}

const load = (offset: number): Instruction => ({ code: opLoad, value: offset });
const answer = (value: number): Instruction => ({ code: opReturn, value });
const jump = (code: number, value: number, whenTrue: string, whenFalse: string): Instruction => ({ code, value, whenTrue, whenFalse });
const and = (value: number): Instruction => ({ code: opAnd, value });
const label = (name: string, instruction: Instruction): Instruction => ({ ...instruction, name });
const goto = (values: readonly number[], target: string): Instruction[] => values.map((value) => jump(opEqual, value, target, "next"));
const block = (name: string, first: Instruction, ...rest: readonly Instruction[]): Instruction[] => [label(name, first), ...rest];

type Case = readonly [number: number, target: string];
const numbered = (targets: Readonly<Record<string, readonly number[]>>): Case[] =>
  Object.entries(targets).flatMap(([target, numbers]) => numbers.map((number): Case => [number, target]));

/** So many are compared one after another. */
const mostInRow = 3;

/**
 * Leads to the target of the loaded number, else to "allow". By halves: before each command the kernel walks the filter once for every number,
 * to know those that it always allows.
 */
function search(...cases: readonly Case[]): Instruction[] {
  const sorted = [...cases].sort(([a], [b]) => a - b);
  if (sorted.length <= mostInRow)
    return sorted.map(([value, target], i) => jump(opEqual, value, target, i + 1 < sorted.length ? "next" : "allow"));
  const middle = sorted.length >> 1;
  const [first, ...further] = search(...sorted.slice(middle));
  const from = sorted[middle]?.[0] ?? 0;
  if (first === undefined) return [];
  return [
    jump(opGreaterOrEqual, from, `from ${from}`, "next"),
    ...search(...sorted.slice(0, middle)),
    label(`from ${from}`, first),
    ...further,
  ];
}

/** struct sock_filter: code (16 bits), two jump distances (8 bits each), value (32 bits), little-endian on both architectures. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  const distance = (from: number, to: string | undefined): number => {
    if (to === undefined || to === "next") return 0;
    const target = program.findIndex((instruction) => instruction.name === to);
    const jumped = target - from - 1;
    if (target < 0 || jumped < 0 || jumped > 255) throw new Error(`seccomp filter: no way from instruction ${from} to ${to}`);
    return jumped;
  };
  for (const [i, instruction] of program.entries()) {
    bytes.setUint16(i * 8, instruction.code, true);
    bytes.setUint8(i * 8 + 2, distance(i, instruction.whenTrue));
    bytes.setUint8(i * 8 + 3, distance(i, instruction.whenFalse));
    bytes.setUint32(i * 8 + 4, instruction.value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** Calls with the same number everywhere: all architectures share one numbering from 424 on. */
const denied = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  process_mrelease: 448,
  open_tree_attr: 467,
};

/** Numbers from the kernel's own tables (x86: syscall_64.tbl; arm64: asm-generic/unistd.h). */
export const deniedCalls: Readonly<Record<FilterArch, Readonly<Record<string, number>>>> = {
  x64: {
    ...denied,
    ptrace: 101,
    syslog: 103,
    uselib: 134,
    vhangup: 153,
    modify_ldt: 154,
    pivot_root: 155,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    sethostname: 170,
    setdomainname: 171,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    lookup_dcookie: 212,
    clock_settime: 227,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    unshare: 272,
    perf_event_open: 298,
    fanotify_init: 300,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  arm64: {
    ...denied,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    fanotify_init: 262,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
};

const fchmodat2 = 452;

/** `modeFirst` and `modeSecond`: calls whose argument 1 or 2 (counted from 0) is the mode of a file. arm64 never had the older calls. */
const architectures = {
  x64: {
    audit: 0xc000_003e,
    x32: true,
    calls: {
      ...{ socket: 41, socketpair: 53, ioctl: 16, fcntl: 72, prlimit64: 302, clone: 56, personality: 135, openat: 257, open: [2] },
      modeFirst: [85, 90, 91, 133], // creat, chmod, fchmod, mknod
      modeSecond: [259, 268, fchmodat2], // mknodat, fchmodat
      denied: Object.values(deniedCalls.x64),
    },
  },
  arm64: {
    audit: 0xc000_00b7,
    x32: false,
    calls: {
      ...{ socket: 198, socketpair: 199, ioctl: 29, fcntl: 25, prlimit64: 261, clone: 220, personality: 92, openat: 56, open: [] },
      modeFirst: [52], // fchmod
      modeSecond: [33, 53, fchmodat2], // mknodat, fchmodat
      denied: Object.values(deniedCalls.arm64),
    },
  },
};

/** Memory segments, semaphores and queues that all programs of a user share without a namespace; and `truncate`. */
const sharedCalls: Readonly<Record<FilterArch, { readonly truncate: number } & Readonly<Record<string, number>>>> = {
  x64: {
    ...{ shmget: 29, shmat: 30, shmctl: 31, semget: 64, semop: 65, semctl: 66, semtimedop: 220 },
    ...{ msgget: 68, msgsnd: 69, msgrcv: 70, msgctl: 71, mq_open: 240, mq_unlink: 241, truncate: 76 },
  },
  arm64: {
    ...{ shmget: 194, shmat: 196, shmctl: 195, semget: 190, semop: 193, semctl: 191, semtimedop: 192 },
    ...{ msgget: 186, msgsnd: 189, msgrcv: 188, msgctl: 187, mq_open: 180, mq_unlink: 181, truncate: 45 },
  },
};
