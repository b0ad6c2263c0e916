/** Plugins that are npm packages, fetched with the system's npm from the registry that the user has configured. No script of a package is run. */
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { namesOf } from "../lib/bounded-folder.ts";
import { readBoundedSync } from "../lib/bounded-read.ts";
import { isRecord } from "../lib/is-record.ts";
import { PluginProblem, shown } from "./id.ts";
import { kindOf, readJson } from "./manifest.ts";
import { unpackArchive } from "./unpack.ts";

export interface NpmOptions {
  /** The program's path; undefined when there is none. */
  readonly program: () => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Package {
  readonly package: string;
  readonly version: string | null;
  readonly registry: string | null;
}

const timeoutMs = 120_000;
const maxArchive = 50 * 1024 * 1024;

/** Unpacks the package into a folder in `room`, which is empty, and returns it. Throws PluginProblem. */
export async function fetchPackage(wanted: Package, room: string, options: NpmOptions): Promise<string> {
  const place = path.join(room, "packed");
  mkdirSync(place, { mode: 0o700 });
  await pack(wanted, place, options);
  const archives = [...namesOf(place)].filter((name) => name.endsWith(".tgz"));
  const [archive = ""] = archives;
  if (archives.length !== 1) throw new PluginProblem(`npm pack left ${archives.length} archives; expected exactly one`);
  const folder = path.join(room, "copy");
  unpackArchive(readBoundedSync(path.join(place, archive), maxArchive), folder);
  const root = path.join(folder, "package");
  if (kindOf(root) !== "folder") throw new PluginProblem("the archive has no folder `package`");
  const described = readJson(path.join(root, "package.json"));
  const name = isRecord(described) ? described["name"] : undefined;
  if (name !== wanted.package)
    throw new PluginProblem(`npm plugin package name '${shown(String(name))}' does not match requested package '${wanted.package}'`);
  return root;
}

function pack({ package: name, version, registry }: Package, cwd: string, { program, env }: NpmOptions): Promise<void> {
  const found = program();
  if (found === undefined) throw new PluginProblem("npm is not installed, which this source needs");
  const from = registry === null ? [] : ["--registry", registry];
  const args = ["pack", "--ignore-scripts", "--pack-destination", cwd, ...from, "--", version === null ? name : `${name}@${version}`];
  const quiet = { npm_config_update_notifier: "false", npm_config_audit: "false", npm_config_fund: "false", npm_config_yes: "false" };
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...env, ...quiet }, timeout: timeoutMs, maxBuffer: 1024 * 1024, encoding: "utf8" as const };
    execFile(found, args, options, (error, _stdout, stderr) => {
      if (error === null) return resolve();
      const why = error.killed === true ? `took longer than ${timeoutMs / 1000} seconds` : stderr.trim().slice(0, 2000) || error.message;
      reject(new PluginProblem(`npm pack failed: ${why}`));
    }).stdin?.end();
  });
}
