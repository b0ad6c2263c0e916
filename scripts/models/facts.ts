/** Turns the snapshot of the providers' model facts into the compact table that the catalogue reads. Part of `npm run generate`. */
import { readFileSync } from "node:fs";
import path from "node:path";

/** One model: window, longest output, traits (i images, p PDF, r reasoning, t temperature), USD a million (input, output, cache read, cache write), released. */
export type SnapshotRow = readonly [number, number, string, number, number, number, number, string];
export interface Snapshot {
  readonly fields: readonly string[];
  readonly providers: Readonly<Record<string, Readonly<Record<string, SnapshotRow>>>>;
}

export const snapshotFile = path.join(import.meta.dirname, "snapshot.json");

export function readSnapshot(file = snapshotFile): Snapshot {
  return JSON.parse(readFileSync(file, "utf8")) as Snapshot;
}

/** One string per provider, so that only the rows of providers in use are ever parsed. */
export function factsFile(snapshot: Snapshot): string {
  const providers = Object.entries(snapshot.providers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const table = providers.map(([provider, models]): [string, string] => [provider, lines(models)]);
  return `${JSON.stringify(Object.fromEntries(table), null, 1)}\n`;
}

function lines(models: Readonly<Record<string, SnapshotRow>>): string {
  const rows = Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return rows.map(([id, row]) => line(id, row)).join("\n");
}

function line(id: string, [window, maxOutput, traits, input, output, cacheRead, cacheWrite]: SnapshotRow): string {
  if (/[\t\n]/.test(id)) throw new Error(`the snapshot names a model with a tab or line break: ${JSON.stringify(id)}`);
  return [id, window, maxOutput, traits.replace("t", ""), input, output, cacheRead, cacheWrite].join("\t").replace(/(?:\t0)+$/, "");
}
