/**
 * The calls around a sandboxed command: the namespaces that it gets, the wait for the list that builds its sandbox, what it may do no more,
 * its start, and the processes that stay until it has ended.
 */
import { programCandidates } from "../../../lib/program.ts";
import { channelDescriptor, listenAddress, listenerMessage } from "../../network/listener.ts";
import type { FilterArch } from "../seccomp.ts";
import { CallList, type Cell, firstCall, Label, places, secondBytes } from "./call-list.ts";
import type { SandboxPlan } from "./engine.ts";
import { governed, type LandlockRule, landlockRights } from "./landlock-rights.ts";
import { firstListDescriptor, lifeDescriptor, secondListDescriptor } from "./list-program.ts";
import { find } from "./mount-calls.ts";

const closeOnExec = 0o2000000;
const currentFolder = -100;
const lastDescriptor = 0xffff_ffff;
const childEnds = 17; // SIGCHLD
const kill = 9;
const namespaces = { user: 0x1000_0000, mounts: 0x2_0000, queues: 0x800_0000, processes: 0x2000_0000, network: 0x4000_0000 };
const slaveMounts = (1 << 19) | (1 << 14);
const prctl = { dieWith: 1, dumpable: 4, dropBound: 24, noNewPrivileges: 38, ambient: 47 };

/** A process of the server that waits for its command: nothing is done yet but what is the same for all of them. */
export function waitingList(arch: FilterArch): Uint8Array {
  const list = new CallList(arch, places.first);
  dieWithParent(list);
  dropBounds(list);
  waitForList(list);
  return list.finish();
}

/** The same in namespaces of its own. While it waits it receives mounts from outside; the list that it waits for stops that first. */
export function namespacesList(arch: FilterArch, { network, user, group }: { network: boolean; user: number; group: number }): Uint8Array {
  const list = new CallList(arch, places.first, lifeDescriptor);
  dieWithParent(list);
  const { user: own, mounts, queues, processes, network: ownNetwork } = namespaces;
  list.must("new namespaces", "unshare", own | mounts | queues | processes | (network ? 0 : ownNetwork));
  for (const [file, text] of [
    ["/proc/self/setgroups", "deny"],
    ["/proc/self/uid_map", `${user} ${user} 1\n`],
    ["/proc/self/gid_map", `${group} ${group} 1\n`],
  ] as const) {
    const opened = list.must(file, "openat", currentFolder, list.text(file), 1 | closeOnExec, 0);
    list.must(file, "write", opened, list.text(text), text.length);
    list.close(opened);
  }
  list.must("mounts of its own", "mount", list.text("none"), list.text("/"), 0, slaveMounts, 0);
  dropBounds(list);
  const inside = new Label();
  const child = list.branch({ zero: inside, negative: list.failure("a new process") }, "clone", [childEnds, 0, 0, 0, 0]);
  // Signals to the command must not end it before its child: only its exit tells how the command has ended.
  list.attempt("blockSignals", 2, list.values(-1), 0, 8);
  closeAllButLife(list);
  waitFor(list, child);
  list.place(inside);
  dieWithParent(list);
  if (!network) raiseLoopback(list);
  waitForList(list);
  return list.finish();
}

export function dieWithParent(list: CallList): void {
  list.must("ending together with the server", "prctl", prctl.dieWith, kill, 0, 0, 0);
}

/** Reads the second list and goes on with it. Without a whole one the server no longer needs this process. */
function waitForList(list: CallList): void {
  const [more, whole, given, unneeded] = [new Label(), new Label(), new Label(), new Label()];
  const at: Cell = { cell: list.values(places.second) };
  const room: Cell = { cell: list.values(secondBytes) };
  list.place(more);
  const count = list.branch({ zero: whole, negative: list.failure("reading what to do") }, "read", [secondListDescriptor, at, room]);
  const less = list.branch({}, "subtract", [0, count]);
  list.branch({}, "subtract", [room, count], room);
  list.branch({ negative: more, zero: more, positive: more }, "subtract", [at, less], at);
  list.place(whole);
  const length = list.branch({ zero: unneeded }, "subtract", [at, places.second]);
  list.branch({ zero: given }, "subtract", [length, { cell: places.second }]);
  list.place(unneeded);
  list.exit(0);
  list.place(given);
  list.close(firstListDescriptor, secondListDescriptor);
  list.goTo({ address: places.second + firstCall });
}

