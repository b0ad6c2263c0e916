/** Finds the native Codex server to compare with: at a given path, where npm has put it, or installed for this run. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, globSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";

/** The version that the targets refer to. */
const targetVersion = "0.166.0";
const installMs = 240_000;

export interface Codex {
  readonly program: string;
  readonly version: string;
}

/** `cache` keeps an installation for the next run. Undefined if there is none and none can be installed: then only ours is measured. */
export function findCodex(named: string | undefined, cache: string): Codex | undefined {
  if (named !== undefined) {
    const found = programAt(named);
    if (found === undefined) throw new Error(`${named} is no native Codex program, nor a folder into which npm has put one`);
    return found;
  }
  return onPath() ?? programAt(cache) ?? install(cache);
}

/** The npm launcher costs a Node process of its own; the program inside its package is what is measured. */
function programAt(place: string): Codex | undefined {
  const patterns = ["", "node_modules/", "node_modules/@openai/codex/node_modules/"].map((at) => `${at}@openai/codex-*/vendor/*/**/codex`);
  const inside = globSync([...patterns, "vendor/*/**/codex"], { cwd: place }).map((file) => path.join(place, file));
  for (const program of [place, ...inside]) {
    try {
      accessSync(program, constants.X_OK);
    } catch {
      continue;
    }
    const { stdout, status } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: 20_000 });
    const version = /^codex-cli (\S+)/.exec(stdout ?? "")?.[1];
    if (status === 0 && version !== undefined) return { program, version };
  }
  return undefined;
}

/** Of the right version only; another one on the PATH is no reference. */
function onPath(): Codex | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    try {
      const launcher = realpathSync(path.join(folder, "codex"));
      const found = programAt(path.resolve(launcher, "../../../..")) ?? programAt(path.resolve(launcher, "../.."));
      if (found?.version === targetVersion) return found;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

function install(into: string): Codex | undefined {
  process.stderr.write(`Installing Codex ${targetVersion} to measure against, beside this checkout's packages …\n`);
  mkdirSync(into, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", ["install", "--prefix", into, ...flags, `@openai/codex@${targetVersion}`], {
    encoding: "utf8",
    timeout: installMs,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const found = programAt(into);
  if (found === undefined)
    process.stderr.write(
      `It cannot be had (${error?.message ?? (stderr.trim().split("\n")[0] || `npm ended with ${status}`)}); measuring ours alone.\n`,
    );
  return found;
}
