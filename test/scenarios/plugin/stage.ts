/** For scenarios with plugins: plugins as a real Codex installs them in the home, and marketplaces that offer them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { root } from "../../support/process.ts";

/** The files of a plugin, by their path in it; objects are written as JSON. */
export type PluginFiles = Readonly<Record<string, string | object>>;

export function writeFiles(folder: string, files: PluginFiles): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

export const skillText = (name: string, body: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`;

const fixture = path.join(root, "test/support/mcp-fixture.ts");
export const serverArgs = [fixture, "plain"];
/** A server that answers; `more` is added to its entry. */
export const serverEntry = (more: object = {}): object => ({
  command: process.execPath,
  args: serverArgs,
  startup_timeout_sec: 60,
  ...more,
});

/** A plugin with a skill, the base for others. */
export const plainPlugin = (name = "demo", version = "1.2.0"): PluginFiles => ({
  ".codex-plugin/plugin.json": { name, version, description: "A demo.", interface: { displayName: "Demo Plug" } },
  "skills/greet/SKILL.md": skillText("greet", "MARKER-GREET"),
});

/** Installs a plugin where a real Codex would. Returns its folder. */
export function install(home: string, files: PluginFiles, id = "demo@mk", version = "1.2.0"): string {
  const [name = "", marketplace = ""] = id.split("@");
  const folder = path.join(home, "plugins", "cache", marketplace, name, version);
  writeFiles(folder, files);
  return folder;
}
export const switchedOn = (id = "demo@mk"): string => `[plugins."${id}"]\nenabled = true\n`;

/** Collects the configuration warnings that a client gets. */
export function warningsOf(client: Client): string[] {
  const summaries: string[] = [];
  client.on("configWarning", ({ summary }) => summaries.push(summary));
  return summaries;
}

export const skillNames = async (client: Client, cwd: string): Promise<string[]> =>
  ((await client.call("skills/list", { cwds: [cwd] })).data[0]?.skills ?? []).flatMap(({ name, scope }) =>
    scope === "system" ? [] : [name],
  );

export const catalogue = ".agents/plugins/marketplace.json";

/** Creates a marketplace in a folder; returns its catalogue file. */
export function market(folder: string, plugins: readonly object[], files: PluginFiles = {}, name = "mk"): string {
  writeFiles(folder, { [catalogue]: { name, plugins }, ...files });
  return path.join(folder, catalogue);
}
export const under = (folder: string, files: PluginFiles): PluginFiles =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

/** A repository that any git can clone over plain HTTP, since only its files are requested. */
export async function serveRepository(folder: string): Promise<{ url: string; publish: () => void; close: () => void }> {
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-C", folder, ...args], { stdio: "ignore" });
  const publish = (): void => {
    git("add", "-A");
    git("commit", "-q", "-m", "x");
    git("update-server-info");
  };
  git("init", "-q", "-b", "main");
  publish();
  const server = createServer((request, response) => {
    const file = path.join(folder, ".git", decodeURIComponent((request.url ?? "").split("?")[0]?.replace(/^\/repo\.git/, "") ?? ""));
    if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo.git`, publish, close: () => server.close() };
}
