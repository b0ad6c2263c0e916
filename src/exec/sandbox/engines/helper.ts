/** The Node process that builds sandboxes from inside: which binary to use, how to start it, and whether it works here. */
import { spawn } from "node:child_process";
import { isBuiltin } from "node:module";
import { ownModule } from "../../../lib/own-module.ts";
import { insideProgram } from "./inside.ts";
import type { Orders } from "./orders.ts";

/** File descriptors of the program inside. */
const programDescriptor = 3;
export const ordersDescriptor = 4;

/** One thread less each: no background compilation, and no signal that opens a debugger. */
const flags = ["--no-warnings", "--v8-pool-size=0", "--disable-sigusr1"];
/** The program is passed through a file descriptor, so that it is not part of the command line that everybody can see. */
const loader = `new Function(require("node:fs").readFileSync(${programDescriptor}, "utf8"))()`;

const ownNode = `node-${process.platform}-${process.arch}`;

export const noHelperNode = `this Node (${process.version}) has no node:ffi: start Parley with Node 26, or install one beside Parley (npm install ${ownNode}@26, with -g where Parley was installed with -g)`;

/** A Node with node:ffi: the one that runs the server, else the one installed with it. */
export function helperNode(): string | undefined {
  if (isBuiltin("node:ffi")) return process.execPath;
  return ownModule(`${ownNode}/bin/node`);
}

export const helperArgv = (node: string): string[] => [node, ...flags, "-e", loader, "parley-sandbox"];

export const programBytes = (): Uint8Array => Buffer.from(insideProgram());
export const ordersBytes = (orders: Orders): Uint8Array => Buffer.from(JSON.stringify(orders));

/** Runs the command with its program and orders. Returns its output and exit code. */
export function runHelper(
  argv: readonly string[],
  program: Uint8Array,
  orders: Orders,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const [file = "", ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      ...{ cwd: "/", env: {}, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"], timeout: 20_000, killSignal: "SIGKILL" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(0, 4_000);
      });
    for (const [descriptor, bytes] of [
      [programDescriptor, program],
      [ordersDescriptor, ordersBytes(orders)],
    ] as const) {
      const input = child.stdio[descriptor];
      if (input === null || input === undefined || !("end" in input)) continue;
      input.on("error", () => undefined); // It may exit before it reads; its error message says why.
      input.end(bytes);
    }
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output: output.trim() }));
  });
}
