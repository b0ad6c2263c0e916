/**
 * Assembles small programs of system calls for x64 and arm64 into executable files. For code that must run inside a sandbox before the
 * command with almost no delay: starting Node there would take longer than most commands.
 */
import type { FilterArch } from "../seccomp.ts";

/**
 * `a0` to `a5` are the arguments of a system call, `result` is its return value (on arm64 the same register as `a0`); the others keep their
 * values.
 */
export type Register = "a0" | "a1" | "a2" | "a3" | "a4" | "a5" | "result" | "k0" | "k1" | "k2" | "k3" | "k4";
export type Condition = "==" | "!=" | "<" | ">=";

export type Step =
  | { readonly do: "label"; readonly name: string }
  | { readonly do: "set"; readonly to: Register; readonly value: bigint }
  /** The address of an entry of `data`. */
  | { readonly do: "address"; readonly to: Register; readonly of: string }
  | { readonly do: "copy"; readonly to: Register; readonly from: Register }
  /** The address where the kernel put argc, followed by the arguments. */
  | { readonly do: "stack"; readonly to: Register }
  | { readonly do: "add"; readonly to: Register; readonly value: number }
  | { readonly do: "addRegister"; readonly to: Register; readonly from: Register }
  | { readonly do: "subtractRegister"; readonly to: Register; readonly from: Register }
  | { readonly do: "load"; readonly to: Register; readonly at: Register; readonly offset: number }
  | { readonly do: "loadByte"; readonly to: Register; readonly at: Register }
  | { readonly do: "store"; readonly from: Register; readonly at: Register; readonly offset: number }
  | { readonly do: "call"; readonly number: number }
  /** The same with the number in a register. */
  | { readonly do: "callNumbered"; readonly number: Register }
  | { readonly do: "jump"; readonly to: string }
  | { readonly do: "jumpIf"; readonly what: Register; readonly is: Condition; readonly than: number; readonly to: string };

export interface TinyProgram {
  readonly steps: readonly Step[];
  readonly data: Readonly<Record<string, Uint8Array>>;
  /** Writable memory that begins as zeros; the address is a multiple of every page size. */
  readonly memory?: { readonly at: number; readonly size: number };
}

/** The load address; a multiple of every page size. */
const base = 0x40_0000;
const pageSize = 0x1_0000;
const elfHeaderSize = 64;
const segmentHeaderSize = 56;

/** The complete file: an ELF header, one readable, executable segment with the code and the data, and one for the memory. */
export function executable(arch: FilterArch, { steps, data, memory }: TinyProgram): Uint8Array {
  const { encode, machine } = processors[arch];
  const headerSize = elfHeaderSize + segmentHeaderSize * (memory === undefined ? 1 : 2);
  const sizes = steps.map((step) => encode(step, () => 0).length);
  const places = new Map<string, number>();
  let at = base + headerSize;
  for (const [i, step] of steps.entries()) {
    if (step.do === "label") places.set(step.name, at);
    at += sizes[i] ?? 0;
  }
  const padded = Object.entries(data).map(([name, bytes]) => {
    places.set(name, at);
    at += Math.ceil(bytes.length / 8) * 8;
    return Buffer.concat([bytes], Math.ceil(bytes.length / 8) * 8);
  });
  let here = base + headerSize;
  const code = steps.map((step, i) => {
    const end = here + (sizes[i] ?? 0);
    const placeOf = (name: string): number => {
      const place = places.get(name);
      if (place === undefined) throw new Error(`machine code: nothing is called ${name}`);
      return place;
    };
    const bytes = encode(step, step.do === "address" ? placeOf : (name) => placeOf(name) - (arch === "x64" ? end : end - 4));
    here = end;
    return bytes;
  });
  const segments = [
    segment({ at: base, inFile: at - base, size: at - base, access: readable | runnable }),
    ...(memory === undefined ? [] : [segment({ ...memory, inFile: 0, access: readable | writable })]),
  ];
  return Buffer.concat([header(machine, base + headerSize, segments.length), ...segments, ...code, ...padded]);
}

const runnable = 1;
const writable = 2;
const readable = 4;

