/** Many threads at once, each with its own output and its own policy; and a model that makes mistakes. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { RpcError } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

verifies(
  "trust.manyThreads",
  async ({ app, workspace }) => {
    const client = await app({ turns: [{ user: "/./", steps: [{ run: "echo out-{{user}}-end" }, { say: "{{output}}" }] }] });
    const runs = Array.from({ length: 20 }, async (_, i) => {
      const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "read-only" });
      const run = await thread.run(`n${i}`);
      const [command] = run.items.flatMap((item) => (item.type === "commandExecution" ? [item] : []));
      assert.match(command?.aggregatedOutput ?? "", new RegExp(`^out-n${i}-end\\s*$`));
      assert.ok(run.text.includes(`out-n${i}-end`) && run.text.match(/out-n\d+-end/g)?.length === 1, run.text);
    });
    await Promise.all(runs);
  },
  { legs: ["memory"] },
);

verifies("trust.policiesApart", async ({ app, workspace, home }) => {
  const outside = path.join(path.dirname(home), "outside");
  mkdirSync(outside);
  const client = await app({ turns: [{ user: "/./", steps: [{ run: `touch ${outside}/{{user}} {{user}}` }, { say: "done" }] }] });
  const settings = { cwd: workspace, approvalPolicy: "never" } as const;
  const open = await client.startThread({ ...settings, sandbox: "danger-full-access" });
  const closed = await client.startThread({ ...settings, sandbox: "read-only" });
  await Promise.all(
    [open.run("open"), closed.run("closed"), open.run("open2"), closed.run("closed2")].map((run) => run.catch(() => undefined)),
  );
  await closed.run("closed3");
  assert.deepEqual(
    readdirSync(outside).filter((name) => name.startsWith("closed")),
    [],
  );
  // The second message may have joined the first turn; then its text is the newest.
  assert.ok(readdirSync(outside).some((name) => name.startsWith("open")));
});

verifies("trust.execPolicies", async ({ app, workspace, home }) => {
  const outside = path.join(path.dirname(home), "outside");
  mkdirSync(outside);
  const client = await app();
  const exec = (sandboxPolicy: unknown) =>
    client.call("command/exec", {
      command: ["sh", "-c", `touch ${outside}/x inside`],
      cwd: workspace,
      ...(sandboxPolicy === undefined ? {} : { sandboxPolicy: sandboxPolicy as never }),
    });
  for (const policy of [undefined, { type: "readOnly" }]) assert.notEqual((await exec(policy)).exitCode, 0);
  for (const bogus of [
    { type: "none" },
    { type: "DangerFullAccess" },
    { type: "" },
    {},
    "danger-full-access",
    [],
    { type: ["dangerFullAccess"] },
    7,
  ])
    await exec(bogus).then(
      ({ exitCode }) => assert.notEqual(exitCode, 0, JSON.stringify(bogus)),
      (error: unknown) => assert.ok(error instanceof RpcError, JSON.stringify(bogus)),
    );
  assert.deepEqual([readdirSync(outside), readdirSync(workspace)], [[], []]);
});

verifies("trust.modelMistakes", async ({ app, workspace }) => {
  const mistakes: readonly object[] = [
    { call: "exec_command", with: "{not json" },
    { call: "exec_command", with: { cmd: { a: 1 } } },
    { call: "exec_command", with: { cmd: ["touch", ["x"]] } },
    { call: "exec_command", with: { cmd: "touch x", workdir: 7 } },
    { call: "exec_command", with: {} },
    { call: "exec_command", with: "[]" },
    { call: "no_such_tool", with: { a: 1 } },
    { call: "__proto__", with: {} },
    { call: "toString", with: {} },
    { call: "", with: {} },
    { call: "apply_patch", with: '"x"' },
    { call: "update_plan", with: { plan: "none" } },
    { call: "write_stdin", with: { session_id: "x", chars: 4 } },
  ];
  const client = await app({ turns: [mistakes.flatMap((step) => [step, { say: "{{output}}" }])] });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
  const run = await thread.run("go");
  assert.equal(run.status, "completed");
  const replies = run.items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : []));
  assert.equal(replies.length, mistakes.length);
  for (const [i, text] of replies.entries())
    assert.ok(text.length > 5 && !/internal error/.test(text), `${JSON.stringify(mistakes[i])}: ${text}`);
  assert.deepEqual(readdirSync(workspace), []);
});
