/**
 * The program that builds a sandbox from inside and then starts the command in it. It runs in a separate Node process, is passed as text
 * through file descriptor 3, so that no file is loaded for it, and reads its orders from file descriptor 4. It does nothing until they are
 * complete.
 *
 * Every function in `parts` is sent as source: none may use a name from outside `parts`, and none may be imported.
 */
import type { Mount } from "../mounts.ts";
import type { LandlockOrders, LandlockRight, Orders } from "./orders.ts";

/** As JavaScript text. */
export const insideProgram = (): string => `${parts.map(String).join("\n")}\nrunInside();`;

/** A program that only prints the kernel's Landlock version; 0 or less for none. */
export const landlockVersionProgram = (): string => `${openKernel}\nconsole.log(openKernel().call("landlockCreate", 0n, 0n, 1n));`;

const parts = [
  runInside,
  isServerGone,
  openKernel,
  inNamespaces,
  cloneSources,
  changeRoot,
  attachAll,
  attachDevices,
  newFileSystem,
  makePlace,
  raiseLoopback,
  passListener,
  dropCapabilities,
  applyLandlock,
  landlockRights,
  applyFilter,
  tryCommand,
  becomeCommand,
  startCommand,
  programFile,
  waitForAll,
];

type Kernel = ReturnType<typeof openKernel>;

