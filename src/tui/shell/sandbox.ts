/** What confines commands on the server's machine, for the header and `/status`. */

import { cleanLine } from "../../lib/terminal-text.ts";
import type { SandboxReadResponse } from "../../protocol/sandbox.ts";
import type { Shell } from "./shell.ts";

/** Testing a sandbox takes a tenth of a second; a busy machine may take longer. */
const patienceMs = 30_000;

/** Undefined where the server does not report it: a server other than Parley, or an older one. */
export async function readSandbox(shell: Shell): Promise<SandboxReadResponse | undefined> {
  try {
    return await shell.client().call("sandbox/read", {}, { timeoutMs: patienceMs });
  } catch {
    return undefined;
  }
}

export const sandboxLine = ({ line, fix }: SandboxReadResponse): string => cleanLine(`${line}${fix ? `. To strengthen it: ${fix}` : ""}`);
