import assert from "node:assert/strict";
import { test } from "node:test";
import { WireCheck } from "./wire-check.ts";

function noted(check: (wire: WireCheck) => unknown): string[] {
  const errors: string[] = [];
  const ignore = (): void => {};
  const error = (_: string, fields?: Readonly<Record<string, unknown>>): void =>
    void errors.push(`${fields?.["method"]}: ${fields?.["wrong"]}`);
  check(new WireCheck({ debug: ignore, info: ignore, warn: ignore, error }));
  return errors;
}

test("an invalid notification, request or result is found, and valid ones are not reported", async () => {
  assert.deepEqual(
    noted((wire) => wire.check("notification", "thread/closed", { threadId: "t" })),
    [],
  );
  assert.deepEqual(
    noted((wire) => wire.check("notification", "thread/closed", { thread: "t" })),
    ["thread/closed: missing field `threadId`"],
  );
  assert.equal(noted((wire) => wire.check("request", "item/tool/call", { threadId: 7 })).length, 1);
  assert.deepEqual(
    noted((wire) => wire.check("request", "item/tool/calls", {})),
    ["item/tool/calls: no table has this method"],
  );
  assert.deepEqual(
    noted((wire) => wire.result("turn/steer", { turnId: "u", later: undefined })),
    [],
  );
  assert.deepEqual(
    noted((wire) => wire.result("turn/steer", { turn: "u" })),
    ["turn/steer: missing field `turnId`"],
  );
  const late: string[] = [];
  const wire = new WireCheck({ debug() {}, info() {}, warn() {}, error: (message) => void late.push(message) });
  assert.deepEqual(await wire.result("turn/steer", Promise.resolve({})), {});
  assert.equal(late.length, 1);
});
