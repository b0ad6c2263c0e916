/**
 * Other work beside a benchmark, as a build or a second agent makes it: processes that compute in bursts and pause between them. Limits that
 * hold only on an idle machine are no limits. Run as a program, it is one such process.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** Bursts of a compiler's length, never the same twice, so that they fall in step with nothing that is measured. */
const shortestMs = 20;
const longestMs = 220;

/** Keeps so many processors busy on average until the returned function is called. */
export function startOtherWork(processors: number): () => void {
  const workers: ChildProcess[] = [];
  const count = Math.ceil(processors);
  for (let i = 0; i < count; i++)
    workers.push(spawn(process.execPath, [import.meta.filename, String(processors / count)], { stdio: ["pipe", "ignore", "inherit"] }));
  return () => {
    for (const worker of workers) worker.kill();
  };
}

/** Ends with the process that started it, whose end of the input is closed then. */
function work(share: number): void {
  process.stdin.on("close", () => process.exit()).resume();
  const burst = (): void => {
    const period = shortestMs + Math.random() * (longestMs - shortestMs);
    const until = performance.now() + period * share;
    let made: object[] = [];
    while (performance.now() < until) {
      made.push({ value: Math.random() });
      if (made.length > 50_000) made = [];
    }
    setTimeout(burst, period * (1 - share));
  };
  burst();
}

if (import.meta.main) work(Number(process.argv[2]));
