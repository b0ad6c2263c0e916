/** `npm run pack:vscode`: the extension as a .vsix, built by the editor's official packager. `--with-node` builds one for this platform only. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildExtension, extensionFolder } from "./build-vscode.ts";

/** Exact, and outside the lockfile: it installs a hundred packages for publishing, which nothing else here needs. */
const packager = "@vscode/vsce@4.1.0";
const root = path.resolve(import.meta.dirname, "..");

/** Builds the package in `into` and returns its path. */
export async function packExtension(into: string, withNode = false): Promise<string> {
  await buildExtension({ withNode });
  const { name, version }: { name: string; version: string } = JSON.parse(readFileSync(path.join(extensionFolder, "package.json"), "utf8"));
  const target = `${process.platform}-${process.arch}`;
  const file = path.join(path.resolve(into), `${name}-vscode-${version}${withNode ? `-${target}` : ""}.vsix`);
  const args = ["package", "--no-dependencies", "--skip-license", "--allow-missing-repository", "--out", file];
  const { status, stdout, stderr } = spawnSync(process.execPath, [installPackager(), ...args, ...(withNode ? ["--target", target] : [])], {
    cwd: extensionFolder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`vsce failed: ${stderr}${stdout}`);
  return file;
}

/** Installed once into the temp folder, without running any script of its packages. */
function installPackager(): string {
  const folder = path.join(tmpdir(), `parley-${packager.replaceAll(/[@/]/g, "-")}`);
  const entry = path.join(folder, "node_modules/@vscode/vsce/vsce");
  if (existsSync(entry)) return entry;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const { status, stderr } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", packager], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the packager could not be installed: ${stderr}`);
  return entry;
}

if (import.meta.main) console.log(await packExtension(root, process.argv.includes("--with-node")));