/** The ELF header, 64-bit, little-endian. */
function header(machine: number, entry: number, segments: number): Uint8Array {
  const bytes = Buffer.alloc(elfHeaderSize);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // "ELF", 64 bits, little-endian, version 1
  bytes.writeUInt16LE(2, 16); // an executable
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(entry), 24);
  bytes.writeBigUInt64LE(BigInt(elfHeaderSize), 32); // the segments' headers follow
  bytes.writeUInt16LE(elfHeaderSize, 52);
  bytes.writeUInt16LE(segmentHeaderSize, 54);
  bytes.writeUInt16LE(segments, 56);
  return bytes;
}

/** A loadable segment; what is not in the file is zero. */
function segment({ at, inFile, size, access }: { at: number; inFile: number; size: number; access: number }): Uint8Array {
  const bytes = Buffer.alloc(segmentHeaderSize);
  bytes.writeUInt32LE(1, 0);
  bytes.writeUInt32LE(access, 4);
  for (const [offset, value] of [
    [16, at],
    [24, at],
    [32, inFile],
    [40, size],
    [48, pageSize],
  ] as const)
    bytes.writeBigUInt64LE(BigInt(value), offset);
  return bytes;
}

/** `find` returns the address of data, or the distance to a label. The encoded length never depends on it. */
type Encode = (step: Step, find: (name: string) => number) => Uint8Array;

const processors: Readonly<Record<FilterArch, { readonly machine: number; readonly encode: Encode }>> = {
  x64: { machine: 62, encode: encodeX64 },
  arm64: { machine: 183, encode: encodeArm64 },
};

/** rdi, rsi, rdx, r10, r8, r9 and rax; then rbx, rbp, r13, r14, r15, which system calls preserve. */
const x64Registers: Readonly<Record<Register, number>> = {
  ...{ a0: 7, a1: 6, a2: 2, a3: 10, a4: 8, a5: 9, result: 0 },
  ...{ k0: 3, k1: 5, k2: 13, k3: 14, k4: 15 },
};
const x64Conditions: Readonly<Record<Condition, number>> = { "==": 0x84, "!=": 0x85, "<": 0x8c, ">=": 0x8d };

function encodeX64(step: Step, find: (name: string) => number): Uint8Array {
  const r = x64Registers;
  const int32 = (value: number): number[] => [...new Uint8Array(Int32Array.of(value).buffer)];
  const int64 = (value: bigint): number[] => [...new Uint8Array(BigInt64Array.of(value).buffer)];
  /** REX.W with the upper bits of both registers, the opcode, and either two registers (`mode` 3) or a register and memory (`mode` 2). */
  const coded = (operation: readonly number[], mode: number, reg: number, rm: number): number[] => [
    ...[0x48 | ((reg >> 3) << 2) | (rm >> 3), ...operation],
    (mode << 6) | ((reg & 7) << 3) | (rm & 7),
  ];
  const setTo = (register: number, value: bigint): number[] => [0x48 | (register >> 3), 0xb8 | (register & 7), ...int64(value)];
  switch (step.do) {
    case "label":
      return Uint8Array.of();
    case "set":
      return Uint8Array.from(setTo(r[step.to], step.value));
    case "address":
      return Uint8Array.from(setTo(r[step.to], BigInt(find(step.of))));
    case "copy":
      return Uint8Array.from(coded([0x89], 3, r[step.from], r[step.to]));
    case "stack":
      return Uint8Array.from(coded([0x89], 3, 4, r[step.to]));
    case "add":
      return Uint8Array.from([...coded([0x81], 3, 0, r[step.to]), ...int32(step.value)]);
    case "addRegister":
      return Uint8Array.from(coded([0x01], 3, r[step.from], r[step.to]));
    case "subtractRegister":
      return Uint8Array.from(coded([0x29], 3, r[step.from], r[step.to]));
    case "load":
      return Uint8Array.from([...coded([0x8b], 2, r[step.to], r[step.at]), ...int32(step.offset)]);
    case "loadByte":
      return Uint8Array.from([...coded([0x0f, 0xb6], 2, r[step.to], r[step.at]), ...int32(0)]);
    case "store":
      return Uint8Array.from([...coded([0x89], 2, r[step.from], r[step.at]), ...int32(step.offset)]);
    case "call":
      return Uint8Array.from([...setTo(r.result, BigInt(step.number)), 0x0f, 0x05]);
    case "callNumbered":
      return Uint8Array.from([...coded([0x89], 3, r[step.number], r.result), 0x0f, 0x05]);
    case "jump":
      return Uint8Array.from([0xe9, ...int32(find(step.to))]);
    case "jumpIf":
      return Uint8Array.from([
        ...[...coded([0x81], 3, 7, r[step.what]), ...int32(step.than)],
        ...[0x0f, x64Conditions[step.is], ...int32(find(step.to))],
      ]);
  }
}

