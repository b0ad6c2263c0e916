/** What a fuzz target is, how long one is tried, and the corpus of inputs that are tried for ever. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { errorStack } from "../../src/lib/error-text.ts";

/** Inputs are JSON, so that one that fails can be kept. */
export interface Target<Input = unknown> {
  readonly name: string;
  readonly input: fc.Arbitrary<Input>;
  /** Throws when a promise is broken. */
  check(input: Input): Promise<void> | void;
  close?(): Promise<void>;
}
export const target = <Input>(of: Target<Input>): Target => of as unknown as Target;

/** The seconds that one input may take; what takes longer counts as a hang. */
const patienceMs = 60_000;
const fileOf = (name: string): string => path.join(import.meta.dirname, "corpus", `${name}.json`);

export function corpusOf(name: string): readonly unknown[] {
  const kept: unknown = JSON.parse(readFileSync(fileOf(name), "utf8"));
  if (!Array.isArray(kept)) throw new Error(`${fileOf(name)} must hold a list of inputs`);
  return kept;
}
/** Keeps an input that failed: from now on every run begins with it. */
export function keep(name: string, input: unknown): void {
  const kept = corpusOf(name);
  const lines = [...kept, input].map((one) => JSON.stringify(one));
  writeFileSync(fileOf(name), `[\n  ${[...new Set(lines)].join(",\n  ")}\n]\n`);
}

export interface Verdict {
  readonly runs: number;
  readonly failure?: { readonly input: unknown; readonly reason: string; readonly seed: number };
}

/** Tries new inputs until the time is over. The one that fails comes back as small as it could be made. */
export async function fuzz({ input, check }: Target, ms: number, seed: number): Promise<Verdict> {
  const property = fc.asyncProperty(input, async (value) => inTime(check(value)));
  const { failed, counterexample, errorInstance, numRuns } = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: ms,
    markInterruptAsFailure: false,
  });
  if (!failed || counterexample === null) return { runs: numRuns };
  const reason = errorStack(errorInstance);
  return { runs: numRuns, failure: { input: counterexample[0], reason, seed } };
}
export async function inTime(work: Promise<void> | void): Promise<void> {
  if (work === undefined) return;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error(`no end after ${patienceMs} ms`)), patienceMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Text of all kinds that programs stumble over, for targets whose input is text. */
export const oddText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom("", "\0", "\u202e", "\ufeff", "\r\n", "\ud800", "a".repeat(5000), "\u001b[31m", "../../etc/passwd", "__proto__"),
);
/** Texts made of the given pieces and of odd text between them. */
export const woven = (pieces: readonly string[], maxLength = 30): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ arbitrary: fc.constantFrom(...pieces), weight: 6 }, { arbitrary: oddText, weight: 1 }), { maxLength })
    .map((parts) => parts.join(""));
