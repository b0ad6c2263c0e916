/**
 * A list of system calls as the bytes that the list program carries out (`list-program.ts`): the server decides what is done, and the
 * program inside the sandbox only does it. Each call has the addresses of its arguments, where to put its result, and which call comes next
 * when that is negative, zero or positive.
 */
import type { FilterArch } from "../seccomp.ts";

/** The program's memory: some fixed places, the list that it begins with, and the one that it waits for. */
export const memory = { at: 0x1000_0000, size: 0x100_0000 };
export const places = {
  /** The result of the last call that failed. */
  lastError: memory.at,
  /** The address of the first environment variable that the program was started with, or 0. */
  firstVariable: memory.at + 8,
  unused: memory.at + 16,
  zero: memory.at + 24,
  first: memory.at + 0x1000,
  second: memory.at + 0x1_0000,
};
export const firstBytes = places.second - places.first;
export const secondBytes = memory.at + memory.size - places.second;

/** Offsets within a call, and its size. */
export const fields = { number: 0, arguments: 8, result: 56, negative: 64, zero: 72, positive: 80, size: 88 };
/** A list begins with its length; the first call is here. */
export const firstCall = 16;

/** Numbers that are no system calls: `subtract` takes the second argument from the first, `explain` prints the last error. */
export const ownCalls = { subtract: -1, explain: -2 };

const numbers = {
  x64: {
    ...{ read: 0, write: 1, close: 3, ioctl: 16, socket: 41, recvfrom: 45, sendmsg: 46, bind: 49, listen: 50, clone: 56, execve: 59 },
    ...{ wait4: 61, chdir: 80, fchdir: 81, getppid: 110, setsid: 112, capset: 126, pivotRoot: 155, prctl: 157, mount: 165, umount: 166 },
    ...{ exit: 231, openat: 257, mkdirat: 258, symlinkat: 266, readlinkat: 267, unshare: 272, seccomp: 317, blockSignals: 14 },
    ...{ getpid: 39, unlinkat: 263, ppoll: 271, dup3: 292, pipe2: 293 },
  },
  arm64: {
    ...{ read: 63, write: 64, close: 57, ioctl: 29, socket: 198, recvfrom: 207, sendmsg: 211, bind: 200, listen: 201, clone: 220 },
    ...{ execve: 221, wait4: 260, chdir: 49, fchdir: 50, getppid: 173, setsid: 157, capset: 91, pivotRoot: 41, prctl: 167, mount: 40 },
    ...{ umount: 39, exit: 94, openat: 56, mkdirat: 34, symlinkat: 36, readlinkat: 78, unshare: 97, seccomp: 277, blockSignals: 135 },
    ...{ getpid: 172, unlinkat: 35, ppoll: 73, dup3: 24, pipe2: 59 },
  },
} as const;
/** The same on every processor. */
const newer = {
  ...{ openTree: 428, moveMount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, closeRange: 436, openat2: 437, mountSetattr: 442 },
  ...{ landlockCreate: 444, landlockAdd: 445, landlockRestrict: 446 },
};
export type CallName = keyof (typeof numbers)["x64"] | keyof typeof newer | keyof typeof ownCalls;

/** A place of eight bytes, whose value when the call is made is the argument. */
export interface Cell {
  readonly cell: number;
}
export type Argument = number | bigint | Cell;

/** A place in the list to go on at. */
export class Label {
  at: number | undefined;
  /** Where its address has to be written once it is known. */
  readonly waiting: number[] = [];

  copy(): Label {
    const copy = new Label();
    copy.at = this.at;
    copy.waiting.push(...this.waiting);
    return copy;
  }
}
type Target = Label | { readonly address: number };
/** Where to go on; with the next call unless given. */
export interface Outcomes {
  readonly negative?: Target;
  readonly zero?: Target;
  readonly positive?: Target;
}

const failureText = "parley: the sandbox could not be made: ";

export class CallList {
  readonly #start: number;
  readonly #numbers: Readonly<Record<CallName, number>>;
  readonly #reportsAt: number | undefined;
  #bytes: Buffer;
  #used: number;
  /** Fields that get the address of the next call. */
  readonly #open: number[];
  /** Labels for the next call. */
  readonly #placed: Label[];
  readonly #constants: Map<number | bigint, number>;
  readonly #texts: Map<string, number>;
  readonly #structures: Map<string, number>;
  readonly #failures: Map<string, Label>;

  /** `start` is the address at which the program puts it. Into `reportsAt` it writes its exit code, one byte, before it exits. */
  constructor(arch: FilterArch, start: number, reportsAt?: number, from?: CallList) {
    this.#start = start;
    this.#reportsAt = reportsAt;
    this.#numbers = from === undefined ? { ...numbers[arch], ...newer, ...ownCalls } : from.#numbers;
    this.#bytes = from === undefined ? Buffer.alloc(0x1_0000) : Buffer.from(from.#bytes);
    this.#used = from === undefined ? firstCall : from.#used;
    this.#open = from === undefined ? [] : [...from.#open];
    this.#placed = from === undefined ? [] : [...from.#placed];
    this.#constants = new Map(from === undefined ? [] : from.#constants);
    this.#texts = new Map(from === undefined ? [] : from.#texts);
    this.#structures = new Map(from === undefined ? [] : from.#structures);
    this.#failures = new Map(from === undefined ? [] : [...from.#failures].map(([what, label]) => [what, label.copy()]));
    if (from !== undefined) return;
    // The first call has to be at a known place; the arguments of another one would come before it.
    this.#record("subtract", [{ cell: places.zero }, { cell: places.zero }], {}, places.unused);
  }

