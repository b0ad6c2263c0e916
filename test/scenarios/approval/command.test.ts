/** Commands that need approval: every decision, and what it grants. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RpcError } from "../../../src/client/client.ts";
import { noProtection } from "../../../src/exec/testing.ts";
import type { ThreadItem } from "../../../src/protocol/item.ts";
import { type Stage, verifies } from "../../support/verifies.ts";

type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;
const commands = (items: readonly ThreadItem[]): CommandItem[] => items.filter((item) => item.type === "commandExecution");

/** Runs one turn with the given commands under `untrusted`; `answer` decides each. */
async function play({ app, workspace }: Stage, lines: readonly string[], answer: (n: number) => unknown) {
  const client = await app({ turns: [[...lines.flatMap((run) => [{ run }, { say: "next" }]), { say: "end" }]] });
  const asked: string[] = [];
  client.answer("item/commandExecution/requestApproval", (params) => {
    asked.push(params.command ?? "");
    return answer(asked.length) as never;
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  return { client, thread, run: await thread.run("go"), asked };
}

verifies("approval.decline", async (stage) => {
  const { run } = await play(stage, ["touch x"], () => ({ decision: "decline" }));
  assert.deepEqual(
    [run.status, commands(run.items).map((item) => item.status), existsSync(path.join(stage.workspace, "x"))],
    ["completed", ["declined"], false],
  );
});

verifies("approval.cancel", async (stage) => {
  const { run } = await play(stage, ["touch x"], () => ({ decision: "cancel" }));
  assert.deepEqual([run.status, commands(run.items).map((item) => item.status)], ["interrupted", ["declined"]]);
});

verifies("approval.unreadable", async (stage) => {
  const answers = [
    null,
    "accept",
    {},
    { decision: "ACCEPT" },
    { decision: "approved" },
    { decision: true },
    { approved: true },
    { decision: { accept: {} } },
    { decision: { acceptWithExecpolicyAmendment: {} } },
  ];
  const { run } = await play(
    stage,
    answers.map((_, i) => `touch x${i}`),
    (n) => answers[n - 1],
  );
  assert.deepEqual(new Set(commands(run.items).map((item) => item.status)), new Set(["failed"]), "as 0.166 ends it");
});

verifies("approval.errorAnswer", async (stage) => {
  const { run } = await play(stage, ["touch x"], () => {
    throw new RpcError(-32000, "User cancelled input");
  });
  assert.deepEqual([run.status, commands(run.items).map((item) => item.status)], ["completed", ["declined"]]);
});

verifies("approval.forSession", async (stage) => {
  for (const yes of [{ decision: "acceptForSession" }, { decision: "accept", acceptSettings: { forSession: true } }]) {
    const { asked, run } = await play(stage, ["touch a", "touch a", "touch a b"], () => yes);
    assert.equal(asked.length, 2, "the same command is not asked about again, a longer one is");
    assert.deepEqual(
      commands(run.items).map((item) => item.status),
      ["completed", "completed", "completed"],
    );
    await stage.restart();
  }
});

verifies("approval.remember", async (stage) => {
  const { asked, run } = await play(stage, ["touch a", "touch a b"], () => ({
    decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["touch", "a"] } },
  }));
  assert.equal(asked.length, 1, "the remembered prefix covers the longer command");
  assert.equal(commands(run.items).length, 2);
  assert.match(
    readFileSync(path.join(stage.home, "rules", "default.rules"), "utf8"),
    /prefix_rule\(pattern=\["touch", "a"\], decision="allow"\)/,
  );
});

verifies("approval.foreignAmendment", async (stage) => {
  const lines = ["touch a", "touch b; echo $PATH", "touch c d"];
  const amendments = [["rm"], ["/bin/bash"], ["touch"]];
  const warnings: string[] = [];
  const client = await stage.app({ turns: [[...lines.flatMap((run) => [{ run }, { say: "next" }]), { say: "end" }]] });
  client.on("warning", ({ message }) => warnings.push(message));
  client.answer("item/commandExecution/requestApproval", () => ({
    decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendments[warnings.length] ?? [] } },
  }));
  const thread = await client.startThread({ cwd: stage.workspace, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  const { items } = await thread.run("go");
  assert.deepEqual(
    commands(items).map(({ status }) => status),
    ["declined", "declined", "declined"],
    "an answer that was not offered is a no",
  );
  assert.match(warnings[0] ?? "", /asked to remember `rm`, and offered was `touch a`; it counts as a no/);
  assert.match(warnings[1] ?? "", /no rule was offered/);
  assert.deepEqual(
    ["a", "b", "c"].map((name) => existsSync(path.join(stage.workspace, name))),
    [false, false, false],
  );
  assert.ok(!existsSync(path.join(stage.home, "rules", "default.rules")), "only what the person was shown becomes a rule");
});