/** x0 to x5, the first of which is also the return value; then x19 to x23, which system calls preserve. */
const arm64Registers: Readonly<Record<Register, number>> = {
  ...{ a0: 0, a1: 1, a2: 2, a3: 3, a4: 4, a5: 5, result: 0 },
  ...{ k0: 19, k1: 20, k2: 21, k3: 22, k4: 23 },
};
const arm64Conditions: Readonly<Record<Condition, number>> = { "==": 0, "!=": 1, "<": 11, ">=": 10 };

function encodeArm64(step: Step, find: (name: string) => number): Uint8Array {
  const r = arm64Registers;
  const coded = (...instructions: number[]): Uint8Array => new Uint8Array(Uint32Array.from(instructions.map((each) => each >>> 0)).buffer);
  /** Sixteen bits at a time: the first clears the rest (MOVZ), the others keep it (MOVK). */
  const setTo = (register: number, value: bigint): number[] =>
    [0n, 1n, 2n, 3n].map(
      (i) =>
        (i === 0n ? 0xd280_0000 : 0xf280_0000) |
        (Number(i) << 21) |
        (Number((BigInt.asUintN(64, value) >> (16n * i)) & 0xffffn) << 5) |
        register,
    );
  /** An immediate to add or compare: as it is, or as the opposite operation with its absolute value. */
  const small = (positive: number, negative: number, value: number): number => (value < 0 ? negative : positive) | (Math.abs(value) << 10);
  /** Loads and stores with a nine-bit offset. */
  const memory = (operation: number, register: number, at: number, offset: number): number =>
    operation | ((offset & 0x1ff) << 12) | (at << 5) | register;
  const instructionsTo = (name: string): number => find(name) / 4;
  switch (step.do) {
    case "label":
      return coded();
    case "set":
      return coded(...setTo(r[step.to], step.value));
    case "address":
      return coded(...setTo(r[step.to], BigInt(find(step.of))));
    case "copy":
      return coded(0xaa00_03e0 | (r[step.from] << 16) | r[step.to]);
    case "stack":
      return coded(0x9100_03e0 | r[step.to]);
    case "add":
      return coded(small(0x9100_0000, 0xd100_0000, step.value) | (r[step.to] << 5) | r[step.to]);
    case "addRegister":
      return coded(0x8b00_0000 | (r[step.from] << 16) | (r[step.to] << 5) | r[step.to]);
    case "subtractRegister":
      return coded(0xcb00_0000 | (r[step.from] << 16) | (r[step.to] << 5) | r[step.to]);
    case "load":
      return coded(memory(0xf840_0000, r[step.to], r[step.at], step.offset));
    case "loadByte":
      return coded(memory(0x3840_0000, r[step.to], r[step.at], 0));
    case "store":
      return coded(memory(0xf800_0000, r[step.from], r[step.at], step.offset));
    case "call":
      return coded(0xd280_0000 | (step.number << 5) | 8, 0xd400_0001);
    case "callNumbered":
      return coded(0xaa00_03e0 | (r[step.number] << 16) | 8, 0xd400_0001);
    case "jump":
      return coded(0x1400_0000 | (instructionsTo(step.to) & 0x3ff_ffff));
    case "jumpIf":
      return coded(
        small(0xf100_001f, 0xb100_001f, step.than) | (r[step.what] << 5),
        0x5400_0000 | ((instructionsTo(step.to) & 0x7_ffff) << 5) | arm64Conditions[step.is],
      );
  }
}
