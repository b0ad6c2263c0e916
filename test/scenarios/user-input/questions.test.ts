/** The model's questions to the user: where they are allowed, how they are asked, and every form of answer. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Client } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

const question = {
  id: "db",
  header: "DB",
  question: "Which?",
  options: [
    { label: "SQLite", description: "" },
    { label: "Postgres", description: "" },
  ],
};
const asks = (questions: readonly object[]) => ({ call: "request_user_input", with: { questions } });
const plan = { mode: "plan" as const, settings: { model: "scripted", reasoning_effort: null, developer_instructions: null } };

async function answersFor(client: Client, workspace: string, answers: readonly unknown[]): Promise<string[]> {
  let n = 0;
  client.answer("item/tool/requestUserInput", () => answers[n++] as never);
  const thread = await client.startThread({ cwd: workspace });
  const replies: string[] = [];
  for (const _ of answers) replies.push((await thread.run("ask", { collaborationMode: plan })).text);
  return replies;
}

verifies("questions.shapes", async ({ app, workspace }) => {
  const shapes = [
    { answers: { db: { answers: ["SQLite"] } } },
    { answers: { db: { selected: ["SQLite"], other: null } } },
    { answers: { db: "SQLite" } },
    { answers: { db: ["SQLite"] } },
    { answers: [{ questionIndex: 0, selected: "SQLite" }] },
    { answers: [{ id: "db", answer: "SQLite" }] },
    { userInput: "SQLite" },
    { text: "SQLite" },
  ];
  const client = await app({ turns: shapes.map(() => [asks([question]), { say: "{{output}}" }]) });
  const replies = await answersFor(client, workspace, shapes);
  for (const text of replies) assert.deepEqual(JSON.parse(text), { answers: { db: { answers: ["SQLite"] } } });
});

verifies("questions.cancel", async ({ app, workspace }) => {
  const no = [{ answers: {} }, { cancelled: true }, {}];
  const client = await app({ turns: no.map(() => [asks([question]), { say: "{{output}}" }]) });
  for (const text of await answersFor(client, workspace, no)) assert.match(text, /cancelled/);
});

verifies("questions.planOnly", async ({ app, workspace }) => {
  const client = await app({
    turns: [[asks([question]), { say: "{{output}}" }]],
    config: "features.default_mode_request_user_input = false",
  });
  const thread = await client.startThread({ cwd: workspace });
  assert.match((await thread.run("ask")).text, /unavailable in Default mode/);
});

verifies("questions.pairing", async ({ app, workspace }) => {
  const client = await app({ turns: [[asks([question]), { say: "{{output}}" }]] });
  client.answer("item/tool/requestUserInput", () => ({ answers: { db: { answers: ["Postgres"] } } }));
  const thread = await client.startThread({ cwd: workspace });
  const collaborationMode = { ...plan, mode: "pair_programming" as const };
  const { text } = await thread.run("ask", { collaborationMode });
  assert.match(text, /Postgres/);
  const { path: file } = (await client.call("thread/read", { threadId: thread.id })).thread;
  assert.doesNotMatch(readFileSync(file ?? "", "utf8"), /Mode: Plan\./);
});

verifies("questions.everyMode", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ expect: { tools: ["request_user_input"] } }, asks([question]), { say: "{{output}}" }]] });
  client.answer("item/tool/requestUserInput", () => ({ answers: { db: { answers: ["Postgres"] } } }));
  const thread = await client.startThread({ cwd: workspace });
  assert.match((await thread.run("ask")).text, /Postgres/);
});

verifies("questions.seed000", async ({ wire, workspace }) => {
  const questionnaire = {
    call: "ask_user_question",
    with: {
      questions: [
        { type: "single_choice", text: "Where?", options: ["AWS", "GCP"], allowOther: true },
        { type: "multi_choice", text: "What?", options: ["Auth", "Logs"] },
      ],
    },
  };
  const client = await wire({
    turns: [
      [
        asks([question]),
        { say: "a" },
        asks([{ id: "free", header: "", question: "Which platform?" }]),
        { say: "b" },
        questionnaire,
        { say: "{{output}}" },
      ],
    ],
  });
  await client.initialize({ experimentalApi: true, extensions: { parley: { dialect: "seed-000" } } });
  const { result } = await client.ask("thread/start", { cwd: workspace });
  await client.ask("turn/start", { threadId: result.thread.id, input: [{ type: "text", text: "go" }] });
  const choice = await client.request("tool/requestUserInput");
  assert.deepEqual(choice.params.questions, [{ text: "Which?", options: ["SQLite", "Postgres"], isOther: true }]);
  client.send({ id: choice.id, result: { answers: [{ questionIndex: 0, selected: "SQLite" }] } });
  const open = await client.request("agent/requestUserInput");
  assert.equal(open.params.prompt, "Which platform?");
  client.send({ id: open.id, result: { userInput: "Lambda" } });
  const form = await client.request("agent/askUserQuestion");
  assert.deepEqual(form.params.questions, [
    { type: "single_choice", text: "Where?", options: ["AWS", "GCP"], allowOther: true },
    { type: "multi_choice", text: "What?", options: ["Auth", "Logs"] },
  ]);
  client.send({ id: form.id, error: { code: -32000, message: "User cancelled input" } });
  const ended = await client.notification("turn/completed");
  assert.equal(ended.params.turn.status, "completed", "a cancelled question ends the tool call, not the turn");
});
