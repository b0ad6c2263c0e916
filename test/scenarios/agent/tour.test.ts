/** Which clients get the offline tour when no model is set up. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

async function introduced({ home, wire }: Stage, name: string): Promise<Wire> {
  writeFileSync(path.join(home, "config.toml"), "");
  const client = await wire();
  await client.initialize({ experimentalApi: true }, name);
  client.send({ method: "initialized" });
  return client;
}

interface Began {
  readonly method?: string;
  readonly start?: object;
  readonly turn?: object;
}

/** How the turn ended: its status, and the reply or the error message. */
async function ended(client: Wire, workspace: string, { method = "turn/start", start = {}, turn = {} }: Began = {}) {
  const { result } = await client.ask("thread/start", { cwd: workspace, ...start });
  const { id: threadId } = result.thread;
  const own = method === "turn/start" ? { input: [{ type: "text", text: "why does the build fail?" }] } : {};
  await client.ask(method, { threadId, ...own, ...turn });
  const { params } = await client.until((message) => message.method === "turn/completed" && message.params.threadId === threadId);
  const reply = client.received.findLast(({ method: name, params: of }) => name === "item/completed" && of.item.type === "agentMessage");
  return { status: params.turn.status, text: params.turn.error?.message ?? reply?.params.item.text };
}

/** Every transport identifies the client in the same way. */
const here = { legs: ["memory"] as const };

verifies(
  "agent.tourForPeople",
  async (stage) => {
    for (const name of ["codex-tui", "codex_vscode", "Codex Desktop", "parley-tui", "parley_manager", "parley_vscode"]) {
      const { status, text } = await ended(await introduced(stage, name), stage.workspace);
      assert.deepEqual([status, /Offline tour/.test(text)], ["completed", true], name);
    }
  },
  here,
);

verifies(
  "agent.tourForPeople",
  async (stage) => {
    const target = { type: "uncommittedChanges" };
    for (const name of ["my-bot", "parley_client", "codex_sdk_ts", "unknown", "codex_exec", "not codex-tui", "CODEX_VSCODE2"]) {
      const program = await introduced(stage, name);
      for (const began of [{}, { method: "thread/compact/start" }, { method: "review/start", turn: { target } }]) {
        const { status, text } = await ended(program, stage.workspace, began);
        assert.deepEqual(
          [status, /no model is set up.*OPENAI_API_KEY/.test(text)],
          ["failed", true],
          `${name} ${JSON.stringify(began)}: ${text}`,
        );
      }
    }
  },
  here,
);

verifies(
  "agent.tourForPeople",
  async (stage) => {
    const program = await introduced(stage, "my-bot");
    for (const asked of [
      { start: { modelProvider: "scripted" } },
      { start: { config: { model_provider: "scripted" } } },
      { turn: { model: "scripted" } },
    ]) {
      const { status, text } = await ended(program, stage.workspace, asked);
      assert.deepEqual([status, /Offline tour/.test(text)], ["completed", true], `${JSON.stringify(asked)}: ${text}`);
    }
  },
  here,
);

/** The model depends on the client that starts the turn, not on the one that started the thread. */
verifies(
  "agent.tourForPeople",
  async (stage) => {
    const person = await introduced(stage, "codex-tui");
    const program = await introduced(stage, "my-bot");
    const { result } = await person.ask("thread/start", { cwd: stage.workspace });
    const threadId = result.thread.id;
    const status = async (of: Wire): Promise<string> => {
      const before = person.received.filter(({ method }) => method === "turn/completed").length;
      await of.ask("turn/start", { threadId, input: [{ type: "text", text: "hello" }] });
      const all = await person.until(() => person.received.filter(({ method }) => method === "turn/completed").length > before);
      assert.ok(all !== undefined);
      return person.received.findLast(({ method }) => method === "turn/completed").params.turn.status;
    };
    assert.equal(await status(person), "completed");
    await program.ask("thread/resume", { threadId });
    assert.equal(await status(program), "failed");
    assert.equal(await status(person), "completed");
  },
  { legs: ["memory", "websocket", "unix"] },
);
