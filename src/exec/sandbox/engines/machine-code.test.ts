import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { executable, type Step } from "./machine-code.ts";

/** Compares each step with the output of GNU as for the same instructions. The x64 code also runs, in the tests of the step itself. */
const encoded: readonly { readonly step: Step; readonly arm64: string }[] = [
  { step: { do: "set", to: "a0", value: 0x0123_4567_89abn }, arm64: "d2913560 f2a8ace0 f2c02460 f2e00000" },
  { step: { do: "copy", to: "k0", from: "result" }, arm64: "aa0003f3" },
  { step: { do: "stack", to: "k3" }, arm64: "910003f6" },
  { step: { do: "add", to: "k1", value: 16 }, arm64: "91004294" },
  { step: { do: "add", to: "k3", value: -64 }, arm64: "d10102d6" },
  { step: { do: "addRegister", to: "k4", from: "a3" }, arm64: "8b0302f7" },
  { step: { do: "subtractRegister", to: "a2", from: "a1" }, arm64: "cb010042" },
  { step: { do: "callNumbered", number: "k4" }, arm64: "aa1703e8 d4000001" },
  { step: { do: "load", to: "a5", at: "a5", offset: 0 }, arm64: "f84000a5" },
  { step: { do: "load", to: "k2", at: "k0", offset: -8 }, arm64: "f85f8275" },
  { step: { do: "loadByte", to: "a3", at: "k4" }, arm64: "384002e3" },
  { step: { do: "store", from: "a0", at: "k3", offset: 8 }, arm64: "f80082c0" },
  { step: { do: "call", number: 446 }, arm64: "d28037c8 d4000001" },
  { step: { do: "jumpIf", what: "result", is: "<", than: 0, to: "start" }, arm64: "f100001f 54ffffeb" },
  { step: { do: "jumpIf", what: "result", is: "!=", than: -8, to: "start" }, arm64: "b100201f 54ffffe1" },
  { step: { do: "jumpIf", what: "a3", is: "==", than: 0, to: "end" }, arm64: "f100007f 54000020" },
  { step: { do: "jump", to: "end" }, arm64: "14000001" },
];

const headers = 64 + 56;

describe("machine code", () => {
  for (const { step, arm64 } of encoded)
    test(`on arm64: ${step.do} ${arm64}`, () => {
      const steps: Step[] = [{ do: "label", name: "start" }, step, { do: "label", name: "end" }];
      const code = executable("arm64", { steps, data: {} }).subarray(headers);
      assert.equal([...new Uint32Array(Uint8Array.from(code).buffer)].map((each) => each.toString(16).padStart(8, "0")).join(" "), arm64);
    });

  test("data comes after the code, at the address that the code uses", () => {
    for (const arch of ["x64", "arm64"] as const) {
      const file = Buffer.from(
        executable(arch, { steps: [{ do: "address", to: "a0", of: "b" }], data: { a: Buffer.from("first"), b: Buffer.from("second") } }),
      );
      assert.equal(file.length - file.indexOf("second"), 8);
      const halves = arch === "x64" ? [file.readUInt32LE(headers + 2)] : [0, 4].map((i) => (file.readUInt32LE(headers + i) >> 5) & 0xffff);
      const address = halves.reduceRight((sum, half) => sum * 0x1_0000 + half, 0);
      assert.equal(address - 0x40_0000, file.indexOf("second"));
    }
  });

  test("memory is a second segment that the file has no bytes for", () => {
    const file = Buffer.from(executable("x64", { steps: [], data: {}, memory: { at: 0x1000_0000, size: 0x1_0000 } }));
    assert.equal(file.length, 64 + 2 * 56);
    assert.equal(file.readUInt16LE(56), 2);
    assert.deepEqual(
      [16, 32, 40].map((offset) => file.readBigUInt64LE(64 + 56 + offset)),
      [0x1000_0000n, 0n, 0x1_0000n],
    );
    assert.equal(file.readUInt32LE(64 + 56 + 4), 4 | 2, "readable and writable, not executable");
  });

  test("an unknown name is an error, not a jump to a random address", () => {
    assert.throws(() => executable("x64", { steps: [{ do: "jump", to: "nowhere" }], data: {} }), /nothing is called nowhere/);
  });
});
