import assert from "node:assert/strict";
import { test } from "node:test";
import { behindFlags } from "./leading-flags.ts";
import { UsageError } from "./usage.ts";

const none = { config: [], logLevel: undefined };
const line = (...args: readonly string[]) => behindFlags(args, none);

test("flags before exec and review belong to them, in every spelling", () => {
  assert.deepEqual(line("-m", "x", "exec", "hi"), { command: "exec", rest: ["--model=x", "hi"], globals: none });
  assert.deepEqual(line("-mx", "--sandbox=read-only", "e", "--json", "hi").rest, ["--model=x", "--sandbox=read-only", "--json", "hi"]);
  assert.deepEqual(line("--profile", "p", "-c", "a=b", "--enable", "f", "exec").rest, ["--profile=p", "--config=a=b", "--enable=f"]);
  assert.deepEqual(line("--yolo", "review", "--base", "main"), { command: "review", rest: ["--yolo", "--base", "main"], globals: none });
});

test("a value that is the name of a subcommand stays a value, and one that looks like a flag too", () => {
  assert.deepEqual(line("-m", "exec", "exec", "hi").rest, ["--model=exec", "hi"]);
  assert.deepEqual(line("--model", "--yolo", "exec", "hi").rest, ["--model=--yolo", "hi"]);
});

test("flags that exec does not have become settings, or only concern the screen", () => {
  assert.deepEqual(line("-a", "never", "--search", "--no-alt-screen", "--no-daemon", "exec", "hi").rest, [
    '--config=approval_policy="never"',
    '--config=web_search="live"',
    "hi",
  ]);
});

test("before other subcommands flags are settings", () => {
  const { command, rest, globals, unused } = line(
    "-m",
    'a"b',
    "-s",
    "read-only",
    "-a",
    "on-request",
    "-C",
    "/x",
    "--log-level",
    "warn",
    "app-server",
    "--stdio",
  );
  assert.deepEqual([command, rest, globals.logLevel, unused], ["app-server", ["--stdio"], "warn", ["-C"]]);
  assert.deepEqual(line("-C", "/x", "sandbox", "--", "pwd"), { command: "sandbox", rest: ["--cd=/x", "--", "pwd"], globals: none });
  assert.deepEqual(globals.config, ['model="a\\"b"', 'sandbox_mode="read-only"', 'approval_policy="on-request"']);
  assert.deepEqual(line("--yolo", "acp").globals.config, ['sandbox_mode="danger-full-access"', 'approval_policy="never"']);
  assert.deepEqual(line("--strict-config", "app-server").rest, ["--strict-config"]);
  const more = behindFlags(["-m", "x", "mcp", "list"], { config: ["a=1"], logLevel: "info" });
  assert.deepEqual(more.globals, { config: ["a=1", 'model="x"'], logLevel: "info" });
});

test("without a subcommand the line belongs to the terminal client, also with resume and fork", () => {
  for (const args of [
    ["-m", "x"],
    ["-m", "x", "what now"],
    ["--frobnicate", "exec"],
    ["-m"],
    ["--", "exec"],
    ["--yolo=1", "exec"],
    ["-h", "exec"],
  ])
    assert.deepEqual(behindFlags(args, none), { command: "tui", rest: args, globals: none }, args.join(" "));
  assert.deepEqual(line("-m", "x", "resume", "--last"), { command: "resume", rest: ["-m", "x", "--last"], globals: none });
});

test("flags without a meaning for a subcommand are refused by name", () => {
  for (const args of [
    ["--remote", "ws://127.0.0.1:1", "exec"],
    ["-i", "a.png", "mcp"],
    ["--worktree", "login"],
    ["-a", "sometimes", "exec"],
  ])
    assert.throws(() => line(...args), UsageError, args.join(" "));
  assert.throws(() => line("-i", "a.png", "mcp", "list"), /'-i' means nothing to 'mcp'/);
});
