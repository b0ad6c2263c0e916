/** Requests shown in the documents are accepted as written, with their spellings. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { problem } from "../../src/lib/schema.ts";
import type { Request } from "../../src/protocol/define.ts";
import { clientRequests, serverRequests } from "../../src/protocol/methods.ts";
import { v1ServerRequests } from "../../src/protocol/v1/approval.ts";
import { v1Requests } from "../../src/protocol/v1/methods.ts";
import { sharedFolder } from "./versions.ts";

const skip = "skip" in sharedFolder ? sharedFolder.skip : false;

interface Shown {
  readonly method: string;
  readonly id: unknown;
  readonly params?: Record<string, unknown>;
}

/** Every JSON object with a method and an id, with comments and ellipses removed. */
function shownIn(text: string): readonly Shown[] {
  const found: Shown[] = [];
  for (let i = text.indexOf("{"); i >= 0; i = text.indexOf("{", i + 1)) {
    const end = closing(text, i);
    if (end === undefined || end - i > 4000) continue;
    const json = text
      .slice(i, end + 1)
      .replace(/(^|\s)\/\/ .*$/gm, "")
      .replace(/,(\s*[}\]])/g, "$1");
    try {
      const value = JSON.parse(json) as Partial<Shown>;
      if (typeof value.method === "string" && value.id !== undefined) found.push(value as Shown);
    } catch {
      // an example shortened with an ellipsis
    }
  }
  return found;
}

function closing(text: string, open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    if (text[i] === "}" && --depth === 0) return i;
  }
  return undefined;
}

test("requests that the documents show are taken", { skip }, () => {
  const folder = path.join("path" in sharedFolder ? sharedFolder.path : "", "seeds");
  const documents = readdirSync(folder).filter((file) => !file.startsWith("001")); // that one is about MCP
  const shown = documents.flatMap((file) => shownIn(readFileSync(path.join(folder, file), "utf8")));
  const asked: Readonly<Record<string, Request>> = { ...clientRequests, ...v1Requests };
  const questions: Readonly<Record<string, unknown>> = { ...serverRequests, ...v1ServerRequests };
  const taken = new Set<string>();
  for (const { method, params = {} } of shown) {
    const row = asked[method];
    if (row === undefined && Object.hasOwn(questions, method)) continue; // a server-to-client request
    assert.ok(row !== undefined && "params" in row, `${method} has no row`);
    assert.equal(problem(row.params(), row.accept?.(params) ?? params), undefined, `${method} ${JSON.stringify(params)}`);
    taken.add(method);
  }
  assert.ok(taken.size >= 25, `only ${[...taken].join(", ")}`);
});
