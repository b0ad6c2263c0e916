/**
 * How the server's bundle is split: what responds first, what a thread needs to start, what lists need, what turns need, the table of models,
 * and the rest; the last four are loaded on first use.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A chunk of the bundle. Few are best: every additional file costs most of a millisecond at startup. */
export interface Part {
  readonly name: string;
  /** Paths relative to the checkout. */
  readonly holds: (file: string) => boolean;
  /** Whether all static imports of these modules are included. */
  readonly whole: boolean;
}

/**
 * The modules that no start needs: those that lists use, those that turns use, and those that few sessions use. A module that is missing makes
 * starts slower, and one that is wrongly listed makes them load a chunk too many (test/start.itest.ts reports both); neither changes the
 * server's behaviour.
 */
export interface SplitParts {
  /** What a list of threads needs of them. */
  readonly lists: readonly string[];
  readonly later: readonly string[];
  readonly seldom: readonly string[];
}

/** Written by `npm run split`. */
const listed = path.join(import.meta.dirname, "bundle-parts.json");
export const readParts = (): SplitParts => JSON.parse(readFileSync(listed, "utf8"));
export const writeParts = (parts: SplitParts): void => writeFileSync(listed, `${JSON.stringify(parts, undefined, 2)}\n`);

/** The table of models, of which a turn with a model that has no row of its own needs nothing else of what is seldom used. */
export const factsModules: readonly string[] = ["src/models/facts.json", "src/models/facts.ts"];

/**
 * What the play of `npm run split` does not do, though many sessions do: to go on in a thread whose file was closed, to read one, and to say
 * how large a number is. For these small functions they would load the largest chunk.
 */
const ordinaryModules: readonly string[] = ["src/store/writing/tail.ts", "src/server/written-turns.ts", "src/lib/grouped.ts"];

/** Of a list's first moments, outside the split's reach: what is watched for other servers' threads, and a package that only streams need. */
const listModules: readonly string[] = ["src/server/relay/elsewhere.ts", "src/server/relay/status-feed.ts"];
const streamModules: readonly string[] = ["node_modules/eventsource-parser/dist/index.js"];

const among = (files: readonly string[]) => (file: string) => files.includes(file);

export function serverParts(): readonly Part[] {
  const { lists, later, seldom } = readParts();
  return [
    { name: "door", holds: among(["src/cli/command-line.ts", "src/cli/app-server/app-server.ts"]), whole: true },
    { name: "facts", holds: among(factsModules), whole: false },
    { name: "lists", holds: among([...lists, ...listModules]), whole: false },
    { name: "later", holds: among([...later, ...ordinaryModules, ...streamModules]), whole: false },
    { name: "seldom", holds: among(seldom), whole: false },
    { name: "app", holds: among(["src/cli/app-server/serve.ts"]), whole: true },
  ];
}
/** The chunks that are loaded on first use. */
export const lazyParts: readonly string[] = ["lists", "later", "seldom", "facts"];