verifies(
  "approval.ruleInside",
  async ({ app, home, workspace }) => {
    mkdirSync(path.join(home, "rules"));
    writeFileSync(path.join(home, "rules", "default.rules"), 'prefix_rule(pattern=["touch"], decision="allow")\n');
    const outside = { sandbox_permissions: "require_escalated" };
    const runs = [{ run: "touch inside" }, { run: "touch out", with: outside }, { run: "touch out more", with: outside }];
    const never = [{ run: "touch out", with: outside }, { expect: { output: "/approval policy is Never/" } }, { say: "understood" }];
    const client = await app({
      turns: [
        { user: "go", steps: [...runs.flatMap((step) => [step, { say: "next" }]), { say: "end" }] },
        { user: "never", steps: never },
      ],
    });
    const asked: unknown[] = [];
    client.answer("item/commandExecution/requestApproval", (params) => {
      asked.push([params.command, params.outsideSandbox, params.risk, params.proposedExecpolicyAmendment]);
      return { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: params.proposedExecpolicyAmendment ?? [] } } };
    });
    const limits = { cwd: workspace, sandbox: "read-only" } as const;
    const quiet = await client.startThread({ ...limits, approvalPolicy: "never" });
    assert.equal((await quiet.run("never")).text, "understood");
    const thread = await client.startThread({ ...limits, approvalPolicy: "on-request" });
    const { items } = await thread.run("go");
    assert.deepEqual(
      commands(items).map(({ status }) => status),
      ["failed", "completed", "completed"],
      "the rule allows inside, where nothing can be written",
    );
    assert.equal(asked.length, 1, "leaving the sandbox is asked about, and then has a rule of its own");
    assert.deepEqual(asked[0], ["/bin/bash -lc 'touch out'", true, "high", ["touch", "out"]]);
    assert.match(readFileSync(path.join(home, "rules", "outside-sandbox.rules"), "utf8"), /\["touch", "out"\]/);
    assert.deepEqual([existsSync(path.join(workspace, "inside")), existsSync(path.join(workspace, "out"))], [false, true]);
  },
  { skip: noProtection || undefined },
);

verifies("approval.audit", async (stage) => {
  await play(stage, ["touch a"], () => ({ decision: "accept" }));
  const month = new Date().toISOString().slice(0, 7);
  const lines = readFileSync(path.join(stage.home, "parley", "audit", `${month}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ event, decision }) => [event, decision]),
    [
      ["requested", undefined],
      ["decided", "accept"],
      ["ended", undefined],
    ],
  );
  assert.equal(lines[1]?.["by"], "parley_client");
  assert.equal(lines[2]?.["outcome"], "exit code 0");
});

verifies("approval.policyNever", async ({ app, workspace }) => {
  const client = await app({
    turns: [
      [
        { run: "touch out", with: { sandbox_permissions: "require_escalated", justification: "because" } },
        { expect: { output: "/approval policy is Never; reject command/" } },
        { say: "understood" },
      ],
    ],
  });
  const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "read-only" });
  const run = await thread.run("go");
  assert.deepEqual([run.text, existsSync(path.join(workspace, "out"))], ["understood", false]);
});

verifies("approval.rules", async (stage) => {
  mkdirSync(path.join(stage.home, "rules"));
  writeFileSync(
    path.join(stage.home, "rules", "mine.rules"),
    'prefix_rule(pattern=["touch", "ok"], decision="allow")\nprefix_rule(pattern=["rm"], decision="forbidden")\n',
  );
  const { asked, run } = await play(stage, ["touch ok", "rm -rf ok", "touch ok && rm ok", "touch other"], () => ({ decision: "accept" }));
  assert.deepEqual(asked.length, 1, "allowed runs, forbidden is refused, the rest is asked about");
  assert.deepEqual(commands(run.items).length, 2);
  assert.ok(existsSync(path.join(stage.workspace, "ok")));
});

verifies(
  "approval.outsideDeclined",
  async ({ app, workspace }) => {
    const steps = [{ run: "touch x" }, { expect: { output: "/rejected by user[^]*Read-only/" } }, { say: "understood" }];
    const client = await app({ turns: [steps] });
    const asked: (string | null | undefined)[] = [];
    client.answer("item/commandExecution/requestApproval", ({ reason }) => {
      asked.push(reason);
      return { decision: "decline" };
    });
    const thread = await client.startThread({ cwd: workspace, approvalPolicy: "on-failure", sandbox: "read-only" });
    const run = await thread.run("go");
    assert.deepEqual([asked.length, run.text, commands(run.items).map((item) => item.status)], [1, "understood", ["declined"]]);
  },
  { skip: noProtection || undefined },
);
