import assert from "node:assert/strict";
import { test } from "node:test";
import { byThread } from "./define.ts";
import { RpcError } from "./errors.ts";
import { findRow, requireRow } from "./find-row.ts";
import { clientRequests } from "./methods.ts";
import { unsupportedGroups } from "./unsupported.ts";

const outcomeOf = (method: string): string => {
  try {
    requireRow(method);
    return "served";
  } catch (error) {
    assert.ok(error instanceof RpcError);
    assert.equal(error.code, -32600);
    return error.message;
  }
};

test("a method is served, not supported, or unknown", () => {
  assert.equal(outcomeOf("turn/start"), "served");
  assert.equal(outcomeOf("environment/add"), "environment/add is not supported by Parley");
  assert.equal(outcomeOf("plugin/share/list"), "list remote plugin shares: chatgpt authentication required for remote plugin catalog");
  assert.match(outcomeOf("no/such"), /^Invalid request: unknown variant `no\/such`, expected one of `initialize`, `/);
});

test("names of Object.prototype and endless names are unknown methods", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) assert.equal(findRow(name).kind, "unknown");
  assert.ok(outcomeOf("x".repeat(100_000)).length < 10_000);
});

test("no method is both served and unsupported, and none is listed twice", () => {
  const listed = unsupportedGroups.flatMap((group) => group.methods);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(
    listed.filter((method) => Object.hasOwn(clientRequests, method)),
    [],
  );
});

test("rows that change the same thing share an order key; reads have none", () => {
  const key = (method: keyof typeof clientRequests, params: Record<string, unknown>): unknown => {
    const row = clientRequests[method];
    return "order" in row ? (row.order as (p: unknown) => unknown)(params) : undefined;
  };
  const thread = { threadId: "t" };
  const changing = ["turn/start", "turn/steer", "turn/interrupt", "thread/archive", "thread/rollback", "thread/settings/update"] as const;
  for (const method of changing) assert.equal(key(method, thread), byThread(thread));
  for (const method of ["thread/read", "thread/list", "thread/turns/list", "config/read", "account/read", "command/exec"] as const)
    assert.equal(key(method, thread), undefined);
  assert.equal(key("config/value/write", {}), key("config/batchWrite", {}));
  assert.equal(key("account/login/start", {}), key("account/logout", {}));
});