function raiseLoopback(list: CallList): void {
  const request = Buffer.alloc(40);
  request.write("lo");
  request.writeInt16LE(1 | 0x40, 16);
  const socket = list.must("loopback", "socket", 2, 2 | closeOnExec, 0);
  list.must("loopback", "ioctl", socket, 0x8914, list.bytes(request));
  list.close(socket);
}

/**
 * Nothing would end a command started for a server that died before this process was bound to it. In a PID namespace the parent is not
 * visible: there a file descriptor shows it.
 */
export function endIfServerGone(list: CallList, server?: number): void {
  const [gone, there] = [new Label(), new Label()];
  // An error or a hang-up is reported unasked: nobody is at the other end.
  if (server === undefined)
    list.branch({ zero: there, positive: gone, negative: there }, "ppoll", [list.values(lifeDescriptor), 1, list.zeros(16), 0, 0]);
  else list.branch({ zero: there }, "subtract", [list.attempt("getppid"), server]);
  list.place(gone);
  list.exit(0);
  list.place(there);
}

/** Listens in the new network and passes the socket to the server; the command inherits neither the socket nor the channel. */
export function passListener(list: CallList): void {
  const socket = list.must("the proxy", "socket", 2, 1 | closeOnExec, 0);
  list.must("the proxy", "bind", socket, list.bytes(listenAddress()), 16);
  list.must("the proxy", "listen", socket, 128);
  const message = Buffer.from(listenerMessage);
  const vector = list.values(list.bytes(message), message.length);
  const control = list.values(20, 1n | (1n << 32n), 0);
  list.branch({}, "subtract", [socket, 0], { cell: control + 16 });
  list.must("the proxy", "sendmsg", channelDescriptor, list.values(0, 0, vector, 1, control, 24, 0), 0);
  list.close(socket, channelDescriptor);
}

/**
 * No program that it starts can have any privilege; its own it keeps until `confine`. Without the privilege to do this there is nothing to drop:
 * and no program can gain any, because no_new_privs is set by then.
 */
function dropBounds(list: CallList): void {
  const next = new Label();
  const capability: Cell = { cell: list.values(64) };
  list.place(next);
  list.branch({}, "subtract", [capability, 1], capability);
  list.attempt("prctl", prctl.dropBound, capability, 0, 0, 0);
  list.branch({ positive: next }, "subtract", [capability, 0]);
}

export interface Confining {
  readonly landlock: { readonly version: number; readonly rules: readonly LandlockRule[]; readonly noTcp: boolean } | undefined;
  readonly filter: Uint8Array;
}

/** From here on this process and all that it starts can do no more than the command may. */
export function confine(list: CallList, cwd: string, { landlock, filter }: Confining): void {
  list.must(cwd, "chdir", list.text(cwd));
  list.must("no new privileges", "prctl", prctl.noNewPrivileges, 1, 0, 0, 0);
  list.attempt("prctl", prctl.ambient, 4, 0, 0, 0);
  list.must("capabilities", "capset", list.values(0x20080522), list.zeros(24));
  if (landlock !== undefined) applyLandlock(list, landlock);
  list.attempt("prctl", prctl.dumpable, 0, 0, 0, 0); // No other process may inspect this one.
  list.must("the system-call filter", "seccomp", 1, 0, list.values(filter.length / 8, list.bytes(filter)));
}

