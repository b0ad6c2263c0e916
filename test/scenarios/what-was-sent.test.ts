/**
 * Everything that the schemas and docs/protocol.md announce was sent by some scenario, or says why not. Its name makes it the last file, and it
 * looks only at a run of all scenarios in one process.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { neverSent } from "../never-sent.ts";
import { root } from "../support/process.ts";
import { announced, sent } from "../support/sent.ts";
import { leg } from "../support/server.ts";

const isWhole = process.env["PARLEY_TEST_WHOLE"] === "1" && leg === "memory";
const isValue = (name: string): boolean => name.includes(": ");

if (isWhole)
  test("each notification and each request of the server was sent, unless the document says that it never is", () => {
    const document = readFileSync(path.join(root, "docs/protocol.md"), "utf8");
    const never = new Set([...document.matchAll(/^\| `([^`]+)` \| Never sent: /gm)].map(([, method = ""]) => method));
    const methods = [...announced()].filter((name) => !isValue(name));
    assert.ok(methods.length > 100, "the tables are found");
    assert.deepEqual(
      methods.filter((method) => !sent.has(method) && !never.has(method)),
      [],
      "cause it in a scenario, take it out, or say in its comment that it is never sent and why",
    );
    assert.deepEqual(
      methods.filter((method) => sent.has(method) && never.has(method)),
      [],
      "the document says that these are never sent",
    );
    assert.deepEqual(
      [...sent].filter((name) => !isValue(name) && !methods.includes(name)),
      [],
      "sent, but in no table",
    );
  });

if (isWhole)
  test("each value that a schema names was sent or is written by some source; all others have a reason", () => {
    const sources = globSync("src/**/*.ts", { cwd: root })
      .filter((file) => !file.endsWith(".test.ts") && !file.startsWith(path.join("src", "protocol")))
      .map((file) => readFileSync(path.join(root, file), "utf8"))
      .join("\n");
    // As a text, or as the key of a table that translates from or to it.
    const isWritten = (value: string): boolean =>
      new RegExp(`["'\`]${RegExp.escape(value)}["'\`]|^\\s*${RegExp.escape(value)}:`, "m").test(sources);
    const valueIn = (name: string): string => name.slice(name.indexOf(": ") + 2);
    const reasons = neverSent.flatMap(({ values }) =>
      Object.entries(values).flatMap(([type, names]) => names.split(" ").map((value) => `${type}: ${value}`)),
    );
    const values = [...announced()].filter(isValue);
    const missing = values.filter((name) => !sent.has(name) && !isWritten(valueIn(name)));
    assert.deepEqual(
      missing.filter((name) => !reasons.includes(name)),
      [],
      "cause it in a scenario, take it out, or give the reason in test/never-sent.ts",
    );
    assert.deepEqual(
      reasons.filter((name) => sent.has(name) || !values.includes(name)),
      [],
      "take these out of test/never-sent.ts: they are sent, or not announced any more",
    );
  });
