/** `/hooks`: which hooks run when, and the person's trust in them. */
import { spelledLine, spelledOut } from "../../lib/terminal-text.ts";
import type { HookMetadata } from "../../protocol/hooks.ts";
import { type HookWord, hookAction, hookEdit, hookMoment, hookState } from "../../sessions/hooks.ts";
import { createPicker } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

/** Repeats until the person leaves the list: each decision is followed by the updated list. */
export async function chooseHook(shell: Shell): Promise<void> {
  for (;;) {
    const hooks = await readHooks(shell);
    const items = hooks.map((hook) => ({
      id: hook.key,
      label: spelledLine(`${hookMoment(hook)}: ${hookState(hook)}`),
      detail: spelledLine(hookAction(hook)),
    }));
    const key = await shell.pick(createPicker({ title: "Hooks", items, whenEmpty: "No hooks are set" }));
    const hook = hooks.find((known) => known.key === key);
    if (hook === undefined) return;
    const decision = await askForDecision(shell, hook);
    if (decision === undefined) continue;
    await shell.client().call("config/batchWrite", { edits: [hookEdit(hook.key, decision)] });
    shell.store.note("success", `${spelledLine(hookMoment(hook))}: ${describeDecision(decision)}`, "It counts from the next turn on.");
  }
}

async function readHooks(shell: Shell): Promise<readonly HookMetadata[]> {
  const cwd = shell.store.conversation.settings?.cwd ?? shell.options.cwd;
  const { data } = await shell.client().call("hooks/list", cwd === undefined ? {} : { cwds: [cwd] });
  for (const { errors, warnings } of data)
    for (const problem of [...errors.map(({ path, message }) => `${path}: ${message}`), ...warnings])
      shell.store.note("warning", spelledLine(problem));
  return data.flatMap(({ hooks }) => hooks);
}

/** Shows everything that would run before the person can decide. */
async function askForDecision(shell: Shell, hook: HookMetadata): Promise<HookWord | undefined> {
  shell.store.note("info", spelledLine(`${hookMoment(hook)} in ${hook.sourcePath}: ${hookState(hook)}`), spelledOut(hookAction(hook)));
  if (hook.isManaged) {
    shell.store.note("info", "It is the administrator's and cannot be changed here");
    return undefined;
  }
  const isTrusted = hook.trustStatus === "trusted";
  const choice = await shell.pick(
    createPicker({
      title: spelledLine(hookMoment(hook)),
      items: [
        isTrusted
          ? { id: "distrust", label: "Stop trusting it", detail: "it does not run until it is trusted again" }
          : { id: "trust", label: "Trust it as it is", detail: "it runs outside the sandbox, with your rights" },
        hook.enabled
          ? { id: "off", label: "Switch it off", detail: "it does not run, trusted or not" }
          : { id: "on", label: "Switch it on", detail: "it runs where it is trusted" },
      ],
    }),
  );
  if (choice === "trust") return { trustedHash: hook.currentHash };
  if (choice === "distrust") return { trustedHash: null };
  return choice === undefined ? undefined : { enabled: choice === "on" };
}

function describeDecision(decision: HookWord): string {
  if ("enabled" in decision) return decision.enabled ? "switched on" : "switched off";
  return decision.trustedHash === null ? "no longer trusted" : "trusted as it is";
}
