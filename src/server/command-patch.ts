/** `command/exec` of `apply_patch`: not a program on the machine, but the server's own patch function, under the same sandbox. */
import { applyPlan, type BeforeImages } from "../core/patch/apply.ts";
import { decidePatch, planPatch, reachOf } from "../core/patch/plan.ts";
import { writeScope } from "../core/patch/reach.ts";
import type { Sandbox } from "../core/settings/settings.ts";
import type { CommandExecParams, CommandExecResponse } from "../protocol/command.ts";
import type { App } from "./app.ts";

/** The patch of an `apply_patch` command; undefined for every other command. */
export function patchIn({ command, processId }: CommandExecParams): string | undefined {
  const [program, patch, more] = command;
  const isPatch = (program === "apply_patch" || program === "applypatch") && more === undefined && !processId;
  return isPatch ? patch : undefined;
}

/** No approval is requested: paths outside the sandbox cannot be changed. */
export async function applyPatchCommand(
  patch: string,
  { cwd, sandbox, app }: { readonly cwd: string; readonly sandbox: Sandbox; readonly app: App },
): Promise<CommandExecResponse> {
  const { places, workspace, config } = app;
  const { protectedNames } = config.effective(cwd);
  const scope = await writeScope({ cwd, workspaceRoots: [cwd], ...sandbox }, { ...places, protectedNames }, workspace);
  const plan = await planPatch(patch, cwd, workspace, scope);
  if ("failed" in plan) return failure(plan.failed);
  const decision = decidePatch(reachOf(plan, scope), "never");
  if (decision.kind === "refuse") return failure(decision.text);
  const applied = await applyPlan(plan, workspace, forgotten);
  return applied.ok ? { exitCode: 0, stdout: applied.stdout, stderr: "" } : failure(applied.failed);
}

const failure = (text: string): CommandExecResponse => ({ exitCode: 1, stdout: "", stderr: `${text}\n` });

/** No turn stores the previous content: this change is the client's own. */
const forgotten: BeforeImages = {
  changing: async () => {},
  changed: () => {},
  notChanged: async () => {},
  made: async () => {},
  moved: () => {},
};
