/** `parley hooks`: which hooks the settings would run and when, and the user's trust in them. */
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { visibleLine } from "../lib/visible-text.ts";
import type { HookMetadata } from "../protocol/hooks.ts";
import { hooksHelp } from "./help/small-helps.ts";
import { type App, withApp } from "./own-app.ts";
import { type Globals, print, printJson, readFlags, StartError, UsageError } from "./usage.ts";

const actions = ["list", "trust", "distrust", "on", "off"] as const;
type Action = (typeof actions)[number];

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, hooksHelp);
  const [actionName = "list", ...names] = positionals;
  const action = actions.find((known) => known === actionName);
  if (action === undefined) throw new UsageError(`hooks: unknown action \`${actionName}\`; known are ${actions.join(", ")}`);
  const cwd = path.resolve(values.cd ?? process.cwd());
  return await withApp(globals, values.config ?? [], async (app) => {
    const { hooks, errors, warnings } = app.config.hooks(cwd);
    if (action === "list") {
      if (values.json === true) return printJson({ hooks, errors, warnings });
      for (const { path: file, message } of errors) console.error(`${shown(file)}: ${shown(message)}`);
      for (const warning of warnings) console.error(shown(warning));
      return print(hooks.length === 0 ? "No hooks are set.\n" : hooks.map(block).join("\n"));
    }
    const chosen = chosenFrom(hooks, names, { all: values.all === true, action });
    for (const hook of chosen) console.error(block(hook));
    if (action === "trust" && values.yes !== true && !(await confirmed(chosen.length))) throw new StartError("Nothing was changed.");
    for (const hook of chosen) write(app, hook, action);
    return print(
      `${chosen.length === 1 ? "1 hook was" : `${chosen.length} hooks were`} ${done[action]}. It counts from the next turn on.\n`,
    );
  });
}

const done: Readonly<Record<Action, string>> = {
  list: "listed",
  trust: "trusted",
  distrust: "distrusted",
  on: "switched on",
  off: "switched off",
};

/** Commands may be written by others. */
const shown = (text: string): string => visibleLine(text, 4000);

function block(hook: HookMetadata): string {
  const does =
    hook.handlerType === "command"
      ? hook.command
      : hook.handlerType === "mcpTool"
        ? `MCP tool ${hook.server}: ${hook.tool}`
        : hook.handlerType;
  const when = hook.matcher === null || hook.matcher === undefined ? hook.eventName : `${hook.eventName} (${hook.matcher})`;
  const state = !hook.enabled
    ? "switched off"
    : hook.trustStatus === "modified"
      ? "changed since it was trusted: does not run"
      : stateTexts[hook.trustStatus];
  return `${hook.displayOrder + 1}. ${shown(when)}: ${state}\n   ${shown(does)}\n   ${shown(hook.key)}\n`;
}

const stateTexts = { trusted: "trusted", managed: "managed by the administrator", untrusted: "not trusted: does not run", modified: "" };

/** By number, by key, or all that the action would change. */
function chosenFrom(
  hooks: readonly HookMetadata[],
  names: readonly string[],
  { all, action }: { all: boolean; action: Action },
): HookMetadata[] {
  if (all && names.length > 0) throw new UsageError("hooks: name hooks, or pass --all");
  if (!all && names.length === 0)
    throw new UsageError(`hooks ${action}: name hooks by number or key (parley hooks lists them), or pass --all`);
  const own = hooks.filter(({ isManaged }) => !isManaged);
  if (all) return own.filter(({ trustStatus }) => action !== "trust" || trustStatus !== "trusted");
  return names.map((name) => {
    const found = hooks.find(({ key, displayOrder }) => key === name || String(displayOrder + 1) === name);
    if (found === undefined) throw new UsageError(`hooks: there is no hook ${shown(name)}; parley hooks lists them`);
    if (found.isManaged) throw new StartError(`hooks: ${shown(found.key)} is the administrator's`);
    return found;
  });
}

async function confirmed(many: number): Promise<boolean> {
  if (many === 0) throw new StartError("All hooks are trusted already.");
  if (!process.stdin.isTTY) throw new StartError("there is no terminal to ask on; review what they run, then pass --yes");
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await ask.question("These run outside the sandbox, with your rights. Trust them as they are now? [y/N] ");
  ask.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function write(app: App, { key, currentHash }: HookMetadata, action: Action): void {
  const at = `hooks.state.${JSON.stringify(key)}`;
  if (action === "trust") app.config.write([{ keyPath: `${at}.trusted_hash`, value: currentHash, mergeStrategy: "replace" }]);
  else if (action === "distrust") app.config.write([{ keyPath: `${at}.trusted_hash`, value: null, mergeStrategy: "replace" }]);
  else app.config.write([{ keyPath: `${at}.enabled`, value: action === "on", mergeStrategy: "replace" }]);
}
