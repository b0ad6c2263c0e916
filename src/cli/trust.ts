/** `parley trust`: trust this folder's project, or accept what was added or changed in it since. */
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { visibleLine } from "../lib/visible-text.ts";
import { acceptProject } from "../main/accept-project.ts";
import { trustHelp } from "./help/small-helps.ts";
import { type App, type Config, withApp } from "./own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore, StartError, toStderr } from "./usage.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, trustHelp);
  refuseMore(positionals);
  const cwd = path.resolve(values.cd ?? process.cwd());
  return await withApp(globals, values.config ?? [], async (app) => {
    const { root, trust } = app.config.waiting(cwd);
    const lines = await waitingIn(app, cwd);
    if (values.json === true) printJson({ project: root, trust: trust ?? null, waiting: lines });
    if (values.check === true) {
      if (values.json !== true) report(root, trust, lines);
      return trust === "trusted" && lines.length === 0 ? 0 : 1;
    }
    if (trust === "trusted" && lines.length === 0) return values.json === true ? 0 : print(`Nothing in ${shown(root)} waits for you.\n`);
    if (values.json !== true) report(root, trust, lines);
    if (values.yes !== true && !(await confirmed())) throw new StartError("Nothing was changed.");
    if (trust !== "trusted") trustProject(app, root);
    await acceptProject(app, cwd, { redefining: true });
    return values.json === true ? 0 : print(`Accepted. It counts from the next turn of a thread in ${shown(root)} on.\n`);
  });
}

/** Names in a project are written by others. */
const shown = (text: string): string => visibleLine(text, 2000);

/** One line for each thing that has no effect until the user accepts it. */
async function waitingIn(app: App, cwd: string): Promise<string[]> {
  const { root, waiting, trust } = app.config.waiting(cwd);
  if (trust !== "trusted") return [];
  const place = (file: string): string => path.relative(root, file) || file;
  const servers = Object.values(app.config.effective(cwd).mcpServers).filter((server) => !app.mcp.isAccepted(server));
  return [
    ...waiting.map(({ file, what }) => `${place(file)}: ${what.join(", ")}`),
    ...(await app.skills.waiting(cwd)).map((file) => `${place(file)}: a skill`),
    ...servers.map((server) => `MCP server ${server.name}: ${whatRuns(server)}`),
  ];
}

function report(root: string, trust: string | undefined, lines: readonly string[]): void {
  if (trust !== "trusted") toStderr(`${shown(root)} is not trusted: none of its settings, rules, MCP servers and skills count.`);
  else if (lines.length > 0) toStderr(`In ${shown(root)} this is new, or changed since you accepted it, and does not count:`);
  for (const line of lines) toStderr(`  ${shown(line)}`);
}

async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartError("there is no terminal to ask on; review the files, then pass --yes");
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await ask.question("Accept it as it is now? [y/N] ");
  ask.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function trustProject(app: App, root: string): void {
  const keyPath = `projects.${JSON.stringify(root)}.trust_level`;
  app.config.write([{ keyPath, value: "trusted", mergeStrategy: "replace" }]);
}

export function whatRuns({ transport, approval, fromProject }: Config["mcpServers"][string]): string {
  const way =
    transport.type === "http"
      ? transport.url
      : [...Object.keys(transport.env).map((key) => `${key}=*****`), transport.command, ...transport.args].join(" ");
  const notes = [
    approval === "allow" ? "its tools run unasked" : "",
    fromProject?.redefines === true ? "in place of your own of that name" : "",
  ];
  const details = notes.filter((note) => note !== "").join(", ");
  return details === "" ? way : `${way} (${details})`;
}
