import assert from "node:assert/strict";
import { test } from "node:test";
import { Silence } from "./silence.ts";

test("a process that should answer and does not counts as silent, until it is heard again", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const seen: string[] = [];
  let isExpected = true;
  const note = (what: string) => (): void => void seen.push(what);
  const silence = new Silence({ isExpected: () => isExpected, ping: note("ping"), silent: note("silent"), woke: note("woke") });
  silence.watch();
  t.mock.timers.tick(4000);
  silence.heard();
  assert.deepEqual(seen.splice(0), ["ping", "ping", "ping"]);
  t.mock.timers.tick(6000);
  assert.deepEqual(seen.splice(0), ["ping", "ping", "ping", "ping", "silent"]);
  t.mock.timers.tick(60_000);
  assert.deepEqual([seen.splice(0), silence.isSilent], [[], true]);
  silence.heard();
  assert.deepEqual([seen.splice(0), silence.isSilent], [["woke"], false]);
  // Nothing is due: nobody is asked, and no timer runs.
  isExpected = false;
  t.mock.timers.tick(60_000);
  isExpected = true;
  t.mock.timers.tick(60_000);
  assert.deepEqual(seen, []);
});
