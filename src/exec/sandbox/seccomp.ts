/** The system-call filter of the Linux sandbox, assembled by hand for x64 and arm64: classic BPF that bubblewrap loads before the command. */

export type FilterArch = "x64" | "arm64";

export const isFilterArch = (arch: string): arch is FilterArch => arch === "x64" || arch === "arm64";

/**
 * The filter as bytes for `bwrap --seccomp`. Everything is allowed but:
 * - ways to look into or steer other processes, to change mounts, namespaces, keys, the kernel (EPERM);
 * - io_uring, which would carry out system calls past this filter (EPERM);
 * - sockets of any family but IPv4, IPv6 and netlink: a unix socket is a door out of the sandbox that no namespace closes (EPERM), vsock and
 *   the rest reach the hypervisor or old kernel code (EAFNOSUPPORT); socketpair stays, it cannot reach anybody outside;
 * - typing into a terminal from below (TIOCSTI, TIOCLINUX);
 * - clone with a new namespace (EPERM); clone3, whose flags a filter cannot read (ENOSYS, so that the C library takes clone);
 * - system calls of another architecture (the process is killed) and x32 numbers (EPERM).
 */
export function seccompFilter(arch: FilterArch): Uint8Array {
  const { audit, x32, calls } = architectures[arch];
  const program: Instruction[] = [
    load(offsetOfArch),
    jump(opEqual, audit, "next", "kill"),
    load(offsetOfNumber),
    ...(x32 ? [jump(opGreaterOrEqual, 0x4000_0000, "deny", "next")] : []),
    jump(opEqual, calls.socket, "socket", "next"),
    jump(opEqual, calls.ioctl, "ioctl", "next"),
    jump(opEqual, calls.clone, "clone", "next"),
    jump(opEqual, calls.clone3, "missing", "next"),
    ...calls.denied.map((number) => jump(opEqual, number, "deny", "next")),
    label("allow", answer(retAllow)),
    label("socket", load(lowWordOfArgument(0))),
    ...[afInet, afInet6, afNetlink].map((family) => jump(opEqual, family, "allowed", "next")),
    jump(opEqual, afUnix, "deny", "noFamily"),
    // Only the low word counts: the kernel itself drops the upper half of an ioctl request.
    label("ioctl", load(lowWordOfArgument(1))),
    ...[TIOCSTI, TIOCLINUX].map((request) => jump(opEqual, request, "deny", "next")),
    label("allowed", answer(retAllow)),
    label("clone", load(lowWordOfArgument(0))),
    jump(opAnyBit, cloneNamespaces, "deny", "allowedToo"),
    label("allowedToo", answer(retAllow)),
    label("deny", answer(retErrno | EPERM)),
    label("missing", answer(retErrno | ENOSYS)),
    label("noFamily", answer(retErrno | EAFNOSUPPORT)),
    label("kill", answer(retKillProcess)),
  ];
  return encode(program);
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const afUnix = 1;
const afInet = 2;
const afInet6 = 10;
const afNetlink = 16;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. NEWTIME shares its bit with the exit signal and is not taken by clone. */
const cloneNamespaces = 0x7e02_0000;

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
const label = (name: string, instruction: Instruction): Instruction => ({ ...instruction, name });

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

/** Calls with one number everywhere: the tables of all architectures were joined from 424 on. */
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
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

/** Numbers as the kernel's own tables give them (x86: syscall_64.tbl; arm64: asm-generic/unistd.h). */
export const deniedCalls: Readonly<Record<FilterArch, Readonly<Record<string, number>>>> = {
  x64: {
    ...denied,
    ptrace: 101,
    syslog: 103,
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

const architectures = {
  x64: { audit: 0xc000_003e, x32: true, calls: { socket: 41, ioctl: 16, clone: 56, clone3: 435, denied: Object.values(deniedCalls.x64) } },
  arm64: {
    audit: 0xc000_00b7,
    x32: false,
    calls: { socket: 198, ioctl: 29, clone: 220, clone3: 435, denied: Object.values(deniedCalls.arm64) },
  },
};
