/** Where each subcommand's help is. Loaded by --help, by completion and by the tests that compare it with the flags. */
import type { Help } from "./text.ts";

export const helps: Readonly<Record<string, () => Promise<Help>>> = {
  tui: async () => (await import("../tui/help.ts")).help,
  resume: async () => (await import("../tui/help.ts")).resumeHelp,
  fork: async () => (await import("../tui/help.ts")).forkHelp,
  "app-server": async () => (await import("../app-server/help.ts")).help,
  exec: async () => (await import("../exec/help.ts")).help,
  review: async () => (await import("../exec/help.ts")).reviewHelp,
  "mcp-server": async () => (await import("../mcp-server/help.ts")).help,
  manager: async () => (await import("../manager/help.ts")).help,
  fleet: async () => (await import("../fleet/help.ts")).help,
  worker: async () => (await import("./small-helps.ts")).workerHelp,
  acp: async () => (await import("./small-helps.ts")).acpHelp,
  threads: async () => (await import("../threads/help.ts")).help,
  archive: async () => (await import("./settings-helps.ts")).archiveHelp,
  unarchive: async () => (await import("./settings-helps.ts")).unarchiveHelp,
  delete: async () => (await import("./settings-helps.ts")).deleteHelp,
  features: async () => (await import("./settings-helps.ts")).featuresHelp,
  import: async () => (await import("./settings-helps.ts")).importHelp,
  sandbox: async () => (await import("./settings-helps.ts")).sandboxHelp,
  execpolicy: async () => (await import("./settings-helps.ts")).execpolicyHelp,
  queue: async () => (await import("./small-helps.ts")).queueHelp,
  tour: async () => (await import("./small-helps.ts")).tourHelp,
  login: async () => (await import("./small-helps.ts")).loginHelp,
  logout: async () => (await import("./small-helps.ts")).logoutHelp,
  plugin: async () => (await import("../plugin/help.ts")).help,
  mcp: async () => (await import("../mcp/help.ts")).help,
  doctor: async () => (await import("./small-helps.ts")).doctorHelp,
  trust: async () => (await import("./small-helps.ts")).trustHelp,
  hooks: async () => (await import("./small-helps.ts")).hooksHelp,
  debug: async () => (await import("./small-helps.ts")).debugHelp,
  completion: async () => (await import("./small-helps.ts")).completionHelp,
  version: async () => (await import("./small-helps.ts")).versionHelp,
  help: async () => (await import("./small-helps.ts")).helpHelp,
};

/** The help of a command, or of the deepest subcommand that the names match. */
export async function helpFor(names: readonly string[]): Promise<{ readonly name: string; readonly help: Help } | undefined> {
  const [command = "", ...rest] = names;
  const load = Object.hasOwn(helps, command) ? helps[command] : undefined;
  if (load === undefined) return undefined;
  let found = { name: `parley ${command}`, help: await load() };
  for (const name of rest) {
    const inner = Object.hasOwn(found.help.commands ?? {}, name) ? found.help.commands?.[name] : undefined;
    if (inner === undefined) break;
    found = { name: `${found.name} ${name}`, help: inner };
  }
  return found;
}
