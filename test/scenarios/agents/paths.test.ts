/** Agents that are addressed by path, as the newest models expect it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";
import { Cast, call, say } from "./cast.ts";

const family = ["spawn_agent", "send_message", "followup_task", "wait_agent", "interrupt_agent", "list_agents"];

verifies("agents.paths", async (stage) => {
  const gate = Promise.withResolvers<void>();
  await using cast = new Cast({
    LEAD: [
      call("spawn_agent", { task_name: "helper", message: "COUNT", fork_turns: "none" }),
      call("wait_agent", { timeout_ms: 60_000 }),
      call("followup_task", { target: "helper", message: "HOLD" }),
      call("send_message", { target: "/root/helper", message: "by the way" }),
      call("list_agents", {}),
      call("interrupt_agent", { target: "/root/helper" }),
      call("spawn_agent", { task_name: "Not A Name", message: "COUNT" }),
      call("spawn_agent", { task_name: "helper", message: "COUNT" }),
      call("followup_task", { target: "/root", message: "COUNT" }),
      call("spawn_agent", { task_name: "forked", message: "COUNT" }),
      call("wait_agent", { timeout_ms: 60_000 }),
      say("done"),
    ],
    COUNT: [call("send_message", { target: "/root", message: "on it" }), say("42")],
    HOLD: [() => gate.promise.then(() => say("held"))],
  });
  const client = await stage.app({ config: await cast.config() });
  const settings = { approvalPolicy: "never", sandbox: "danger-full-access", modelProvider: "mock", model: "gpt-5.6-sol" } as const;
  const thread = await client.startThread({ cwd: stage.workspace, ...settings });
  const { items } = await thread.run("LEAD");
  gate.resolve();
  const [first, second] = cast.of("LEAD");
  const last = cast.of("LEAD").at(-1);
  assert.deepEqual(
    first?.tools.filter((name) => family.includes(name)),
    ["spawn_agent"],
  );
  assert.deepEqual(
    second?.tools.filter((name) => family.includes(name)),
    family,
  );
  const outputs = last?.outputs ?? [];
  const { task_name: named, nickname } = JSON.parse(outputs[0] ?? "{}");
  assert.equal(named, "/root/helper");
  assert.ok(nickname);
  assert.deepEqual(JSON.parse(outputs[1] ?? "{}").timed_out, false);
  assert.deepEqual(JSON.parse(outputs[4] ?? "{}"), {
    agents: [
      { agent_name: "/root", agent_status: "running" },
      { agent_name: "/root/helper", agent_status: "running" },
    ],
  });
  assert.deepEqual(JSON.parse(outputs[5] ?? "{}"), { previous_status: "running" });
  assert.match(outputs[6] ?? "", /task_name: use 1 to 64 lowercase letters/);
  assert.match(outputs[7] ?? "", /there is an agent \/root\/helper already/);
  assert.match(outputs[8] ?? "", /root agent takes no tasks/);

  const task = cast.of("COUNT")[0]?.text ?? "";
  assert.deepEqual(
    cast.of("COUNT")[0]?.tools.filter((name) => family.includes(name)),
    family.filter((name) => name !== "spawn_agent"),
    "an agent may not start others by default, and is not offered it",
  );
  assert.match(task, /Message Type: NEW_TASK\\nTask name: \/root\/helper\\nSender: \/root\\nPayload:/);
  assert.doesNotMatch(task, /LEAD/, "fork_turns none: it knows nothing of the conversation");
  assert.match(
    cast
      .of("COUNT")
      .map(({ text }) => text)
      .find((text) => text.includes("/root/forked")) ?? "",
    /LEAD/,
    "it knows it by default",
  );
  const input = (last?.body["input"] ?? []) as readonly {
    type: string;
    author?: string;
    recipient?: string;
    content?: { text: string }[];
  }[];
  const messages = input.filter(({ type }) => type === "agent_message");
  assert.deepEqual(messages.map(({ author, recipient, content }) => [author, recipient, content?.[0]?.text.split("\n")[0]]).slice(0, 2), [
    ["/root/helper", "/root", "Message Type: MESSAGE"],
    ["/root/helper", "/root", "Message Type: FINAL_ANSWER"],
  ]);
  const activities = items.flatMap((item) => (item.type === "subAgentActivity" ? [`${item.kind} ${item.agentPath} ${item.model}`] : []));
  assert.ok(activities.includes("completed /root/helper null"));
  assert.deepEqual(
    activities.filter((text) => !text.startsWith("completed")), // whose moment depends on timing
    [
      "started /root/helper gpt-5.6-sol",
      "interacted /root/helper null",
      "interacted /root/helper null",
      "interrupted /root/helper null",
      "started /root/forked gpt-5.6-sol",
    ],
  );
});

verifies("agents.instructions", async (stage) => {
  const start = (more: object = {}) => [
    call("spawn_agent", { task_name: "helper", message: "COUNT", fork_turns: "none", ...more }),
    say("ok"),
  ];
  await using cast = new Cast({ LEAD: start(), ROLE: start({ agent_type: "explorer" }), COUNT: [say("42")] });
  writeFileSync(path.join(stage.home, "explorer.toml"), 'developer_instructions = "Of the role."\n');
  const roles = '[agents.explorer]\ndescription = "Looks"\nconfig_file = "./explorer.toml"\n';
  const client = await stage.app({ config: `${await cast.config()}\n${roles}` });
  const settings = { approvalPolicy: "never", sandbox: "danger-full-access", modelProvider: "mock", model: "gpt-5.6-sol" } as const;
  for (const [lead, own, given] of [
    ["LEAD", "For agents.", "For agents."],
    ["LEAD", "  ", undefined],
    ["LEAD", undefined, "Of the parent."],
    ["ROLE", "For agents.", "Of the role."],
  ] as const) {
    const feature = { enabled: true, ...(own === undefined ? {} : { subagent_developer_instructions: own }) };
    const config = { features: { multi_agent_v2: feature } };
    const thread = await client.startThread({ cwd: stage.workspace, developerInstructions: "Of the parent.", config, ...settings });
    const ended = new Promise<void>((resolve) => client.on("turn/completed", ({ threadId }) => threadId !== thread.id && resolve()));
    await thread.run(lead);
    await ended;
    const text = cast.of("COUNT").at(-1)?.text ?? "";
    assert.equal(/Of the parent\.|For agents\.|Of the role\./.exec(text)?.[0], given, `${lead} ${own}`);
  }
});
