/**
 * The program that applies Landlock to a command inside a sandbox that is already mounted, and then execs the command. Landlock forbids
 * mounting, so it cannot be applied earlier. It is machine code of a few hundred bytes and costs a command well under a millisecond.
 */
import type { FilterArch } from "../seccomp.ts";
import { governed, type LandlockRight, type LandlockRule, landlockRights } from "./landlock-rights.ts";
import { executable, type Register, type Step } from "./machine-code.ts";

/** The combinations of rights that a rule can grant. */
const kinds: readonly (readonly LandlockRight[])[] = [["read", "run"], ["device"], ["write", "run"]];
const deviceKind = 1;

/**
 * The first character of the name of every variable that contains a rule. The command never sees them, and none of its own variables may
 * start with it.
 */
export const ruleMark = "\u0001";
/** Length of what precedes the path: the mark, the kind, a number that makes the name unique, and the equals sign. */
const digits = 5;
const beforePath = 1 + 1 + digits + 1;

/**
 * The rules as environment variables: the mark and the number of the kind, then the path. They are not command-line arguments, so that a
 * sandbox that waits for its command can get different rules.
 */
export function ruleVariables(rules: readonly LandlockRule[]): (readonly [name: string, value: string])[] {
  const kindOf = ({ allow }: LandlockRule): number => {
    const kind = kinds.findIndex((rights) => rights.join() === allow.join());
    if (kind < 0) throw new Error(`landlock: there is no kind of rule for ${allow.join()}`);
    return kind;
  };
  return rules.map((rule, i) => [`${ruleMark}${kindOf(rule)}${String(i).padStart(digits, "0")}`, rule.path]);
}

/** Its arguments: the candidate paths of the command, an empty argument, and the command's arguments. */
export const stepArguments = (files: readonly string[], argv: readonly string[]): string[] => [...files, "", ...argv];

/** Without arguments its exit code is the kernel's Landlock version, or a number above `highestVersion`. */
export const highestVersion = 100;

/** The executable, for a kernel with this Landlock version. */
export function landlockStep(arch: FilterArch, version: number): Uint8Array {
  const { of } = landlockRights(version);
  const handled = governed(version, false);
  const u64s = (...values: bigint[]): Uint8Array => new Uint8Array(BigUint64Array.from(values).buffer);
  const data = {
    handled: u64s(...handled.values),
    // For each kind the rights for a folder, then those for a file, which has fewer.
    kinds: u64s(...kinds.flatMap((rights) => [of(rights, true), of(rights, false)])),
    shell: Buffer.from("/bin/sh\0"),
    failure: Buffer.from(failure),
  };
  return executable(arch, { steps: steps(arch, BigInt(handled.size)), data });
}

const failure = "parley: the command could not be started under Landlock\n";

/** System call numbers. */
const calls = {
  x64: { write: 1, close: 3, execve: 59, exit: 231, openat: 257 },
  arm64: { write: 64, close: 57, execve: 221, exit: 94, openat: 56 },
};
const landlock = { create: 444, add: 445, restrict: 446 };
const notProgram = -8;
const currentFolder = -100n;
/** O_PATH, O_CLOEXEC, O_NOFOLLOW: the last one differs between the two. */
const asPlace = { x64: 0o12400000n, arm64: 0o12100000n };

/**
 * First the rules: `k0` iterates over the variables, `k1` points to where the next of the command's own variables is stored, `k2` is the
 * ruleset, `k3` points to space for one rule in memory.
 */
