/**
 * `npm run models`: imports the catalogue of models.dev (its api.json: a file given as an argument, else fetched) into snapshot.json, for the
 * providers that are in the snapshot. `npm run generate` then writes what the program reads.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { readSnapshot, type Snapshot, type SnapshotRow, snapshotFile } from "./facts.ts";

type Json = Readonly<Record<string, unknown>>;
const recordOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

async function main(): Promise<void> {
  const source = process.argv[2] ?? "https://models.dev/api.json";
  const text = /^https?:/.test(source) ? await (await fetch(source)).text() : readFileSync(source, "utf8");
  const all = recordOf(JSON.parse(text));
  const old = readSnapshot();
  const providers = Object.fromEntries(
    Object.entries(old.providers).map(([id, rows]) => {
      const fresh = rowsOf(recordOf(recordOf(all[id])["models"]));
      if (Object.keys(fresh).length === 0) console.warn(`${id}: not in the source; its old rows stay`);
      return [id, Object.keys(fresh).length === 0 ? rows : fresh];
    }),
  );
  writeFileSync(snapshotFile, written({ fields: old.fields, providers }));
  const count = Object.values(providers).reduce((sum, rows) => sum + Object.keys(rows).length, 0);
  console.log(`${count} models of ${Object.keys(providers).length} providers; now: npm run generate`);
}

/** Only models that call tools are useful here. */
function rowsOf(models: Json): Record<string, SnapshotRow> {
  const usable = Object.entries(models).filter(([, model]) => recordOf(model)["tool_call"] === true);
  return Object.fromEntries(usable.map(([id, model]) => [id, rowOf(recordOf(model))]));
}

function rowOf(model: Json): SnapshotRow {
  const limit = recordOf(model["limit"]);
  const cost = recordOf(model["cost"]);
  const input = recordOf(model["modalities"])["input"];
  const takes = (kind: string): boolean => Array.isArray(input) && input.includes(kind);
  const traits = [takes("image") && "i", takes("pdf") && "p", model["reasoning"] === true && "r", model["temperature"] === true && "t"];
  return [
    numberOf(limit["context"]),
    numberOf(limit["output"]),
    traits.filter((trait) => trait !== false).join(""),
    numberOf(cost["input"]),
    numberOf(cost["output"]),
    numberOf(cost["cache_read"]),
    numberOf(cost["cache_write"]),
    typeof model["release_date"] === "string" ? model["release_date"] : "",
  ];
}

/** One line per model, so that a diff shows what changed. */
function written(snapshot: Snapshot): string {
  const providers = Object.entries(snapshot.providers).map(([id, rows]) => {
    const lines = Object.entries(rows).map(([model, row]) => ` ${JSON.stringify(model)}: ${JSON.stringify(row)}`);
    return `${JSON.stringify(id)}: {\n${lines.join(",\n")}}`;
  });
  return `{\n"fields": ${JSON.stringify(snapshot.fields)},\n"providers": {\n${providers.join(",\n")}\n}}\n`;
}

await main();
