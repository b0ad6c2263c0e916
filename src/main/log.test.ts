import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, type LogLevel } from "./log.ts";

function collect(level: LogLevel) {
  const sink = {
    lines: [] as unknown[],
    writableLength: 0,
    write(text: string) {
      assert.ok(text.endsWith("\n") && text.indexOf("\n") === text.length - 1, "one line a call");
      sink.lines.push(JSON.parse(text));
    },
  };
  return {
    sink,
    log: createLog(
      level,
      () => 0,
      () => sink,
    ),
  };
}

test("a line holds time, level, message and the fields", () => {
  const { sink, log } = collect("info");
  log.warn("disk is full", { path: "/x" });
  assert.deepEqual(sink.lines, [{ time: "1970-01-01T00:00:00.000Z", level: "warn", message: "disk is full", path: "/x" }]);
});

test("lines below the level are left out", () => {
  const { sink, log } = collect("warn");
  log.debug("a");
  log.info("b");
  log.error("c");
  assert.deepEqual(
    sink.lines.map((line) => (line as { message: string }).message),
    ["c"],
  );
});

test("errors keep their stack and cause; newlines, big integers and cycles do not break a line", () => {
  const { sink, log } = collect("debug");
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  log.error("one\ntwo", { error: new Error("outer", { cause: new Error("inner") }), n: 2n });
  log.error("round", { cycle });
  const [first, second] = sink.lines as [{ error: { message: string; stack: string; cause: { message: string } }; n: string }, object];
  assert.equal(first.error.message, "outer");
  assert.match(first.error.stack, /log\.test/);
  assert.equal(first.error.cause.message, "inner");
  assert.equal(first.n, "2");
  assert.deepEqual(second, { time: "1970-01-01T00:00:00.000Z", level: "error", message: "round", fields: "not printable" });
});

test("a reader that does not read loses lines and is told how many", () => {
  const { sink, log } = collect("info");
  sink.writableLength = 2 * 1024 * 1024;
  log.info("lost");
  log.info("lost too");
  sink.writableLength = 0;
  log.info("back");
  assert.deepEqual(sink.lines, [{ time: "1970-01-01T00:00:00.000Z", level: "info", message: "back", droppedLines: 2 }]);
});