function steps(arch: FilterArch, handledSize: bigint): Step[] {
  const call = calls[arch];
  return [
    { do: "stack", to: "k3" },
    { do: "load", to: "k4", at: "k3", offset: 16 }, // the argument after its own name
    { do: "jumpIf", what: "k4", is: "==", than: 0, to: "ask" },
    ...environment("k0", "k3"),
    copy("k1", "k0"),
    { do: "add", to: "k3", value: roomForRule },

    ...[address("a0", "handled"), set("a1", handledSize), set("a2", 0n), { do: "call", number: landlock.create } as const],
    { do: "jumpIf", what: "result", is: "<", than: 0, to: "fail" },
    copy("k2", "result"),
    // Scripts reopen /dev/stdout and similar files. A plain pipe can have no rule and needs none.
    ...[0n, 1n, 2n].flatMap((fd) => [address("k4", "kinds"), set("a0", fd), ...addRule(8 + 16 * deviceKind)]),

    { do: "label", name: "variable" },
    ...[{ do: "load", to: "k4", at: "k0", offset: 0 } as const, { do: "add", to: "k0", value: 8 } as const],
    { do: "jumpIf", what: "k4", is: "==", than: 0, to: "restrict" },
    { do: "loadByte", to: "a3", at: "k4" },
    { do: "jumpIf", what: "a3", is: "==", than: ruleMark.charCodeAt(0), to: "rule" },
    ...[{ do: "store", from: "k4", at: "k1", offset: 0 } as const, { do: "add", to: "k1", value: 8 } as const],
    { do: "jump", to: "variable" },

    { do: "label", name: "rule" },
    ...[set("a0", currentFolder), copy("a1", "k4"), { do: "add", to: "a1", value: beforePath } as const, set("a2", asPlace[arch])],
    ...[{ do: "add", to: "k4", value: 1 } as const, { do: "loadByte", to: "k4", at: "k4" } as const],
    ...[set("a3", 0n), { do: "call", number: call.openat } as const],
    { do: "jumpIf", what: "result", is: "<", than: 0, to: "variable" }, // the path no longer exists: nothing is allowed there
    copy("a0", "result"),
    // The address of the kind's rights, sixteen bytes each.
    { do: "add", to: "k4", value: -"0".charCodeAt(0) },
    ...[1, 2, 3, 4].map((): Step => ({ do: "addRegister", to: "k4", from: "k4" })),
    address("a3", "kinds"),
    { do: "addRegister", to: "k4", from: "a3" },
    ...addRule(0),
    { do: "jumpIf", what: "result", is: "==", than: 0, to: "close" },
    { do: "load", to: "a0", at: "k3", offset: 8 },
    ...addRule(8),
    { do: "jumpIf", what: "result", is: "<", than: 0, to: "fail" },
    { do: "label", name: "close" },
    { do: "load", to: "a0", at: "k3", offset: 8 },
    { do: "call", number: call.close },
    { do: "jump", to: "variable" },

    { do: "label", name: "restrict" },
    ...[copy("a0", "k2"), set("a1", 0n), { do: "call", number: landlock.restrict } as const],
    { do: "jumpIf", what: "result", is: "<", than: 0, to: "fail" },
    ...[set("a0", 0n), { do: "store", from: "a0", at: "k1", offset: 0 } as const],

    // Then the command: `k0` moves to its first argument, `k1` is its environment, `k3` iterates over the candidate paths.
    ...[{ do: "add", to: "k3", value: -roomForRule } as const, ...environment("k1", "k3")],
    ...[{ do: "add", to: "k3", value: 16 } as const, copy("k0", "k3")],
    { do: "label", name: "passFile" },
    ...[{ do: "load", to: "k4", at: "k0", offset: 0 } as const, { do: "add", to: "k0", value: 8 } as const],
    { do: "loadByte", to: "a3", at: "k4" },
    { do: "jumpIf", what: "a3", is: "!=", than: 0, to: "passFile" },
    { do: "label", name: "try" },
    ...[{ do: "load", to: "k4", at: "k3", offset: 0 } as const, { do: "add", to: "k3", value: 8 } as const],
    { do: "loadByte", to: "a3", at: "k4" },
    { do: "jumpIf", what: "a3", is: "==", than: 0, to: "fail" },
    ...[copy("a0", "k4"), copy("a1", "k0"), copy("a2", "k1"), { do: "call", number: call.execve } as const],
    { do: "jumpIf", what: "result", is: "!=", than: notProgram, to: "try" },
    // A script without an interpreter line is run by the shell, as in the C library.
    ...[{ do: "store", from: "k4", at: "k0", offset: 0 } as const, { do: "add", to: "k0", value: -8 } as const],
    ...[address("a0", "shell"), { do: "store", from: "a0", at: "k0", offset: 0 } as const],
    ...[copy("a1", "k0"), copy("a2", "k1"), { do: "call", number: call.execve } as const],

    { do: "label", name: "fail" },
    ...[set("a0", 2n), address("a1", "failure"), set("a2", BigInt(failure.length)), { do: "call", number: call.write } as const],
    ...[set("a0", 126n), { do: "call", number: call.exit } as const],

    { do: "label", name: "ask" },
    ...[set("a0", 0n), set("a1", 0n), set("a2", 1n), { do: "call", number: landlock.create } as const],
    ...[copy("a0", "result"), { do: "call", number: call.exit } as const],
  ];
}

const set = (to: Register, value: bigint): Step => ({ do: "set", to, value });
const copy = (to: Register, from: Register): Step => ({ do: "copy", to, from });
const address = (to: Register, of: string): Step => ({ do: "address", to, of });

const roomForRule = -64;

/** The address of the environment, computed from the address of argc: eight bytes per argument, and a zero after them. */
const environment = (to: Register, stack: Register): Step[] => [
  { do: "load", to, at: stack, offset: 0 },
  ...[1, 2, 3].map((): Step => ({ do: "addRegister", to, from: to })),
  { do: "addRegister", to, from: stack },
  { do: "add", to, value: 16 },
];

/**
 * Grants the rights stored `offset` bytes after `k4` on the descriptor in `a0`. In memory, a rule is the rights followed by the descriptor.
 */
const addRule = (offset: number): Step[] => [
  { do: "store", from: "a0", at: "k3", offset: 8 },
  ...[{ do: "load", to: "a0", at: "k4", offset } as const, { do: "store", from: "a0", at: "k3", offset: 0 } as const],
  ...[copy("a0", "k2"), set("a1", 1n), copy("a2", "k3"), set("a3", 0n)],
  { do: "call", number: landlock.add },
];