  /** A list of its own that begins like this one, whose labels are all placed. */
  copy(arch: FilterArch): CallList {
    return new CallList(arch, this.#start, this.#reportsAt, this);
  }

  /** A call that must succeed: else its error is printed after `what`, and the program ends. */
  must(what: string, name: CallName, ...args: readonly Argument[]): Cell {
    return this.branch({ negative: this.failure(what) }, name, args);
  }

  /** A call that may fail. */
  attempt(name: CallName, ...args: readonly Argument[]): Cell {
    return this.branch({}, name, args);
  }

  /** The same without a place for its result. */
  close(...descriptors: readonly Argument[]): void {
    for (const descriptor of descriptors) this.branch({}, "close", [descriptor], { cell: places.unused });
  }

  /** The result goes into `into`, else into a place of its own. */
  branch(outcomes: Outcomes, name: CallName, args: readonly Argument[], into: Cell = this.cell()): Cell {
    const cells = args.map((arg) => (typeof arg === "object" ? arg : { cell: this.#constant(arg) }));
    this.#record(name, cells, outcomes, into.cell);
    return into;
  }

  exit(code: Argument): void {
    const reported = this.#reportsAt === undefined ? undefined : this.branch({}, "subtract", [code, 0]);
    if (this.#reportsAt !== undefined && reported !== undefined) {
      this.attempt("write", this.#reportsAt, reported.cell, 1);
      // The kernel closes it only after it has taken apart all mounts, for which it waits until no processor looks at them.
      this.close(this.#reportsAt);
    }
    this.attempt("exit", reported ?? code);
  }

  goTo(target: Target): void {
    const zero = { cell: places.zero };
    this.branch({ negative: target, zero: target, positive: target }, "subtract", [zero, zero], { cell: places.unused });
  }

  /** The next call is the one that the label stands for. */
  place(label: Label): void {
    this.#placed.push(label);
  }

  /** What prints `what` and the last error, and ends the program. */
  failure(what: string): Label {
    const label = this.#failures.get(what) ?? new Label();
    this.#failures.set(what, label);
    return label;
  }

  cell(): Cell {
    return { cell: this.#reserve(8) };
  }

  bytes(bytes: Uint8Array): number {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at - this.#start);
    return at;
  }

  zeros(length: number): number {
    return this.#reserve(length);
  }

  /** As C has it, with a zero at its end. */
  text(text: string): number {
    let at = this.#texts.get(text);
    if (at === undefined) {
      at = this.bytes(Buffer.from(`${text}\0`));
      this.#texts.set(text, at);
    }
    return at;
  }

  /** Values of eight bytes one after another. */
  values(...values: readonly (number | bigint)[]): number {
    const at = this.#reserve(8 * values.length);
    for (const [i, value] of values.entries()) this.#writeValue(at - this.#start + 8 * i, value);
    return at;
  }

  /** The same for values that no call changes: equal ones are stored once. */
  constants(...values: readonly (number | bigint)[]): number {
    const key = values.join();
    let at = this.#structures.get(key);
    if (at === undefined) {
      at = this.values(...values);
      this.#structures.set(key, at);
    }
    return at;
  }

  /** An array of texts that ends with a zero; `further` cells more for what the program itself puts there. */
  texts(texts: readonly string[], further = 0): number {
    return this.values(...texts.map((each) => this.text(each)), ...Array.from({ length: further + 1 }, () => 0));
  }

  finish(): Uint8Array {
    // What comes after the last call is never reached; it must not be a random address.
    this.exit(1);
    const end = new Label();
    for (const [what, label] of this.#failures) {
      const text = Buffer.from(`${failureText}${what}: `);
      this.place(label);
      this.branch({ negative: end, zero: end, positive: end }, "write", [2, this.bytes(text), text.length], { cell: places.unused });
    }
    this.place(end);
    this.attempt("explain");
    this.exit(1);
    this.#writeValue(0, this.#used);
    return this.#bytes.subarray(0, this.#used);
  }

  #record(name: CallName, args: readonly Cell[], outcomes: Outcomes, result: number): void {
    const at = this.#reserve(fields.size);
    const offset = at - this.#start;
    for (const label of this.#placed) {
      label.at = at;
      this.#open.push(...label.waiting);
    }
    this.#placed.length = 0;
    for (const field of this.#open) this.#bytes.writeUInt32LE(at, field);
    this.#open.length = 0;
    this.#writeValue(offset + fields.number, this.#numbers[name]);
    for (let i = 0; i < 6; i++) this.#bytes.writeUInt32LE(args[i]?.cell ?? places.zero, offset + fields.arguments + 8 * i);
    this.#bytes.writeUInt32LE(result, offset + fields.result);
    for (const outcome of ["negative", "zero", "positive"] as const) this.#lead(offset + fields[outcome], outcomes[outcome]);
  }

  #lead(field: number, target: Target | undefined): void {
    if (target === undefined) this.#open.push(field);
    else if (!(target instanceof Label)) this.#bytes.writeUInt32LE(target.address, field);
    else if (target.at !== undefined) this.#bytes.writeUInt32LE(target.at, field);
    else target.waiting.push(field);
  }

  #constant(value: number | bigint): number {
    let at = this.#constants.get(value);
    if (at === undefined) {
      at = this.values(value);
      this.#constants.set(value, at);
    }
    return at;
  }

  #writeValue(offset: number, value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffff_ffff) this.#bytes.writeUInt32LE(value, offset);
    else this.#bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)), offset);
  }

  #reserve(length: number): number {
    const at = this.#used;
    this.#used += Math.ceil(length / 8) * 8;
    if (this.#used > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#used);
    return this.#start + at;
  }
}
