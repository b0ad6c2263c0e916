/** Fails when the lockfile would let an installation differ from this one: a download address, an install script, a missing platform. */
import { readFileSync } from "node:fs";
import path from "node:path";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What is wrong with a lockfile, one sentence each. */
export function lockProblems(text: string): readonly string[] {
  const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(text);
  const problems: string[] = [];
  for (const [place, entry] of Object.entries(packages)) {
    const isOurs = !place.includes("node_modules/");
    const isWorkspaceLink = entry.link === true;
    if (!isOurs && !isWorkspaceLink) {
      if (entry.resolved !== undefined) problems.push(`${place} has a download address`);
      if (entry.integrity === undefined) problems.push(`${place} has no integrity`);
      if (entry.hasInstallScript === true) problems.push(`${place} has an install script`);
    }
    for (const [name, wanted] of Object.entries({ ...entry.dependencies, ...entry.optionalDependencies }))
      if (find(packages, place, name) === undefined) problems.push(`${place || "the root"} needs ${name}@${wanted}, which is not locked`);
  }
  return problems;
}

/** Where Node would find `name` from `place`: in the nearest node_modules above. */
function find(packages: Readonly<Record<string, Locked>>, place: string, name: string): Locked | undefined {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const found = packages[at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`];
    if (found !== undefined) return found;
    if (at === "") return undefined;
    if (!at.includes("/node_modules/")) return packages[`node_modules/${name}`];
  }
}

if (import.meta.main) {
  const problems = lockProblems(readFileSync(path.join(import.meta.dirname, "..", "package-lock.json"), "utf8"));
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
