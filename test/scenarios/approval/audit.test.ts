/** The audit log: every approval, who or which rule decided, and the outcome. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";

const bookOf = (home: string): Record<string, string>[] =>
  globSync(path.join(home, "parley/audit/*.jsonl"))
    .map((file) => readFileSync(file, "utf8"))
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);

verifies("audit.outcomes", async ({ app, home, workspace }) => {
  const patch = "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch";
  const mcp = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(path.join(root, "test/support/mcp-fixture.ts"))}, "plain"]\nstartup_timeout_sec = 60`;
  const client = await app({
    turns: [[{ run: "exit 3" }, { say: "a" }, { patch }, { say: "b" }, { call: "mcp__notes__write", with: { name: "x" } }, { say: "c" }]],
    config: mcp,
  });
  client.answer("item/commandExecution/requestApproval", () => ({ decision: "accept" }));
  client.answer("item/fileChange/requestApproval", () => ({ decision: "accept" }));
  client.answer("item/tool/requestUserInput", () => ({ answers: { approval: { answers: ["Accept"] } } }));
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  await thread.run("go");
  const ended = Promise.withResolvers<void>();
  client.on("turn/completed", () => ended.resolve());
  await client.call("thread/shellCommand", { threadId: thread.id, command: "true" });
  await ended.promise;
  assert.deepEqual(
    bookOf(home).map(({ kind, event, decision, outcome }) => [kind, event, decision ?? outcome].filter((field) => field !== undefined)),
    [
      ["command", "requested"],
      ["command", "decided", "accept"],
      ["command", "ended", "exit code 3"],
      ["fileChange", "requested"],
      ["fileChange", "decided", "accept"],
      ["fileChange", "ended", "applied"],
      ["mcpToolCall", "requested"],
      ["mcpToolCall", "decided", "accept"],
      ["mcpToolCall", "ended", "completed"],
      ["shellCommand", "decided", "accept"],
      ["shellCommand", "ended", "exit code 0"],
    ],
  );
});

verifies("approval.ruleForEdit", async ({ app, workspace }) => {
  const patch = "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch";
  const client = await app({ turns: [[{ patch }, { expect: { output: "patch rejected by user" } }, { say: "understood" }]] });
  client.answer(
    "item/fileChange/requestApproval",
    () => ({ decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["apply_patch"] } } }) as never,
  );
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "on-request", sandbox: "read-only" });
  assert.equal((await thread.run("go")).text, "understood");
});