function runInside(): void {
  const fs = process.getBuiltinModule("node:fs");
  try {
    const kernel = openKernel();
    kernel.prctl(1n, 9n); // Die with the parent.
    const text = fs.readFileSync(4, "utf8");
    for (const fd of [3, 4]) fs.closeSync(fd);
    if (text === "") process.exit(0); // The server no longer needs this process.
    const orders: Orders = JSON.parse(text);
    if (isServerGone(kernel, orders)) process.exit(0);
    if (orders.namespaces !== undefined) inNamespaces(kernel, orders.namespaces);
    if (orders.listener !== undefined) passListener(kernel, orders.listener);
    process.chdir(orders.cwd);
    kernel.must("no new privileges", kernel.prctl(38n, 1n));
    dropCapabilities(kernel);
    if (orders.landlock !== undefined) applyLandlock(kernel, orders.landlock);
    const env = { ...process.env, ...orders.env, PWD: orders.cwd };
    const command = { file: programFile(orders), argv: orders.argv, env };
    applyFilter(kernel, Buffer.from(orders.filter, "base64"));
    if (orders.namespaces === undefined) becomeCommand(kernel, command);
    else waitForAll(kernel, startCommand(kernel, command, orders.namespaces.newSession));
  } catch (error) {
    fs.writeSync(2, `parley: the sandbox could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.exit(1);
}

/**
 * Nothing would end a command started for a server that died before this process was bound to it. In a PID namespace the parent is not
 * visible: there a file descriptor shows it.
 */
function isServerGone({ call, at }: Kernel, { server }: Orders): boolean {
  if (server !== undefined) return process.ppid !== server;
  const lookOnly = 0x42n;
  return call("recvfrom", 5n, at(Buffer.alloc(1)), 1n, lookOnly) === 0;
}

/** The C library, and the helpers that this program needs for its calls. */
function openKernel() {
  const ffi = process.getBuiltinModule("node:ffi");
  const { functions: c } = ffi.dlopen(null, {
    syscall: { arguments: ["i64", "u64", "u64", "u64", "u64", "u64", "u64"], return: "i64" },
    posix_spawn: { arguments: ["u64", "u64", "u64", "u64", "u64", "u64"], return: "i32" },
    posix_spawnattr_init: { arguments: ["u64"], return: "i32" },
    posix_spawnattr_setflags: { arguments: ["u64", "i16"], return: "i32" },
    posix_spawnattr_setsigdefault: { arguments: ["u64", "u64"], return: "i32" },
    posix_spawnattr_setsigmask: { arguments: ["u64", "u64"], return: "i32" },
    execve: { arguments: ["u64", "u64", "u64"], return: "i32" },
    signal: { arguments: ["i32", "u64"], return: "u64" },
    waitpid: { arguments: ["i32", "u64", "i32"], return: "i32" },
    __errno_location: { arguments: [], return: "pointer" },
    strerror: { arguments: ["i32"], return: "pointer" },
  });
  const x64 = process.arch === "x64";
  const numbers = {
    ...{ fcntl: x64 ? 72n : 25n, ioctl: x64 ? 16n : 29n, capset: x64 ? 126n : 91n, prctl: x64 ? 157n : 167n },
    ...{ socket: x64 ? 41n : 198n, bind: x64 ? 49n : 200n, listen: x64 ? 50n : 201n },
    ...{ recvfrom: x64 ? 45n : 207n, sendmsg: x64 ? 46n : 211n },
    ...{
      fchdir: x64 ? 81n : 50n,
      pivotRoot: x64 ? 155n : 41n,
      umount: x64 ? 166n : 39n,
      seccomp: x64 ? 317n : 277n,
      exitGroup: x64 ? 231n : 94n,
    },
    ...{ openTree: 428n, moveMount: 429n, fsopen: 430n, fsconfig: 431n, fsmount: 432n, openat2: 437n, mountSetattr: 442n },
    ...{ landlockCreate: 444n, landlockAdd: 445n, landlockRestrict: 446n },
  };
  // Memory passed to the kernel must stay in place until it has been read.
  const kept: Uint8Array[] = [];
  const at = (bytes: Uint8Array): bigint => {
    kept.push(bytes);
    return BigInt(ffi.getRawPointer(bytes));
  };
  const text = (value: string): bigint => at(Buffer.from(`${value}\0`));
  const strings = (values: readonly string[]): bigint => {
    const bytes = Buffer.alloc(8 * (values.length + 1));
    for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(text(value), 8 * i);
    return at(bytes);
  };
  const u64s = (...values: bigint[]): bigint => at(new Uint8Array(BigUint64Array.from(values).buffer));
  const errno = (): number => ffi.getInt32(c.__errno_location(), 0);
  const why = (code: number): string => ffi.toString(c.strerror(code)) ?? String(code);
  const call = (name: keyof typeof numbers, ...args: bigint[]): number => {
    const [a = 0n, b = 0n, d = 0n, e = 0n, f = 0n, g = 0n] = args.map((value) => BigInt.asUintN(64, value));
    return Number(c.syscall(numbers[name], a, b, d, e, f, g));
  };
  /** Throws with the system's error message. */
  const must = (what: string, result: number): number => {
    if (result >= 0) return result;
    throw new Error(`${what}: ${why(errno())}`);
  };
  const prctl = (...args: bigint[]): number => call("prctl", ...args);
  /** Opens a path with O_PATH without following links. Undefined if nothing exists there. */
  const find = (path: string): bigint | undefined => {
    const place = call("openat2", -100n, text(path), u64s(0o12000000n, 0n, 4n), 24n);
    if (place >= 0) return BigInt(place);
    if (errno() === 2) return undefined;
    must(path, place);
    return undefined;
  };
  return { c, at, text, strings, u64s, call, must, prctl, find, why, errno };
}

/** Builds the new root from the plan and moves into it. Nothing of the old root can be reached afterwards. */
function inNamespaces(kernel: Kernel, { mounts, loopback }: NonNullable<Orders["namespaces"]>): void {
  // What is mounted outside while this runs must not appear inside.
  const everything = 0x8000n | 0x1000n;
  kernel.must(
    "mounts of its own",
    kernel.call("mountSetattr", -100n, kernel.text("/"), everything, kernel.u64s(0n, 0n, 1n << 18n, 0n), 32n),
  );
  const sources = cloneSources(kernel, mounts);
  changeRoot(kernel, sources);
  attachAll(kernel, mounts, sources);
  if (loopback) raiseLoopback(kernel);
}

/** Opens everything that will be visible inside while it can still be found. By path; links are not followed. */
function cloneSources(kernel: Kernel, mounts: readonly Mount[]): Map<string, bigint> {
  const { call, must, find, text, u64s } = kernel;
  const fs = process.getBuiltinModule("node:fs");
  const sources = new Map<string, bigint>();
  const recursive = 0x8000n;
  const ofItself = 0x1000n;
  const take = (key: string, path: string, set: bigint, optional: boolean): void => {
    const place = find(path);
    if (place === undefined && optional) return;
    if (place === undefined) throw new Error(`${path} is gone`);
    const clone = BigInt(must(path, call("openTree", place, text(""), 1n | 0o2000000n | recursive | ofItself)));
    must(path, call("mountSetattr", clone, text(""), recursive | ofItself, u64s(set, 0n, 0n, 0n), 32n));
    fs.closeSync(Number(place));
    sources.set(key, clone);
  };
  const readOnly = 1n;
  const plain = 2n | 4n; // neither set-user-ID programs nor devices
  const noPrograms = 2n | 4n | 8n;
  for (const [i, mount] of mounts.entries()) {
    if (mount.kind === "bind") take(`${i}`, mount.from ?? mount.at, plain | (mount.readOnly ? readOnly : 0n), mount.optional === true);
    // The kernel makes a new one only while an older one can be seen.
    if (mount.kind === "processes") sources.set(`${i}`, newFileSystem(kernel, "proc", {}, noPrograms));
    if (mount.kind !== "devices") continue;
    for (const name of ["null", "zero", "full", "random", "urandom", "tty"]) take(`dev ${name}`, `/dev/${name}`, 2n, true);
    const terminal = process.getBuiltinModule("node:tty").isatty(1) ? fs.readlinkSync("/proc/self/fd/1") : "";
    if (terminal.startsWith("/dev/")) take("dev console", terminal, 2n, true);
  }
  return sources;
}

/** The first mount of every plan is the whole disk, or an empty one: it becomes the root, and the old root is unmounted. */
function changeRoot(kernel: Kernel, sources: Map<string, bigint>): void {
  const { call, must, text } = kernel;
  const root = sources.get("0") ?? newFileSystem(kernel, "tmpfs", { mode: "0755" }, 2n | 4n);
  must("the new root", call("moveMount", root, text(""), -100n, text("/"), 4n));
  must("the new root", call("fchdir", root));
  must("the new root", call("pivotRoot", text("."), text(".")));
  must("the old root", call("umount", text("."), 2n));
  process.chdir("/");
}

function attachAll(kernel: Kernel, mounts: readonly Mount[], sources: Map<string, bigint>): void {
  const { call, must, text, u64s } = kernel;
  const make = (type: string, options: Readonly<Record<string, string>>, attributes: bigint): bigint =>
    newFileSystem(kernel, type, options, attributes);
  const inMemory = mounts.flatMap((mount) => (mount.kind === "memory" ? [mount.at === "/" ? "/" : `${mount.at}/`] : []));
  const attach = (mount: bigint, path: string, { isFile = false, optional = false } = {}): void => {
    const place = makePlace(kernel, path, { isFile, optional, isInMemory: inMemory.some((folder) => path.startsWith(folder)) });
    if (place !== undefined) must(path, call("moveMount", mount, text(""), place, text(""), 4n | 0x40n));
  };
  const fs = process.getBuiltinModule("node:fs");
  const plain = 2n | 4n;
  for (const [i, mount] of mounts.entries()) {
    const { kind, at } = mount;
    const source = sources.get(`${i}`);
    if (kind === "bind" && i > 0 && source !== undefined)
      attach(source, at, { isFile: !fs.fstatSync(Number(source)).isDirectory(), optional: mount.optional === true });
    if (kind === "memory" && i > 0) attach(make("tmpfs", { mode: "0755" }, plain), at);
    // A placeholder is read-only for everybody, including its owner.
    if (kind === "empty") attach(make("tmpfs", { mode: "0555" }, plain | 1n), at);
    if (kind === "processes" && source !== undefined) attach(source, at);
    if (kind === "link") {
      const isInMemory = inMemory.some((folder) => at.startsWith(folder));
      if (isInMemory) fs.mkdirSync(at.slice(0, at.lastIndexOf("/")) || "/", { recursive: true });
      fs.symlinkSync(mount.to, at);
    }
    if (kind === "devices") {
      attach(make("tmpfs", { mode: "0755" }, plain), at);
      attachDevices(at, sources, attach);
      attach(make("devpts", { ptmxmode: "0666", mode: "620" }, 2n | 8n), `${at}/pts`);
    }
    if (kind === "sealed")
      must(
        at,
        call(
          "mountSetattr",
          makePlace(kernel, at, { isFile: false, optional: false, isInMemory: false }) ?? -1n,
          text(""),
          0x1000n,
          u64s(1n, 0n, 0n, 0n),
          32n,
        ),
      );
  }
}

/** A file system created for the sandbox. */
function newFileSystem({ call, must, text }: Kernel, type: string, options: Readonly<Record<string, string>>, attributes: bigint): bigint {
  const context = BigInt(must(type, call("fsopen", text(type), 1n)));
  for (const [name, value] of Object.entries(options)) must(type, call("fsconfig", context, 1n, text(name), text(value)));
  must(type, call("fsconfig", context, 6n));
  return BigInt(must(type, call("fsmount", context, 1n, attributes)));
}

/** The same devices as bubblewrap creates, so that programs find the same in both. */
function attachDevices(
  at: string,
  sources: Map<string, bigint>,
  attach: (mount: bigint, path: string, how: { isFile: boolean }) => void,
): void {
  const fs = process.getBuiltinModule("node:fs");
  for (const [key, source] of sources) if (key.startsWith("dev ")) attach(source, `${at}/${key.slice(4)}`, { isFile: true });
  for (const [i, name] of ["stdin", "stdout", "stderr"].entries()) fs.symlinkSync(`/proc/self/fd/${i}`, `${at}/${name}`);
  fs.symlinkSync("/proc/self/fd", `${at}/fd`);
  fs.symlinkSync("/proc/kcore", `${at}/core`);
  fs.symlinkSync("pts/ptmx", `${at}/ptmx`);
  fs.mkdirSync(`${at}/shm`);
}

interface Place {
  readonly isFile: boolean;
  readonly optional: boolean;
  /** Whether missing parent folders may be created. */
  readonly isInMemory: boolean;
}

/** Mount points may be created only in new memory file systems; elsewhere they exist already, or the disk refuses. */
function makePlace({ find }: Kernel, path: string, { isFile, optional, isInMemory }: Place): bigint | undefined {
  const found = find(path);
  if (found !== undefined) return found;
  const fs = process.getBuiltinModule("node:fs");
  try {
    if (isFile) {
      if (isInMemory) fs.mkdirSync(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
      fs.closeSync(fs.openSync(path, "wx", 0o600));
    } else fs.mkdirSync(path, { recursive: isInMemory });
  } catch (error) {
    if (optional) return undefined;
    throw error;
  }
  return find(path);
}

function raiseLoopback({ call, must, at }: Kernel): void {
  const request = Buffer.alloc(40);
  request.write("lo");
  request.writeInt16LE(1 | 0x40, 16);
  const socket = must("loopback", call("socket", 2n, 2n | 0o2000000n, 0n));
  must("loopback", call("ioctl", BigInt(socket), 0x8914n, at(request)));
}

/** Listens in the new network and passes the socket to the server; the command inherits neither the socket nor the channel. */
function passListener({ call, must, at, u64s }: Kernel, { address, channel, message }: NonNullable<Orders["listener"]>): void {
  const fs = process.getBuiltinModule("node:fs");
  const socket = must("the proxy", call("socket", 2n, 1n | 0o2000000n, 0n));
  must("the proxy", call("bind", BigInt(socket), at(Buffer.from(address, "base64")), 16n));
  must("the proxy", call("listen", BigInt(socket), 128n));
  const text = Buffer.from(message);
  const vector = u64s(at(text), BigInt(text.length));
  const control = u64s(20n, 1n | (1n << 32n), BigInt(socket));
  must("the proxy", call("sendmsg", BigInt(channel), u64s(0n, 0n, vector, 1n, control, 24n, 0n), 0n));
  for (const fd of [socket, channel]) fs.closeSync(fd);
}

function dropCapabilities({ call, prctl, must, at }: Kernel): void {
  prctl(47n, 4n); // ambient capabilities, which a program would keep
  // Without the privilege to do this there is nothing to drop: and no program can gain any, because no_new_privs is set.
  for (let capability = 0n; capability < 64n; capability++) prctl(24n, capability);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  must("capabilities", call("capset", at(header), at(Buffer.alloc(24))));
}

/** As a second layer it is skipped if the kernel has no Landlock, or only the first version, which cannot move files between folders. */
function applyLandlock(kernel: Kernel, { rules, noTcp, isLayer }: LandlockOrders): void {
  const { call, must, find, u64s, at } = kernel;
  const version = call("landlockCreate", 0n, 0n, 1n);
  if (isLayer && version < 2) return;
  if (version < 1) throw new Error("the kernel has no Landlock");
  const { all, of } = landlockRights(version);
  const handled = u64s(all, noTcp && version >= 4 ? 3n : 0n, version >= 6 ? 3n : 0n);
  const ruleset = BigInt(must("landlock", call("landlockCreate", handled, version >= 6 ? 24n : version >= 4 ? 16n : 8n, 0n)));
  const fs = process.getBuiltinModule("node:fs");
  const allowAt = (place: number, rights: readonly LandlockRight[]): number => {
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(of(rights, fs.fstatSync(place).isDirectory()), 0);
    rule.writeInt32LE(place, 8);
    return call("landlockAdd", ruleset, 1n, at(rule), 0n);
  };
  // Scripts reopen /dev/stdout and similar files. A plain pipe can have no rule and needs none.
  for (const fd of [0, 1, 2]) allowAt(fd, ["device"]);
  for (const { path, allow } of rules) {
    const place = find(path);
    if (place === undefined) continue;
    must(`landlock ${path}`, allowAt(Number(place), allow));
    fs.closeSync(Number(place));
  }
  must("landlock", call("landlockRestrict", ruleset, 0n));
  fs.closeSync(Number(ruleset));
}

/** The access rights that this Landlock version supports, by our names for them. */
export function landlockRights(version: number) {
  const all = version >= 5 ? 0xffffn : version >= 3 ? 0x7fffn : version >= 2 ? 0x3fffn : 0x1fffn;
  const execute = 1n;
  const writeFile = 1n << 1n;
  const readFile = 1n << 2n;
  const readFolder = 1n << 3n;
  const truncate = 1n << 14n;
  const control = 1n << 15n;
  const bits: Record<LandlockRight, bigint> = {
    list: readFolder,
    read: readFile | readFolder,
    run: execute,
    write: all & ~execute,
    device: readFile | writeFile | truncate | control,
  };
  const forFiles = execute | writeFile | readFile | truncate | control;
  const of = (allow: readonly LandlockRight[], isFolder: boolean): bigint =>
    allow.reduce((sum, right) => sum | bits[right], 0n) & all & (isFolder ? all : forFiles);
  return { all, of };
}

/** Applies to all threads of this process at once, so that none of them can do more than the command. */
function applyFilter({ call, must, at, prctl, u64s }: Kernel, filter: Buffer): void {
  prctl(4n, 0n); // No other process may inspect this one.
  const result = must("the system-call filter", call("seccomp", 1n, 1n, u64s(BigInt(filter.length / 8), at(filter))));
  if (result !== 0) throw new Error("the system-call filter: a thread has another one");
}

interface StartedCommand {
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Tries to run a command; a script without an interpreter line is run by the shell. Node marks the standard descriptors close-on-exec at
 * startup, so that is cleared first.
 */
function tryCommand(
  { text, strings, call, why }: Kernel,
  command: StartedCommand,
  start: (file: bigint, argv: bigint, env: bigint) => number,
): void {
  const { file, argv, env } = command;
  for (const fd of [0n, 1n, 2n]) call("fcntl", fd, 2n, 0n);
  const variables = strings(Object.entries(env).map(([name, value]) => `${name}=${value}`));
  const notProgram = 8;
  let failed = start(text(file), strings(argv), variables);
  if (failed === notProgram) failed = start(text("/bin/sh"), strings(["/bin/sh", file, ...argv.slice(1)]), variables);
  if (failed !== 0) throw new Error(`${argv[0]}: ${why(failed)}`);
}

function becomeCommand(kernel: Kernel, command: StartedCommand): void {
  // Node ignores some signals, and ignored signals stay ignored after exec.
  for (let signal = 1; signal < 32; signal++) kernel.c.signal(signal, 0n);
  tryCommand(kernel, command, (file, argv, env) => (kernel.c.execve(file, argv, env) === 0 ? 0 : kernel.errno()));
}

function startCommand(kernel: Kernel, command: StartedCommand, newSession: boolean): number {
  const { c, at } = kernel;
  const attributes = at(Buffer.alloc(1024));
  c.posix_spawnattr_init(attributes);
  c.posix_spawnattr_setflags(attributes, 4 | 8 | (newSession ? 0x80 : 0));
  c.posix_spawnattr_setsigdefault(attributes, at(Buffer.alloc(128, 0xff)));
  c.posix_spawnattr_setsigmask(attributes, at(Buffer.alloc(128)));
  const pid = Buffer.alloc(4);
  tryCommand(kernel, command, (file, argv, env) => c.posix_spawn(at(pid), file, 0n, attributes, argv, env));
  return pid.readInt32LE();
}

/** Searches the PATH as the C library does. */
function programFile({ argv: [name = ""], env }: Orders): string {
  if (name.includes("/")) return name;
  const fs = process.getBuiltinModule("node:fs");
  const isProgram = (file: string): boolean => {
    try {
      fs.accessSync(file, fs.constants.X_OK);
      return fs.statSync(file).isFile();
    } catch {
      return false;
    }
  };
  const folders = (env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  return folders.map((folder) => `${folder || "."}/${name}`).find(isProgram) ?? name;
}

/** Stays as the first process of the sandbox: reaps every orphaned process, and exits with the command. */
function waitForAll({ c, at, call }: Kernel, command: number): void {
  const fs = process.getBuiltinModule("node:fs");
  for (const fd of [0, 1, 2]) fs.closeSync(fd);
  const status = Buffer.alloc(4);
  const where = at(status);
  for (;;) {
    const ended = c.waitpid(-1, where, 0);
    if (ended !== command) continue;
    const waitStatus = status.readInt32LE();
    const signal = waitStatus & 0x7f;
    call("exitGroup", BigInt(signal === 0 ? (waitStatus >> 8) & 0xff : 128 + signal));
  }
}
