/** Reads what the recorder wrote: the wire between the extension and its server, and the promises that hold on every such wire. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";

export interface WireLine {
  /** `in`: from the extension to the server. */
  readonly direction: "in" | "out";
  readonly message: {
    readonly id?: string | number;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number; readonly message: string };
  };
}

export function readWire(file: string): readonly WireLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The questions of one turn with the answers they got. Fails when one got more than one answer. */
export function questions(
  wire: readonly WireLine[],
): readonly { readonly method: string; readonly answer: WireLine["message"] | undefined }[] {
  return wire.flatMap(({ direction, message }) => {
    if (direction !== "out" || message.method === undefined || message.id === undefined) return [];
    const answers = wire.filter((line) => line.direction === "in" && line.message.method === undefined && line.message.id === message.id);
    assert.ok(answers.length <= 1, `${message.method} ${message.id} was answered ${answers.length} times`);
    return [{ method: message.method, answer: answers[0]?.message }];
  });
}

/** Checks that the methods appear in this order, with anything between them. `<method>` is the answer to a question. */
export function assertOrder(wire: readonly WireLine[], expected: readonly string[]): void {
  const seen: string[] = [];
  const asked = new Map<unknown, string>();
  for (const { direction, message } of wire) {
    if (message.method !== undefined) {
      seen.push(message.method);
      if (direction === "out" && message.id !== undefined) asked.set(message.id, message.method);
    } else if (direction === "in") seen.push(`<${asked.get(message.id)}>`);
  }
  let at = 0;
  for (const method of seen) if (method === expected[at]) at++;
  assert.equal(
    at,
    expected.length,
    `the wire lacks ${expected[at]} after ${expected.slice(0, at).join(" → ")}; it was ${seen.join(" → ")}`,
  );
}
