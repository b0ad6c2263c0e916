/** What test/fleet/chaos.ts found: the promises that it checks, those that were broken, and a log for those who look for a cause. */
import { appendFileSync } from "node:fs";

export const promises = [
  "P1 what was told is stored",
  "P2 one writer at a time, without gaps",
  "P3 clients are told of a lost worker",
  "P4 every turn ends, once",
  "P5 questions are answered and count",
  "P6 no command runs twice",
  "P7 a worker that wakes stores nothing",
  "P8 nothing durable is told twice on a connection",
  "P9 no team learns anything of another",
  "P10 no process had to be restarted by hand",
  "P10 an engine's restart interrupts no turn",
  "P11 who comes back at another front misses nothing",
  "P12 draining interrupts no turn",
] as const;
export type Promised = (typeof promises)[number];

export const broken: Map<string, string[]> = new Map();
export function breaks(promise: Promised, how: string): void {
  note(`BROKEN ${promise}: ${how}`);
  broken.set(promise, [...(broken.get(promise) ?? []), how]);
}

const began = performance.now();
let file: string | undefined;
export function logTo(name: string | undefined): void {
  file = name;
}
export function note(text: string): void {
  if (file !== undefined) appendFileSync(file, `${((performance.now() - began) / 1000).toFixed(2)} ${text}\n`);
}
