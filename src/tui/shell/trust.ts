/** On the first start in a folder: asks whether the agent may work in it. Written to the person's config, once. */
import path from "node:path";
import { named, object, optional, parse, record, unknown } from "../../lib/schema.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import { createPicker } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

const Projects = named("ProjectsInConfig", () => object({ projects: optional(record(unknown())) }));

/** Asks only if neither a flag nor the config has decided it. */
export async function askForTrust(shell: Shell): Promise<void> {
  const { options } = shell;
  const { cwd } = options;
  if (cwd === undefined || options.sandbox !== undefined || options.approvalPolicy !== undefined) return;
  const { config } = await shell.client().call("config/read", { cwd });
  if (config.sandbox_mode || config.approval_policy) return;
  const projects = parse(Projects, config)?.projects ?? {};
  const root = await projectRoot(shell, cwd);
  if (isSettled(projects, cwd) || isSettled(projects, root)) return;
  const choice = await shell.pick(
    createPicker({
      title: `May the agent work in ${cleanLine(root)}?`,
      items: [
        { id: "trusted", label: "Yes, I trust what is in it", detail: "it may change files here; the folder's own settings count" },
        { id: "untrusted", label: "Yes, but ask me every time", detail: "the folder's own settings do not count" },
        { id: "later", label: "Look only, for now", detail: "nothing is changed without a question" },
      ],
    }),
  );
  if (choice !== "trusted" && choice !== "untrusted") return;
  await shell.client().call("config/value/write", {
    keyPath: `projects.${JSON.stringify(root)}.trust_level`,
    value: choice,
    mergeStrategy: "replace",
  });
}

function isSettled(projects: Readonly<Record<string, unknown>>, folder: string): boolean {
  for (let dir = folder; ; dir = path.dirname(dir)) {
    if (Object.hasOwn(projects, dir)) return true;
    if (path.dirname(dir) === dir) return false;
  }
}

async function projectRoot(shell: Shell, cwd: string): Promise<string> {
  const request = { command: ["git", "rev-parse", "--show-toplevel"], cwd, timeoutMs: 5000, sandboxPolicy: { type: "readOnly" as const } };
  const answer = await shell
    .client()
    .call("command/exec", request)
    .catch(() => undefined);
  const root = answer?.exitCode === 0 ? answer.stdout.trim() : "";
  return root === "" ? cwd : root;
}
