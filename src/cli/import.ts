/** `parley import`: moves in from another agent on this machine, what the user agrees to. */
import { createInterface } from "node:readline/promises";
import type { Client } from "../client/client.ts";
import { connectInProcess } from "../main/in-process.ts";
import type { ExternalAgentConfigImportTypeResult, ExternalAgentConfigMigrationItem } from "../protocol/external-agent.ts";
import { importHelp } from "./help/settings-helps.ts";
import { overridesFrom, withApp } from "./own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore, toStderr, UsageError } from "./usage.ts";
import { version } from "./version.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, importHelp);
  refuseMore(positionals);
  return withApp(globals, overridesFrom(values), async (app) => {
    const client = await connectInProcess(app, { clientInfo: { name: "parley_import", title: "Parley import", version } });
    const { items } = await client.call("externalAgentConfig/detect", { includeHome: true, cwds: [process.cwd()] });
    if (values.json === true && values.yes !== true) return printJson(items);
    if (items.length === 0) return print("There is nothing to import.\n");
    if (values.json !== true) print(items.map((item) => `${lineOf(item)}\n`).join(""));
    if (values.yes !== true && !(await isWanted())) return 1;
    const results = await importItems(client, items);
    if (values.json === true) printJson(results);
    else report(results);
    return results.some(({ failures }) => failures.length > 0) ? 1 : 0;
  });
}

function lineOf({ description, details }: ExternalAgentConfigMigrationItem): string {
  const { skills = [], commands = [], mcpServers = [], hooks = [], subagents = [], sessions = [], plugins = [] } = details ?? {};
  const names = [
    ...[...skills, ...commands, ...mcpServers, ...hooks, ...subagents].map(({ name }) => name),
    ...plugins.flatMap(({ marketplaceName, pluginNames }) => pluginNames.map((name) => `${name}@${marketplaceName}`)),
    ...sessions.map(({ title, path }) => title ?? path),
  ];
  return names.length === 0 ? description : `${description}: ${names.join(", ")}`;
}

async function isWanted(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError("there is no terminal to ask on; pass --yes to import all of this");
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await ask.question("Import all of this? Nothing that exists is overwritten. [y/N] ");
  ask.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

async function importItems(
  client: Client,
  migrationItems: ExternalAgentConfigMigrationItem[],
): Promise<readonly ExternalAgentConfigImportTypeResult[]> {
  const ended = new Promise<ExternalAgentConfigImportTypeResult[]>((resolve) => {
    client.on("externalAgentConfig/import/completed", ({ itemTypeResults }) => resolve(itemTypeResults));
  });
  await client.call("externalAgentConfig/import", { migrationItems });
  return await ended;
}

function report(results: readonly ExternalAgentConfigImportTypeResult[]): void {
  for (const { successes, failures } of results) {
    for (const { source, target, title } of successes) print(`Imported ${source} -> ${target}${title == null ? "" : ` (${title})`}\n`);
    for (const { source, message } of failures) toStderr(`Not imported${source == null ? "" : `: ${source}`}: ${message}`);
  }
}
