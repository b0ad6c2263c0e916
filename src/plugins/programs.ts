/** The programs that a plugin runs, one line each: for people who decide about it. */
import type { InstalledPlugin } from "../core/ports/plugins.ts";
import { isRecord } from "../lib/is-record.ts";
import type { PluginProgram } from "../protocol/plugin-trust.ts";
import { quoteCommand } from "../shell/quote.ts";
import { textAt } from "./manifest.ts";

type Table = Readonly<Record<string, unknown>>;

/** At most this many are shown at once. */
const maxPrograms = 200;

/** External text: code that shows it must escape it. */
export function programsOf({ mcpServers, hooks }: Pick<InstalledPlugin, "mcpServers" | "hooks">): PluginProgram[] {
  const servers = Object.entries(mcpServers).map(
    ([name, entry]): PluginProgram => ({ type: "mcpServer", name, action: serverAction(entry) }),
  );
  return [...servers, ...hooks.flatMap(({ events }) => hookPrograms(events))].slice(0, maxPrograms);
}

/** With all its arguments and environment: either may decide what the program does. */
function serverAction(entry: Table): string {
  const command = textAt(entry, "command");
  if (command === undefined) return textAt(entry, "url") ?? "";
  const { env, args } = entry;
  const variables = isRecord(env) ? Object.entries(env).map(([name, value]) => `${name}=${quoteCommand([String(value)])}`) : [];
  return [...variables, quoteCommand([command, ...(Array.isArray(args) ? args.map(String) : [])])].join(" ");
}

function hookPrograms(events: Table): PluginProgram[] {
  return Object.entries(events).flatMap(([event, groups]) =>
    tables(groups).flatMap((group) => {
      const matcher = textAt(group, "matcher");
      const name = matcher === undefined ? event : `${event} (${matcher})`;
      return tables(group["hooks"]).map((hook): PluginProgram => ({ type: "hook", name, action: hookAction(hook) }));
    }),
  );
}

const hookAction = (hook: Table): string =>
  textAt(hook, "command") ?? ["server", "tool"].flatMap((key) => textAt(hook, key) ?? []).join(": ");

const tables = (value: unknown): Table[] => (Array.isArray(value) ? value.filter(isRecord) : []);
