/** The doctor's findings about the sandbox: each layer, tested with a harmless command as strictly confined as the model's own would be. */
import { constants } from "node:fs";
import { access, rm } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../lib/error-text.ts";
import type { App, SandboxState } from "../own-app.ts";
import type { Check, Finding } from "./doctor.ts";

/** It takes a tenth of a second; a busy machine is no reason to report that commands cannot be confined. */
const timeoutMs = 30_000;
const probe = "parley-doctor-probe";
/** Prints its seccomp filter and the network interfaces that it sees (Linux only), then tries to write. */
const script = `grep ^Seccomp: /proc/self/status; sed -n 's/^ *\\([^:|]*\\):.*/net \\1/p' /proc/net/dev; echo > ${probe} && echo written`;
const name = "sandbox";

export const checkSandbox: Check = async (app, config) => {
  if (config === undefined) return []; // nothing runs with settings that cannot be read, and it is not the sandbox's fault
  const cwd = process.cwd();
  try {
    const text = await outputOf(app, cwd);
    const written = await access(path.join(cwd, probe), constants.F_OK).then(
      () => true,
      () => false,
    );
    if (written) await rm(path.join(cwd, probe), { force: true });
    if (written || /^written$/m.test(text))
      return [fail("a command under read-only could write", "do not let the model run commands here; please report this")];
    const state = await app.runner.sandbox();
    const files: Finding = { name, state: "ok", text: "files: a write under read-only was refused" };
    const layers = process.platform === "linux" ? [files, network(text, state), filter(text)] : [files];
    return [engine(state), ...layers];
  } catch (error) {
    const reason = errorMessage(error);
    const fix =
      process.platform === "linux"
        ? 'follow what it says, or run in a container with sandbox_mode = "danger-full-access"'
        : "see docs for the sandbox of this system";
    return [fail(`commands cannot be confined here: ${reason}`, fix)];
  }
};

const fail = (text: string, fix: string): Finding => ({ name, state: "fail", text, fix });

async function outputOf(app: App, cwd: string): Promise<string> {
  const command = await app.runner.start(
    { argv: ["/bin/sh", "-c", script], cwd, env: { PATH: "/usr/bin:/bin" }, stdin: "closed", timeoutMs },
    { policy: { type: "readOnly" }, workspaceRoots: [cwd] },
    AbortSignal.timeout(timeoutMs),
  );
  const chunks: Uint8Array[] = [];
  command.onOutput = (chunk) => void chunks.push(Buffer.from(chunk)); // the buffer is reused
  await command.exit;
  return Buffer.concat(chunks).toString("utf8");
}

/** The engine and its limits, in one line. */
function engine({ line: text, fix }: SandboxState): Finding {
  return fix === undefined
    ? { name, state: "ok", text }
    : { name, state: "warn", text, fix: `${fix}; until then it protects only as far as this line says` };
}

function network(text: string, state: SandboxState): Finding {
  // Its rules and filter block the interfaces without hiding their names; the tests try each of them.
  if (state.engine === "landlock") return { name, state: "ok", text: "network: closed by rules and the system-call filter" };
  const ways = [...text.matchAll(/^net (.+)$/gm)].map(([, way]) => way).filter((way) => way !== "lo");
  if (ways.length === 0) return { name, state: "ok", text: "network: a command sees none of the machine's" };
  return fail(
    `network: a command without network access sees ${ways.join(", ")}`,
    "do not let the model run commands here; please report this",
  );
}

function filter(text: string): Finding {
  if (/^Seccomp:\s*2$/m.test(text)) return { name, state: "ok", text: "system calls: filtered" };
  const hasFilter = process.arch === "x64" || process.arch === "arm64";
  const fix = hasFilter
    ? "the other layers hold; the filter is stored in the home, which must be writable"
    : "the other layers hold; use x64 or arm64, where there is a filter";
  return { name, state: "warn", text: `system calls: not filtered on ${process.arch}`, fix };
}
