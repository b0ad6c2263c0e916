import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { redactor } from "../lib/redact.ts";
import { createLog, type LogLevel, levelFrom, logFolder, openLog } from "./log.ts";

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
    log: createLog(level, { now: () => 0, sink: () => sink, clean: redactor({ ACME_KEY: "correct horse" }) }),
  };
}

test("a line contains time, level, message and the fields", () => {
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

test("a reader that does not read loses lines and gets their count", () => {
  const { sink, log } = collect("info");
  sink.writableLength = 2 * 1024 * 1024;
  log.info("lost");
  log.info("lost too");
  sink.writableLength = 0;
  log.info("back");
  assert.deepEqual(sink.lines, [{ time: "1970-01-01T00:00:00.000Z", level: "info", message: "back", droppedLines: 2 }]);
});

test("no line contains a secret: neither in the message nor in fields nor inside errors", () => {
  const { sink, log } = collect("info");
  log.warn("refused: Bearer abcdef123456", {
    headers: { authorization: "x" },
    error: new Error("sk-proj-abcdefghijklmnop was wrong, so was correct horse"),
  });
  const text = JSON.stringify(sink.lines);
  for (const secret of ["abcdef123456", '"x"', "sk-proj", "correct horse"]) assert.ok(!text.includes(secret), text);
});

test("stderr is quiet unless requested; the file has everything, readable by its owner only", () => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-log-"));
  const shown: string[] = [];
  const stderr = () => ({ write: (text: string) => shown.push(text), writableLength: 0 });
  try {
    const log = openLog({ home, env: {}, stderr });
    log.debug("details");
    log.info("happened");
    log.warn("odd");
    assert.deepEqual(shown, []);
    log.error("a bug");
    assert.equal(shown.length, 1);
    openLog({ home, env: { PARLEY_LOG: "debug" }, stderr }).debug("more");
    assert.match(shown[1] ?? "", /"message":"more"/);
    const folder = logFolder(home);
    const [name = ""] = readdirSync(folder);
    const lines = readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).message),
      ["happened", "odd", "a bug", "more"],
    );
    assert.equal(JSON.parse(lines[0] ?? "").pid, process.pid);
    assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("the level comes from PARLEY_LOG, then from a plain RUST_LOG", () => {
  assert.equal(levelFrom({ PARLEY_LOG: "info", RUST_LOG: "debug" }), "info");
  assert.equal(levelFrom({ RUST_LOG: "warn" }), "warn");
  assert.equal(levelFrom({ RUST_LOG: "codex_core=debug", PARLEY_LOG: "loud" }), undefined);
});
