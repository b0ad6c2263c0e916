/** The model's notes about plugins that a person's message names. */
import type { UserInput } from "../../protocol/item.ts";
import type { Config } from "../ports/config.ts";

const scheme = "plugin://";
const maxNote = 4096;

/** One note for each plugin that the input names, by an item or by a link such as `[@Title](plugin://name@marketplace)`. */
export function pluginNotes(content: readonly UserInput[], config: Config): readonly string[] {
  const named = new Set(content.flatMap((part) => (part.type === "mention" ? [part.path] : part.type === "text" ? linked(part.text) : [])));
  return [...named].flatMap((path) => (path.startsWith(scheme) ? [noteOn(path.slice(scheme.length), config)] : []));
}

const linked = (text: string): string[] =>
  [...text.matchAll(/\[@[^\]\n]{1,200}\]\((plugin:\/\/[^)\s]{1,300})\)/gu)].map(([, path = ""]) => path);

function noteOn(id: string, { plugins, mcpServers }: Config): string {
  const plugin = plugins.find((candidate) => candidate.id === id);
  if (plugin === undefined) return `The plugin \`${id}\` is not available here. Tell the user so and go on without it.`;
  const servers = Object.values(mcpServers).filter(({ enabled, pluginId }) => enabled && pluginId === id);
  const lines = [
    `Capabilities from the \`${plugin.title}\` plugin:`,
    ...(plugin.skillFolders.length === 0 ? [] : [`- Its skills have names that begin with \`${plugin.name}:\`.`]),
    ...(servers.length === 0 ? [] : [`- Its MCP servers in this session: ${servers.map(({ name }) => `\`${name}\``).join(", ")}.`]),
    "The user asked for this plugin: prefer what it offers where it fits the task.",
  ];
  return lines.join("\n").slice(0, maxNote).toWellFormed();
}
