/** Thread files that another tool has rewritten: an editor, jq, a script, a synchronizer. They are listed, found and read as before. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { createLocalStore } from "../local.ts";

type Json = Readonly<Record<string, unknown>>;
const id = "0199aaaa-0000-7000-8000-000000000001";
const timestamp = "2026-01-02T03:04:05.000Z";
const lines: readonly Json[] = [
  {
    timestamp,
    type: "session_meta",
    payload: { id, timestamp, cwd: "/p", originator: "x", cli_version: "1", source: "cli", model_provider: "p" },
  },
  { timestamp, type: "event_msg", payload: { type: "user_message", message: "find me" } },
  { timestamp, type: "event_msg", payload: { type: "agent_message", message: "found" } },
];
const compact = lines.map((line) => JSON.stringify(line));
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, sorted(inner)]),
      )
    : value;
/** As Python writes JSON. */
const spaced = (line: string): string => line.replaceAll('":', '": ').replaceAll(',"', ', "');
const longer = { ...lines[0], payload: { ...(lines[0]?.["payload"] as Json), cwd: "/elsewhere" } };

const rewritten: Readonly<Record<string, string>> = {
  "a byte order mark": `\ufeff${compact.join("\n")}\n`,
  "CRLF line ends": `${compact.join("\r\n")}\r\n`,
  "sorted keys": `${lines.map((line) => JSON.stringify(sorted(line))).join("\n")}\n`,
  "spaces between keys and values": `${compact.map(spaced).join("\n")}\n`,
  "sorted keys, spaces, CRLF and a mark": `\ufeff${lines.map((line) => spaced(JSON.stringify(sorted(line)))).join("\r\n")}\r\n`,
  "no line end after the last line": compact.join("\n"),
  "empty lines before and between": `\n\n${compact.join("\n\n")}\n`,
  "an edited first line": `${[JSON.stringify(longer), ...compact.slice(1)].join("\n")}\n`,
  "a first line alone, without its line end": JSON.stringify(lines[0]),
};

const query: ThreadQuery = {
  ...{ cursor: null, limit: 25, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};

describe("a thread file that another tool has rewritten", () => {
  let home = "";
  let file = "";
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-rewritten-"));
    const folder = path.join(home, "sessions", "2026", "01", "02");
    mkdirSync(folder, { recursive: true });
    file = path.join(folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  for (const [name, text] of Object.entries(rewritten))
    for (const isReplaced of [false, true])
      test(`${name}${isReplaced ? ", in a file of another inode that an index knew before" : ""}`, async () => {
        rmSync(path.join(home, "parley"), { recursive: true, force: true });
        writeFileSync(file, `${compact.join("\n")}\n`);
        const store = createLocalStore({ home });
        try {
          if (isReplaced) assert.equal((await store.list(query)).threads.length, 1);
          writeFileSync(`${file}.new`, text);
          if (isReplaced) renameSync(`${file}.new`, file);
          else {
            rmSync(`${file}.new`);
            writeFileSync(file, text);
          }
          const [found] = (await store.list(query)).threads;
          const isBare = name.startsWith("a first line alone");
          if (!isBare) assert.deepEqual([found?.id, found?.preview], [id, "find me"]);
          const records = await store.read(id);
          assert.equal(records[0]?.type, "meta");
          assert.ok(isBare || JSON.stringify(records).includes("found"));
          assert.equal(readFileSync(file, "utf8"), text, "only reading changes nothing");
        } finally {
          await store.close();
        }
      });
});
