/** What becomes of a turn whose worker is killed: it ends, or the model is told of the loss and goes on (`fleet.on_loss`); its agents end. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noPostgres } from "../support/postgres.ts";
import type { Message } from "../support/wire.ts";
import { type FleetClient, type FleetProcess, FleetStage } from "./stage.ts";

const turns = [
  { user: "/^slow/", steps: [{ run: "echo once >> ran; sleep 60" }, { say: "never" }] },
  {
    user: "/^lead/",
    steps: [
      { call: "spawn_agent", with: { message: "slow work" } },
      { call: "exec_command", with: { cmd: "sleep 60" } },
    ],
  },
  { user: "/./", steps: [{ say: "You said {{user}}." }] },
];
const isCommand = (m: Message): boolean => m.method === "item/started" && m.params.item.type === "commandExecution";

/** The next worker's model has no past: it is given what is left to say. */
async function killHolder(stage: FleetStage, workers: readonly FleetProcess[], threadId: string): Promise<void> {
  stage.script([{ user: "/./", steps: [{ say: "Went on." }] }]);
  const holder = await stage.holder(threadId);
  await workers.find(({ name }) => name === holder)?.kill();
}
async function ranOnce(stage: FleetStage): Promise<void> {
  const ledger = path.join(stage.workspace, "ran");
  while (!existsSync(ledger)) await sleep(20);
  assert.equal(readFileSync(ledger, "utf8"), "once\n");
}
const read = async (client: FleetClient, threadId: string): Promise<Message> =>
  (await client.call("thread/read", { threadId, includeTurns: true })).thread;

test("with fleet.on_loss = continue the model is told, goes on, and no command runs twice", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const stage = await FleetStage.start(t, turns);
  const workers = await stage.workers("w1", "w2");
  const client = await (await stage.front()).client(await stage.token());
  assert.match((await client.ask("thread/start", { config: { "fleet.on_loss": "hope" } })).error.message, /on_loss/);
  const threadId = await client.startThread(stage.settings({ config: { "fleet.on_loss": "continue" } }));
  const turnId = await client.startTurn(threadId, "slow");
  const begun = await client.waitFor(isCommand, "the command");
  await ranOnce(stage);
  await killHolder(stage, workers, threadId);

  const end = await client.turnEnd(turnId);
  assert.equal(end["status"], "completed");
  const { turns: stored } = await read(client, threadId);
  assert.equal(stored.length, 1);
  const command = stored[0].items.find(({ id }: Message) => id === begun.params.item.id);
  assert.equal(command.status, "failed");
  assert.match(command.aggregatedOutput, /unknown/);
  const told = client.messages.find((m) => m.method === "item/completed" && m.params.item.id === command.id);
  assert.equal(told?.params.item.status, "failed", "who saw it begin is told of its end");
  assert.equal(stored[0].items.at(-1).text, "Went on.");
  const [note] = await stage.engine.query<{ line: string }>("select line from parley.log where thread = $1 and line like '%worker_lost%'", [
    threadId,
  ]);
  assert.match(note?.line ?? "", /outcome is unknown/, "the model is told");
  assert.equal(client.messages.filter((m) => m.method === "turn/completed").length, 1);
  await ranOnce(stage);
  assert.equal((await client.turn(threadId, "hello"))["status"], "completed");
});

test("without it the turn ends, and so do its agents: nobody waits for those that are lost", {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const stage = await FleetStage.start(t, turns);
  const workers = await stage.workers("w1", "w2");
  const client = await (await stage.front()).client(await stage.token());
  const threadId = await client.startThread(stage.settings());
  const turnId = await client.startTurn(threadId, "lead");
  const ofAgent = await client.waitFor((m) => isCommand(m) && m.params.threadId !== threadId, "the agent's command");
  await ranOnce(stage);
  const agentId: string = ofAgent.params.threadId;
  await killHolder(stage, workers, threadId);

  assert.equal((await client.turnEnd(turnId))["status"], "interrupted");
  const idle = "select state from parley.threads where id = any($1) and state <> 'idle'";
  while ((await stage.engine.query(idle, [[threadId, agentId]])).length > 0) await sleep(50);
  const [parent, agent] = [await read(client, threadId), await read(client, agentId)];
  assert.deepEqual([parent["turns"].at(-1).status, agent["turns"].at(-1).status], ["interrupted", "interrupted"]);
  const next = await client.turn(threadId, "hello");
  assert.equal(next["status"], "completed");
  await ranOnce(stage);
});

test("agents end with their worker also where their parent goes on", { skip: noPostgres }, async (t) => {
  const stage = await FleetStage.start(t, turns, '[fleet]\non_loss = "continue"\n');
  const workers = await stage.workers("w1", "w2");
  const client = await (await stage.front()).client(await stage.token());
  const threadId = await client.startThread(stage.settings());
  const turnId = await client.startTurn(threadId, "lead");
  const ofAgent = await client.waitFor((m) => isCommand(m) && m.params.threadId !== threadId, "the agent's command");
  await killHolder(stage, workers, threadId);
  assert.equal((await client.turnEnd(turnId))["status"], "completed");
  const agentId: string = ofAgent.params.threadId;
  while ((await stage.engine.query("select 1 from parley.threads where id = $1 and state <> 'idle'", [agentId])).length > 0)
    await sleep(50);
  assert.equal((await read(client, agentId))["turns"].at(-1).status, "interrupted");
});
