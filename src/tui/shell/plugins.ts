/** `/plugins`: those available and those installed, what each contains and runs, and the person's decision on it. */
import { spelledLine, spelledOut } from "../../lib/terminal-text.ts";
import { readPlugins } from "../../sessions/plugin-facts.ts";
import {
  broughtAlong,
  mayInstall,
  mustBeAccepted,
  type PluginGroup,
  type PluginRow,
  pluginEdit,
  pluginGroups,
  pluginState,
  programKind,
} from "../../sessions/plugins.ts";
import { createPicker, type PickerItem } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";

interface Shown {
  readonly row: PluginRow;
  readonly group: PluginGroup;
}

/** Repeats until the person leaves the list: each decision is followed by the updated list. */
export async function choosePlugin(shell: Shell): Promise<void> {
  for (;;) {
    const plugins = await readRows(shell);
    const items = plugins.map(({ row }) => ({
      id: row.id,
      label: spelledLine(`${row.title}: ${pluginState(row)}`),
      detail: spelledLine(row.description === "" ? row.id : row.description),
    }));
    const whenEmpty = "No plugins are on offer; `parley plugin marketplace add` adds a marketplace";
    const id = await shell.pick(createPicker({ title: "Plugins", items, whenEmpty }));
    const chosen = plugins.find(({ row }) => row.id === id);
    if (chosen === undefined) return;
    await describe(shell, chosen);
    const action = await shell.pick(createPicker({ title: spelledLine(chosen.row.title), items: actionsFor(chosen.row) }));
    if (action !== undefined) shell.store.note("success", `${spelledLine(chosen.row.title)}: ${await carryOut(shell, chosen, action)}`);
  }
}

async function readRows(shell: Shell): Promise<readonly Shown[]> {
  const cwd = shell.store.conversation.settings?.cwd ?? shell.options.cwd;
  const client = shell.client();
  const facts = await readPlugins((method, params) => client.call(method, params), cwd === undefined ? [] : [cwd]);
  for (const problem of facts.problems) shell.store.note("warning", spelledLine(problem));
  return pluginGroups(facts).flatMap((group) => group.rows.map((row) => ({ row, group })));
}

/** Shows everything that it contains and runs before the person can decide. */
async function describe(shell: Shell, { row, group }: Shown): Promise<void> {
  const name = row.offer?.name;
  const detail =
    name === undefined || group.path === null
      ? undefined
      : (await shell.client().call("plugin/read", { pluginName: name, marketplacePath: group.path })).plugin;
  const lines = [
    ...(detail?.description == null ? [] : [spelledLine(detail.description)]),
    ...(detail === undefined ? [] : broughtAlong(detail)).map(({ kind, names }) => spelledLine(`${kind}: ${names.join(", ")}`)),
    ...(row.trust?.runs ?? []).map((program) => `${programKind(program)} ${spelledLine(program.name)} runs: ${spelledOut(program.action)}`),
  ];
  shell.store.note("info", spelledLine(`${row.title} (${row.id}): ${pluginState(row)}`), lines.join("\n"));
}

function actionsFor(row: PluginRow): PickerItem[] {
  const isWaiting = row.trust?.content != null && mustBeAccepted(row);
  return [
    ...(mayInstall(row)
      ? [{ id: "install", label: "Install it", detail: "its MCP servers run with your rights; its hooks wait for trust" }]
      : []),
    ...(isWaiting ? [{ id: "accept", label: "Accept it as it is", detail: "what it runs, runs with your rights" }] : []),
    ...(row.installed && row.enabled
      ? [{ id: "off", label: "Switch it off", detail: "it stays installed, and nothing of it is used" }]
      : []),
    ...(row.installed && !row.enabled && !isWaiting
      ? [{ id: "on", label: "Switch it on", detail: "it counts from the next turn on" }]
      : []),
    ...(row.installed || row.trust !== undefined
      ? [{ id: "uninstall", label: "Uninstall it", detail: "its files and its entry in your settings are removed" }]
      : []),
  ];
}

/** Returns what was done, as a sentence. */
async function carryOut(shell: Shell, { row, group }: Shown, action: string): Promise<string> {
  const client = shell.client();
  switch (action) {
    case "install":
      await client.call("plugin/install", { pluginName: row.offer?.name ?? row.id, marketplacePath: group.path });
      return "installed";
    case "accept":
      await client.call("plugin/trust/accept", { pluginId: row.id, content: row.trust?.content ?? "" });
      return "accepted as it is";
    case "uninstall":
      await client.call("plugin/uninstall", { pluginId: row.id });
      return "uninstalled";
    default:
      await client.call("config/batchWrite", { edits: [pluginEdit(row.id, action === "on")] });
      return action === "on" ? "switched on" : "switched off";
  }
}
