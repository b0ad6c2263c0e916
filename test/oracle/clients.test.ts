/** Real clients of Codex against our server: its SDK, its terminal client, MCP clients. They are installed separately, never as dependencies. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { launcher } from "../support/process.ts";
import { sharedFolder } from "./versions.ts";

const clients = process.env["CLIENTS_DIR"] ?? "/var/tmp/parley-clients";
const scripts = "skip" in sharedFolder ? undefined : path.join(sharedFolder.path, "clients");

function missing(part: string, ...programs: readonly string[]): string | undefined {
  if (scripts === undefined) return "skip" in sharedFolder ? sharedFolder.skip : undefined;
  if (!existsSync(path.join(clients, part)))
    return `the real clients are not installed in ${clients} (shared clients/install.sh, CLIENTS_DIR)`;
  return programs
    .map((name) => (spawnSync("which", [name]).status === 0 ? undefined : `${name} is not installed`))
    .find((why) => why !== undefined);
}

function run(script: string, env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(path.join(scripts ?? "", script), {
      env: { ...process.env, SERVER_BIN: launcher, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.on("close", (code) => resolve({ code, output }));
  });
}

interface Row {
  readonly name: string;
  readonly part: string;
  readonly script: string;
  readonly passes: RegExp;
  readonly needs?: readonly string[];
  readonly env?: Record<string, string>;
  /** Keys typed while another program's terminal client draws may be lost, and nothing shows when it is ready: so they are typed again. */
  readonly tries?: number;
}

const terminal = { part: "codex", needs: ["tmux", "jq"], tries: 3 };
const notes = { NOTES_NODE: process.execPath, NOTES_SERVER: path.resolve(import.meta.dirname, "../support/mcp-fixture.ts") };
const rows: readonly Row[] = [
  { name: "the official TypeScript SDK", part: "sdk", script: "01-codex-sdk.sh", passes: /PASS 01-codex-sdk/ },
  { name: "the real terminal over a websocket", ...terminal, script: "02-tui-remote.sh", passes: /PASS 02-tui-remote/ },
  { name: "the real terminal over a unix socket", ...terminal, script: "02b-tui-unix.sh", passes: /PASS 02b-tui-unix/ },
  { name: "the real terminal resumes a thread", ...terminal, script: "02c-tui-resume.sh", passes: /PASS 02c-tui-resume/ },
  {
    name: "commands of the real terminal",
    ...terminal,
    script: "02-tui-remote.sh",
    passes: /PASS tui-slash/,
    env: { ...notes, TUI_STEPS: path.join(import.meta.dirname, "tui-slash-steps.sh") },
  },
  { name: "the MCP SDK's client", part: "mcp", script: "03-mcp-sdk.sh", passes: /PASS 03-mcp-sdk/ },
  {
    name: "an MCP client that answers as the specification has it",
    part: "mcp",
    script: "03-mcp-sdk.sh",
    passes: /PASS 03-mcp-sdk/,
    env: { ELICIT_STYLE: "spec" },
  },
];

for (const { name, part, script, passes, needs = [], env = {}, tries = 1 } of rows) {
  const skip = missing(part, ...needs);
  test(name, { timeout: 240_000 * tries, ...(skip === undefined ? {} : { skip }) }, async () => {
    let { code, output } = await run(script, env);
    for (let tried = 1; code !== 0 && tried < tries; tried++) ({ code, output } = await run(script, env));
    assert.match(output, passes, output.slice(-4000));
    assert.equal(code, 0, output.slice(-4000));
  });
}
