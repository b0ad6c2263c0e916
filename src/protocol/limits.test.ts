import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "./define.ts";
import { RpcError } from "./errors.ts";
import { maxInputChars } from "./limits.ts";
import { clientRequests } from "./methods.ts";

/** The code and message with which a row rejects params, or undefined if it accepts them. */
function refusal(method: keyof typeof clientRequests, params: Record<string, unknown>): string | undefined {
  try {
    (clientRequests[method] as Request).accept?.(params);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return `${error.code} ${error.message}`;
  }
}
const threadId = "01a1ddf7-bbd6-7142-a14f-c3fb9104d4ec";
const text = (value: string): { type: string; text: string } => ({ type: "text", text: value });

test("input is limited in characters over all texts, and a surrogate pair is one character", () => {
  const start = (...texts: string[]): string | undefined => refusal("turn/start", { threadId, input: texts.map(text) });
  const tooLarge = "-32602 Input exceeds the maximum length of 1048576 characters.";
  assert.equal(start("a".repeat(maxInputChars)), undefined);
  assert.equal(start("a".repeat(maxInputChars + 1)), tooLarge);
  assert.equal(start("a".repeat(600_000), "a".repeat(600_000)), tooLarge);
  assert.equal(start("😀".repeat(maxInputChars)), undefined);
  assert.equal(start(`${"😀".repeat(maxInputChars)}a`), tooLarge);
  assert.equal(refusal("turn/steer", { threadId, expectedTurnId: "t", input: [text("a".repeat(maxInputChars + 1))] }), tooLarge);
});

test("commands are not empty, times not negative, sizes not zero", () => {
  const exec = (fields: Record<string, unknown>): string | undefined => refusal("command/exec", { command: ["true"], ...fields });
  assert.equal(exec({}), undefined);
  assert.equal(exec({ command: [] }), "-32600 command must not be empty");
  assert.equal(exec({ timeoutMs: -1 }), "-32602 command/exec timeoutMs must be non-negative, got -1");
  assert.equal(exec({ timeoutMs: 5, disableTimeout: true }), "-32602 command/exec cannot set both timeoutMs and disableTimeout");
  assert.equal(
    exec({ outputBytesCap: 5, disableOutputCap: true }),
    "-32602 command/exec cannot set both outputBytesCap and disableOutputCap",
  );
  assert.equal(exec({ tty: true }), "-32600 command/exec tty or streaming requires a client-supplied processId");
  assert.equal(
    exec({ tty: true, processId: "p", size: { rows: 0, cols: 1 } }),
    "-32602 command/exec size rows and cols must be greater than 0",
  );
  assert.equal(exec({ size: { rows: 1, cols: 1 } }), "-32602 command/exec size requires tty: true");
  assert.equal(exec({ tty: true, processId: "p", size: { rows: 1, cols: 1 } }), undefined);
  assert.equal(refusal("thread/shellCommand", { threadId, command: " " }), "-32600 command must not be empty");
  assert.equal(refusal("thread/rollback", { threadId, numTurns: 0 }), "-32600 numTurns must be >= 1");
  assert.equal(refusal("thread/name/set", { threadId, name: "  " }), "-32600 thread name must not be empty");
  assert.equal(refusal("review/start", { threadId, target: { type: "commit", sha: " " } }), "-32600 sha must not be empty");
  assert.equal(refusal("skills/config/write", { enabled: true }), "-32602 skills/config/write requires exactly one of path or name");
});

test("no NUL gets into a command, a path or a folder", () => {
  assert.equal(refusal("command/exec", { command: ["a\0b"] }), "-32600 command must not contain a NUL character");
  assert.equal(refusal("command/exec", { command: ["a"], cwd: "/a\0b" }), "-32600 cwd must not contain a NUL character");
  assert.match(refusal("command/exec", { command: ["a"], env: { A: "\0" } }) ?? "", /NUL/);
  assert.equal(refusal("thread/start", { cwd: "/a\0b" }), "-32600 cwd must not contain a NUL character");
  assert.equal(refusal("turn/start", { threadId, input: [], cwd: "\0" }), "-32600 cwd must not contain a NUL character");
  assert.equal(refusal("fs/readFile", { path: "/a\0b" }), "-32600 path must not contain a NUL character");
  assert.equal(
    refusal("fs/copy", { sourcePath: "/a", destinationPath: "/b\0" }),
    "-32600 destinationPath must not contain a NUL character",
  );
});

test("paths that stand alone are absolute, of either platform", () => {
  assert.match(refusal("fs/readFile", { path: "rel" }) ?? "", /path must be an absolute path, got "rel"/);
  assert.match(refusal("fs/readFile", { path: "~/x" }) ?? "", /absolute/);
  for (const path of ["/x", "C:\\x", "c:/x", "\\\\server\\share"]) assert.equal(refusal("fs/readFile", { path }), undefined);
  assert.match(refusal("thread/start", { runtimeWorkspaceRoots: ["x"] }) ?? "", /absolute/);
});
