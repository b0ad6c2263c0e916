import assert from "node:assert/strict";
import { test } from "node:test";
import { uncaughtErrorHandler } from "./survive.ts";

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
function kept() {
  const lines: Line[] = [];
  const notified: string[] = [];
  let at = 0;
  const trouble = uncaughtErrorHandler({
    log: { error: (message, fields = {}) => void lines.push({ message, fields }) },
    notify: (message) => void notified.push(message),
    now: () => at,
  });
  return { lines, notified, trouble, wait: (ms: number) => (at += ms) };
}

test("an uncaught error is logged with its stack and announced once", () => {
  const { lines, notified, trouble } = kept();
  trouble(new Error("one"));
  trouble("two");
  assert.match(String(lines[0]?.fields["error"]), /Error: one\n +at /);
  assert.equal(lines[1]?.fields["error"], "two");
  assert.equal(notified.length, 1);
});

test("an error that is thrown in a loop is counted, not logged for ever", () => {
  const { lines, notified, trouble, wait } = kept();
  for (let i = 0; i < 100_000; i++) trouble(new Error("again"));
  assert.equal(lines.length, 10);
  wait(60_000);
  trouble(new Error("later"));
  assert.equal(lines.length, 11);
  assert.equal(lines[10]?.fields["notLogged"], 99_990);
  assert.equal(notified.length, 2);
});

test("neither a failing log or client nor an unprintable value makes it throw", () => {
  const fails = (): never => {
    throw new Error("no room");
  };
  const unprintable = { toString: fails };
  const { lines, trouble } = kept();
  trouble(unprintable);
  trouble(undefined);
  trouble(Object.create(null));
  const odd = new Error("x");
  Object.defineProperty(odd, "stack", { get: fails });
  trouble(odd);
  assert.equal(lines.length, 4);
  uncaughtErrorHandler({ log: { error: fails } })(new Error("one"));
  uncaughtErrorHandler({ log: { error: () => {} }, notify: fails })(new Error("one"));
});