function applyLandlock(list: CallList, { version, rules, noTcp }: NonNullable<Confining["landlock"]>): void {
  const { values, size } = governed(version, noTcp);
  const { of } = landlockRights(version);
  const ruleset = list.must("landlock", "landlockCreate", list.values(...values), size, 0);
  // Scripts reopen /dev/stdout and similar files. A plain pipe can have no rule and needs none.
  for (const fd of [0, 1, 2]) list.attempt("landlockAdd", ruleset, 1, list.values(of(["device"], false), fd), 0);
  for (const { path, allow } of rules) {
    const [missing, allowed] = [new Label(), new Label()];
    const forFolder = list.values(of(allow, true), 0);
    const place = find(list, path, missing, { cell: forFolder + 8 });
    list.branch({ zero: allowed, positive: allowed }, "landlockAdd", [ruleset, 1, forFolder, 0]);
    // A file: the kernel takes only the rights that files have.
    const forFile = list.values(of(allow, false), 0);
    list.branch({}, "subtract", [place, 0], { cell: forFile + 8 });
    list.must(`landlock ${path}`, "landlockAdd", ruleset, 1, forFile, 0);
    list.place(allowed);
    list.close(place);
    list.place(missing);
  }
  list.must("landlock", "landlockRestrict", ruleset, 0);
}

/** Starts the command and stays as the first process of the sandbox: reaps every orphaned process, and exits with the command. */
export function startCommand(list: CallList, plan: Pick<SandboxPlan, "argv" | "cwd" | "env" | "hasTerminal">): void {
  const command = new Label();
  const child = list.branch({ zero: command, negative: list.failure("a new process") }, "clone", [childEnds, 0, 0, 0, 0]);
  closeAllButLife(list);
  waitFor(list, child);
  list.place(command);
  if (!plan.hasTerminal) list.attempt("setsid"); // A command with a terminal creates its own session.
  becomeCommand(list, plan);
}

/** A script without an interpreter line is run by the shell, as in the C library. */
export function becomeCommand(list: CallList, { argv, cwd, env }: Pick<SandboxPlan, "argv" | "cwd" | "env">): void {
  const [name = "", ...args] = argv;
  const variables = Object.entries({ ...env, PWD: cwd }).map(([variable, value]) => `${variable}=${value}`);
  const environment = list.texts(variables, 1);
  // The one variable that the server started this process with marks all processes of the command.
  list.branch({}, "subtract", [{ cell: places.firstVariable }, 0], { cell: environment + 8 * variables.length });
  list.attempt("closeRange", 3, lastDescriptor, 0);
  const given = list.texts(argv);
  for (const file of name.includes("/") ? [name] : programCandidates(name, env["PATH"], cwd)) {
    const [byShell, next] = [new Label(), new Label()];
    const failed = list.attempt("execve", list.text(file), given, environment);
    list.branch({ zero: byShell, negative: next, positive: next }, "subtract", [failed, notProgram]);
    list.place(byShell);
    list.attempt("execve", list.text("/bin/sh"), list.texts(["/bin/sh", file, ...args]), environment);
    list.place(next);
  }
  list.goTo(list.failure(name));
}
const notProgram = -8;

/** All that the command has is the command's: whoever reads its output must not wait for this process. */
function closeAllButLife(list: CallList): void {
  list.attempt("closeRange", 0, lifeDescriptor - 1, 0);
  list.attempt("closeRange", lifeDescriptor + 1, lastDescriptor, 0);
}

/** Exits as the child has: with its code, or 128 and the number of the signal that ended it. */
function waitFor(list: CallList, child: Cell): void {
  const [again, ended, bySignal, withDump] = [new Label(), new Label(), new Label(), new Label()];
  // The low byte of the status is 0 for a code, which is the next byte; else the signal, with the top bit for a dump.
  const status = list.zeros(24) + 8;
  list.place(again);
  const pid = list.must("waiting for the command", "wait4", -1, status, 0, 0);
  list.branch({ zero: ended, negative: again, positive: again }, "subtract", [pid, child]);
  list.place(ended);
  list.branch({ positive: bySignal, negative: withDump }, "subtract", [{ cell: status - 7 }, 0]);
  list.exit({ cell: status + 1 });
  list.place(bySignal);
  list.exit(list.branch({}, "subtract", [{ cell: status }, -128]));
  list.place(withDump);
  list.exit({ cell: status });
}
