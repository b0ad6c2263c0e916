/** The last release, checked out inside this clone and built, for the gate to compare with. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
/** Not below the packages, where Node refuses TypeScript. */
const place = path.join(root, "test-output", "last-release");
const installMs = 180_000;
const buildMs = 180_000;

/** Either the launcher of the built release, or why there is none. */
export type Release = { readonly commit: string; readonly program: string } | { readonly missing: string };

export function lastRelease(): Release {
  const commit = readFileSync(path.join(root, ".ci/last-release"), "utf8").trim();
  if (!/^[0-9a-f]{40}$/.test(commit)) return { missing: `.ci/last-release has no whole commit: ${commit}` };
  const folder = path.join(place, commit.slice(0, 12));
  const problem = checkOut(commit, folder) ?? addPackages(folder) ?? build(folder);
  return problem === undefined ? { commit, program: path.join(folder, "bin/parley") } : { missing: problem };
}

function checkOut(commit: string, folder: string): string | undefined {
  if (run(["git", "cat-file", "-e", `${commit}^{commit}`]) !== undefined) return `this clone does not have the commit ${commit}`;
  if (existsSync(path.join(folder, "package.json"))) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  run(["git", "worktree", "prune"]);
  return run(["git", "worktree", "add", "--force", "--detach", folder, commit]);
}

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>> };
const lockOf = (folder: string): Lock => JSON.parse(readFileSync(path.join(folder, "package-lock.json"), "utf8"));

/** Ours, if they contain all of the release's in the same versions: most releases change few of them, and installing needs a registry. */
function addPackages(folder: string): string | undefined {
  const packages = path.join(folder, "node_modules");
  if (existsSync(packages)) return undefined;
  const [ours, theirs] = [lockOf(root).packages, lockOf(folder).packages];
  const isSame = (name: string): boolean =>
    ours[name]?.version === theirs[name]?.version && ours[name]?.integrity === theirs[name]?.integrity;
  if (Object.keys(theirs).every((name) => name === "" || isSame(name))) {
    symlinkSync(path.join(root, "node_modules"), packages);
    return undefined;
  }
  const problem = run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], folder, installMs);
  if (problem !== undefined) rmSync(packages, { recursive: true, force: true });
  return problem;
}

/** Its own script builds it, with its own rule about what is stale. */
function build(folder: string): string | undefined {
  const script = 'import("./scripts/build.ts").then(({ buildIfOld }) => buildIfOld())';
  return run([process.execPath, "--input-type=module", "--eval", `await ${script}`], folder, buildMs);
}

/** Undefined if it succeeds, else what it said last. */
function run([program = "", ...args]: readonly string[], cwd = root, timeout = 60_000): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { cwd, timeout, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (status === 0) return undefined;
  const said = stderr.trim().split("\n");
  return `${path.basename(program)} ${args[0] ?? ""}: ${error?.message ?? said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? `exit ${status}`}`;
}
