/**
 * The program inside every sandbox of our own engines: it reads a list of system calls from file descriptor 3 and carries it out. Machine
 * code of a few hundred bytes and the texts of errors: starting it takes less than a tenth of a millisecond. It decides nothing, so that
 * everything about the sandbox is in the server's code.
 */
import { getSystemErrorMap } from "node:util";
import type { FilterArch } from "../seccomp.ts";
import { fields, firstBytes, firstCall, memory, ownCalls, places } from "./call-list.ts";
import { executable, type Register, type Step } from "./machine-code.ts";

export const firstListDescriptor = 3;
export const secondListDescriptor = 4;
export const lifeDescriptor = 5;

const calls = { x64: { read: 0, write: 1, exit: 231 }, arm64: { read: 63, write: 64, exit: 94 } };
const mostErrors = 134;
/** Of an entry in the table of errors: the length of its text, then the text. A power of two. */
const entrySize = 64;
const doublings = 6;

export const listProgram = (arch: FilterArch): Uint8Array =>
  executable(arch, { steps: steps(arch), data: { errors: errorTable(), afterErrors: new Uint8Array(8) }, memory });

/** From the highest number down to 0, so that a negative result leads back from the table's end. */
function errorTable(): Uint8Array {
  const table = Buffer.alloc(mostErrors * entrySize);
  const known = getSystemErrorMap();
  for (let number = 0; number < mostErrors; number++) {
    const [name, text] = known.get(-number) ?? [`error ${number}`, undefined];
    const entry = Buffer.from(`${text ?? name}\n`).subarray(0, entrySize - 8);
    const at = (mostErrors - 1 - number) * entrySize;
    table.writeUInt32LE(entry.length, at);
    table.set(entry, at + 8);
  }
  return table;
}

/** `k0` is the current call, `k1` the place where the list is read to and scratch, `k4` the call's number. */
function steps(arch: FilterArch): Step[] {
  const call = calls[arch];
  const argumentRegisters: readonly Register[] = ["a0", "a1", "a2", "a3", "a4", "a5"];
  return [
    // The environment follows the arguments and a zero.
    { do: "stack", to: "k3" },
    load("k1", "k3", 0),
    ...[1, 2, 3].map((): Step => ({ do: "addRegister", to: "k1", from: "k1" })),
    { do: "addRegister", to: "k1", from: "k3" },
    load("k2", "k1", 16),
    ...[set("k4", places.firstVariable), store("k2", "k4", 0)],

    set("k1", places.first),
    label("read"),
    ...[set("a0", firstListDescriptor), copy("a1", "k1"), set("a2", places.first + firstBytes)],
    { do: "subtractRegister", to: "a2", from: "a1" },
    { do: "call", number: call.read },
    jumpIf("result", "<", 0, "fail"),
    jumpIf("result", "==", 0, "start"),
    { do: "addRegister", to: "k1", from: "result" },
    jump("read"),

    label("start"),
    // A list that is not whole is not begun.
    ...[set("k0", places.first), load("k2", "k0", 0), { do: "addRegister", to: "k2", from: "k0" } as const],
    { do: "subtractRegister", to: "k2", from: "k1" },
    jumpIf("k2", "!=", 0, "fail"),
    set("k0", places.first + firstCall),

    label("next"),
    load("k4", "k0", fields.number),
    ...argumentRegisters.flatMap((register, i) => [load(register, "k0", fields.arguments + 8 * i), load(register, register, 0)]),
    jumpIf("k4", "==", ownCalls.subtract, "subtract"),
    jumpIf("k4", "==", ownCalls.explain, "explain"),
    { do: "callNumbered", number: "k4" },
    jumpIf("result", ">=", 0, "done"),
    ...[set("k1", places.lastError), store("result", "k1", 0)],
    label("done"),
    ...[load("k1", "k0", fields.result), store("result", "k1", 0)],
    jumpIf("result", "<", 0, "negative"),
    jumpIf("result", "==", 0, "zero"),
    ...[load("k0", "k0", fields.positive), jump("next")],
    label("zero"),
    ...[load("k0", "k0", fields.zero), jump("next")],
    label("negative"),
    ...[load("k0", "k0", fields.negative), jump("next")],

    label("subtract"),
    ...[{ do: "subtractRegister", to: "a0", from: "a1" } as const, copy("result", "a0"), jump("done")],

    label("explain"),
    ...[set("k1", places.lastError), load("k1", "k1", 0)],
    jumpIf("k1", ">=", -(mostErrors - 1), "known"),
    set("k1", 0),
    label("known"),
    ...Array.from({ length: doublings }, (): Step => ({ do: "addRegister", to: "k1", from: "k1" })),
    { do: "address", to: "k2", of: "afterErrors" },
    ...[{ do: "addRegister", to: "k1", from: "k2" } as const, { do: "add", to: "k1", value: -entrySize } as const],
    ...[set("a0", 2), copy("a1", "k1"), { do: "add", to: "a1", value: 8 } as const, load("a2", "k1", 0)],
    ...[{ do: "call", number: call.write } as const, jump("done")],

    label("fail"),
    ...[set("a0", 1), { do: "call", number: call.exit } as const],
  ];
}

const label = (name: string): Step => ({ do: "label", name });
const jump = (to: string): Step => ({ do: "jump", to });
const jumpIf = (what: Register, is: "==" | "!=" | "<" | ">=", than: number, to: string): Step => ({ do: "jumpIf", what, is, than, to });
const set = (to: Register, value: number): Step => ({ do: "set", to, value: BigInt(value) });
const copy = (to: Register, from: Register): Step => ({ do: "copy", to, from });
const load = (to: Register, at: Register, offset: number): Step => ({ do: "load", to, at, offset });
const store = (from: Register, at: Register, offset: number): Step => ({ do: "store", from, at, offset });
