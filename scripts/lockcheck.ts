/** Fails when the lockfile would let an installation differ from this one (a download address, an install script, a missing platform), when a newcomer's `npm ci` would warn, or when a licence does not go with ours. */
import { readFileSync } from "node:fs";
import path from "node:path";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly license?: string;
  readonly engines?: { readonly node?: string } | readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Licences whose code may be part of what we distribute under ours. */
const compatible: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
]);
/** A library that is loaded beside our code and never part of it: only an optional dependency may be one. */
const besideOurs: ReadonlySet<string> = new Set(["LGPL-3.0-or-later"]);

/** Whether a licence, as an SPDX expression of ANDs and ORs, lets us use the package in the given role. Development tools are not distributed. */
function isCompatible({ license = "", dev, optional }: Locked): boolean {
  if (dev === true) return true;
  const expression = license.replaceAll(/[()]/g, "");
  return expression
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((one) => compatible.has(one) || (optional === true && besideOurs.has(one))));
}

/** The Node that may run `npm ci`. The installation itself runs on the lockfile's Node, so `engines` are of no use here. */
const oldestNode = 20;

/** Whether `npm ci` on the oldest Node would warn about this entry: no alternative of its range starts at that Node or before. */
function needsNewerNode({ engines }: Locked): boolean {
  const range = engines !== undefined && "node" in engines ? (engines.node ?? "") : "";
  return range.split("||").every((part) => Number(/^\s*(?:>=|\^|~|>)?\s*v?(\d+)/.exec(part)?.[1] ?? 0) > oldestNode);
}

/** The errors in a lockfile, one sentence each. */
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
      if (needsNewerNode(entry))
        problems.push(
          `${place} asks for a newer Node than the one that runs npm, which makes npm ci warn: take its "engines" out of the lockfile`,
        );
      if (!isCompatible(entry)) problems.push(`${place} has the licence ${entry.license ?? "of nobody"}, which does not go with ours`);
    }
    for (const [name, range] of Object.entries({ ...entry.dependencies, ...entry.optionalDependencies }))
      if (find(packages, place, name) === undefined) problems.push(`${place || "the root"} needs ${name}@${range}, which is not locked`);
  }
  return problems;
}

/** Where Node would resolve `name` from `place`: in the nearest node_modules above. */
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
