/** Messages of real servers match their schemas and ours, and messages that ours allow match theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type JsonSchema, jsonSchema, type Lazy, problem } from "../../src/lib/schema.ts";
import type { Notification, Request } from "../../src/protocol/define.ts";
import { ThreadItem } from "../../src/protocol/item.ts";
import { clientRequests, serverNotifications, serverRequests } from "../../src/protocol/methods.ts";
import { v1ServerRequests } from "../../src/protocol/v1/approval.ts";
import { v1Notifications, v1Requests } from "../../src/protocol/v1/methods.ts";
import { arbitraryOf } from "../support/arbitrary.ts";
import { recordings, type Spoken, spokenIn } from "./goldens.ts";
import { fitsVersion, oracleOf, type Printed, sharedFolder, versions, type WireMessage } from "./versions.ts";

const skip = "skip" in sharedFolder ? sharedFolder.skip : false;
type Table = Readonly<Record<string, Request | Notification>>;
const requests: Table = { ...clientRequests, ...v1Requests };
const questions: Table = { ...serverRequests, ...v1ServerRequests };
const notifications: Table = { ...serverNotifications, ...v1Notifications };

for (const [recording, version] of Object.entries(recordings))
  test(`every message of the recordings of ${recording} fits the schema of ${version}`, { skip }, () => {
    const spoken = spokenIn(recording);
    assert.ok(spoken.length > 500);
    const faults = spoken.flatMap(({ where, direction, message, answered }) => {
      const fault = fitsVersion(version, direction, message, answered);
      return fault === undefined ? [] : [`${where} ${message.method ?? answered}: ${fault}`];
    });
    assert.deepEqual(faults, []);
  });

/** Our schema for a message of a real server: the row's params, or the result of the row it responds to. */
function ours({ direction, message, answered }: Spoken): { readonly lazy: Lazy | undefined; readonly value: unknown } {
  const asked = direction === "toServer" ? requests : message.id === undefined ? notifications : questions;
  const table = message.method === undefined ? (direction === "toServer" ? questions : requests) : asked;
  const row = table[message.method ?? answered ?? ""];
  if (row === undefined) return { lazy: undefined, value: undefined };
  if (message.method !== undefined) return { lazy: row.params, value: message.params };
  return { lazy: "result" in row ? row.result : undefined, value: message.result };
}

test("whatever today's server says in the recordings, our tables can say too", { skip }, () => {
  const faults = spokenIn("0.166.0").flatMap((one) => {
    const { lazy, value } = ours(one);
    const name = one.message.method ?? one.answered ?? "";
    if (one.direction === "toServer" || value === undefined) return [];
    const fault = lazy === undefined ? "no row" : problem(lazy(), value);
    return fault === undefined ? [] : [`${one.where} ${name}: ${fault}`];
  });
  assert.deepEqual([...new Set(faults)], []);
});

test("every event of the older API in the recordings is in our tables", { skip }, () => {
  const faults = spokenIn("0.98.0").flatMap((one) => {
    const isOld =
      one.message.method?.startsWith("codex/event/") === true || (one.answered !== undefined && Object.hasOwn(v1Requests, one.answered));
    if (!isOld || one.direction === "toServer") return [];
    const { lazy, value } = ours(one);
    if (one.message.method === undefined && value === undefined) return [];
    const fault = lazy === undefined ? "no row" : problem(lazy(), value);
    return fault === undefined ? [] : [`${one.where} ${one.message.method ?? one.answered}: ${fault}`];
  });
  assert.deepEqual([...new Set(faults)], []);
});

for (const version of versions)
  test(`items as ${version} prints them are items of ours`, { skip }, () => {
    const items = arbitraryOf({ $ref: "#/definitions/v2/ThreadItem" }, oracleOf(version).bundle);
    fc.assert(
      fc.property(items, (item) => assert.equal(problem(ThreadItem(), JSON.parse(JSON.stringify(item))), undefined, JSON.stringify(item))),
      { numRuns: 400 },
    );
  });

/** Enum values that only older clients get. */
const oldNames: ReadonlySet<string> = new Set(["on-failure", "code", "pair_programming", "execute"]);

/** The schema without them: what current clients may get. */
function forToday(schema: JsonSchema): Printed {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "enum" && Array.isArray(value) ? value.filter((name) => !oldNames.has(String(name))) : value,
  );
  return JSON.parse(text.replace('["plan","default","custom"]', '["plan","default"]')) as Printed;
}

function assertSayable(name: string, lazy: Lazy, numRuns: number, message: (value: unknown) => [WireMessage, string?]): void {
  fc.assert(
    fc.property(arbitraryOf(forToday(jsonSchema(lazy())), {}), (value) => {
      const [sent, answered] = message(JSON.parse(JSON.stringify(value)));
      const fault = fitsVersion("0.166", "toClient", sent, answered);
      if (fault !== undefined) assert.fail(`${name}: ${fault} ${JSON.stringify(value)}`);
    }),
    { numRuns },
  );
}

/** Codex sends these entries in camelCase, and so do we; its own schema has them in snake_case. */
const printedWrong: ReadonlySet<string> = new Set(["thread/timeline/list"]);

test("whatever our tables allow to say to today's clients fits today's schema", { skip }, () => {
  for (const [method, row] of Object.entries(serverNotifications)) assertSayable(method, row.params, 40, (params) => [{ method, params }]);
  for (const [method, row] of Object.entries(serverRequests))
    if (row.own !== true) assertSayable(method, row.params, 40, (params) => [{ method, id: 1, params }]);
  for (const [method, row] of Object.entries(clientRequests))
    if (!printedWrong.has(method)) assertSayable(method, row.result, 25, (result) => [{ id: 1, result }, method]);
});
