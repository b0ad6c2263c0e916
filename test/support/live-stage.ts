/** Folders for tests on real server processes: a home with a scripted model, a workspace, and ways to make the environment misbehave. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { engineHere } from "../../src/exec/testing.ts";
import { scratch } from "./process.ts";
import { writeHome } from "./verifies.ts";
import type { Message } from "./wire.ts";

/** A Node option that loads a file of test/faults/preload into the server. */
export const preload = (name: string): string => `--require=${path.join(import.meta.dirname, "../faults/preload", `${name}.cjs`)}`;

/** Landlock can neither protect names inside the workspace nor hide the home, which is in a temp folder here. */
const asksFirst = engineHere === "landlock";
const closedTemp = "sandbox_workspace_write = { exclude_slash_tmp = true, exclude_tmpdir_env_var = true }";

/** Creates a folder with a home whose model replies as scripted. */
export function stage(
  t: TestContext,
  turns: readonly unknown[] = [{ user: "/./", steps: [{ reason: "hm" }, { say: "You said {{user}}." }] }],
): string {
  const folder = scratch(t);
  mkdirSync(path.join(folder, "home"));
  mkdirSync(path.join(folder, "workspace"));
  writeHome(path.join(folder, "home"), { turns, config: asksFirst ? closedTemp : "" });
  return folder;
}
export const home = (folder: string): string => path.join(folder, "home");
/** Approvals are off, except where a command that may write runs only after one. */
export const settings = (folder: string) => ({
  cwd: path.join(folder, "workspace"),
  sandbox: "workspace-write",
  approvalPolicy: asksFirst ? "on-request" : "never",
});
/** The user's messages, turn by turn. */
export const textsOf = (turns: readonly Message[]): string[] =>
  turns.map((turn) => turn.items.find((item: Message) => item.type === "userMessage")?.content[0].text);
