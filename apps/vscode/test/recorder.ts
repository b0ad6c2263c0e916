/** Stands between the extension and its server and writes every line of both directions down. Run as: recorder.ts FILE PROGRAM ARGS… */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const [file = "", program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });

function pass(from: Readable, to: Writable, direction: "in" | "out"): void {
  const lines = createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    appendFileSync(file, `${JSON.stringify({ direction, message: JSON.parse(line) })}\n`);
    to.write(`${line}\n`);
  });
  lines.on("close", () => to.end());
}
pass(process.stdin, child.stdin, "in");
pass(child.stdout, process.stdout, "out");
child.on("exit", (code) => process.exit(code ?? 1));
