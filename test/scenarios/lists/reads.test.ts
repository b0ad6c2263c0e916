/** Reading parts of a thread, a sample beside it, and memories. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { verifies } from "../../support/verifies.ts";
import { asking, unknownId } from "./stage.ts";

verifies("lists.parts", async ({ wire, workspace }) => {
  const { ask, refusal, thread, turn } = await asking(wire, workspace);
  const threadId = await thread(`${"x".repeat(100)} ANSWER to find, and answer again`);
  const second = await turn(threadId, "second");
  const turns = (await ask("thread/turns/list", { threadId, itemsView: "full", sortDirection: "asc" })).data;
  const [message, reply] = turns[0].items;
  const read = await ask("thread/items/read", { threadId, turnId: turns[0].id, itemIds: [reply.id, "none", message.id] });
  assert.deepEqual(
    read.data.map((entry: { item: unknown; turnId: string }) => [entry.turnId, entry.item]),
    [
      [turns[0].id, reply],
      [turns[0].id, message],
    ],
  );
  assert.deepEqual((await ask("thread/items/read", { threadId, turnId: second, itemIds: [reply.id] })).data, [], "of that turn alone");
  assert.equal((await refusal("thread/items/read", { threadId, turnId: second, itemIds: [] }))[1], "itemIds must contain 1 to 100 IDs");

  const search = async (more: object = {}) => await ask("thread/searchOccurrences", { threadId, searchTerm: "answer", ...more });
  const found = await search();
  assert.deepEqual(
    found.data.map((one: { itemId: string }) => one.itemId),
    [message.id, message.id, reply.id, turns[1].items[1].id],
  );
  for (const { snippet, snippetMatchRange } of found.data)
    assert.equal(snippet.slice(snippetMatchRange.start, snippetMatchRange.end).toLowerCase(), "answer");
  assert.ok(found.data[0].snippet.length < 200);
  const page = await search({ limit: 3 });
  assert.deepEqual((await search({ cursor: page.nextCursor })).data, found.data.slice(3));
  const here = await ask("thread/turns/list", { threadId, cursor: found.data[3].turnCursor, sortDirection: "asc" });
  assert.equal(here.data[0].id, second, "the cursor leads to the turn");
  assert.equal(
    (await refusal("thread/searchOccurrences", { threadId, searchTerm: " " }))[1],
    "thread/searchOccurrences requires a non-empty searchTerm",
  );
  assert.match((await refusal("thread/searchOccurrences", { threadId, searchTerm: "x", cursor: "bad" }))[1], /^invalid cursor/);

  const timeline = async (more: object = {}) => await ask("thread/timeline/list", { threadId, ...more });
  const all = await timeline();
  assert.deepEqual(
    all.data.map((entry: { type: string }) => entry.type),
    ["turnStarted", "item", "item", "turnCompleted", "turnStarted", "item", "item", "turnCompleted"],
  );
  assert.deepEqual([all.data[0].turnId, all.data[1].item, all.data[3].status, all.nextCursor], [turns[0].id, message, "completed", null]);
  const newest = await timeline({ limit: 3 });
  assert.deepEqual(newest.data, all.data.slice(5), "the newest page first, ascending within it");
  assert.deepEqual((await timeline({ limit: 5, cursor: newest.nextCursor })).data, all.data.slice(0, 5));
  assert.match((await refusal("thread/timeline/list", { threadId, cursor: "bad" }))[1], /^invalid cursor/);
});

verifies(
  "lists.sample",
  async ({ wire: connect, workspace }) => {
    const hanging = Promise.withResolvers<void>();
    let hang = false;
    const reply = stream(responsesFrames({ text: "a title" }));
    await using provider = new MockProvider((response, request) => (hang ? hanging.resolve() : reply(response, request)));
    const config = `[model_providers.mock]\nbase_url = "${await provider.listen()}/v1"\n`;
    const wire = await connect({ config });
    await wire.initialize({ experimentalApi: true, requestAttestation: false });
    const { thread } = (await wire.ask("thread/start", { cwd: workspace, modelProvider: "mock", model: "mock-model" })).result;
    const { turn } = (await wire.ask("turn/start", { threadId: thread.id, input: [{ type: "text", text: "hello" }] })).result;
    await wire.notification("turn/completed");
    const sample = { threadId: thread.id, expectedTurnId: turn.id, prompt: "Name this." };
    const before = wire.received.length;
    const { result } = await wire.ask("thread/sample", sample);
    assert.deepEqual([result.sourceTurnId, result.text], [turn.id, "a title"]);
    assert.ok(result.inputTokens > 0 && result.outputTokens > 0);
    assert.equal(wire.received.length, before + 1, "nothing is announced");
    const body = provider.requests.at(-1)?.body as { input: { content: { text: string }[] }[]; tool_choice: string };
    assert.deepEqual(
      body.input.slice(-3).map(({ content }) => content[0]?.text),
      ["hello", "a title", "Name this."],
    );
    assert.equal(body.tool_choice, "none");
    const turns = (await wire.ask("thread/turns/list", { threadId: thread.id })).result.data;
    assert.equal(turns.length, 1, "nothing is stored");

    assert.match(
      (await wire.ask("thread/sample", { ...sample, expectedTurnId: "x" })).error.message,
      /^sample source turn must be the latest finished turn$/,
    );
    assert.match((await wire.ask("thread/sample", { ...sample, prompt: " " })).error.message, /^prompt must not be empty$/);
    hang = true;
    wire.send({ id: 77, method: "thread/sample", params: sample });
    await hanging.promise;
    assert.deepEqual((await wire.ask("thread/sample/cancel", { requestId: 77 })).result, {});
    const cancelled = await wire.until(({ id }) => id === 77, "the end of the sample");
    assert.equal(cancelled.error.message, "the sample was cancelled");
    assert.deepEqual((await wire.ask("thread/sample/cancel", { requestId: 78 })).result, {});
  },
  { legs: ["memory"] },
);

verifies(
  "memory.read",
  async ({ app, home, workspace }) => {
    const folder = path.join(home, "memories");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "memory_summary.md"), "The user likes tabs.\n");
    await using provider = new MockProvider(stream(responsesFrames({ text: "ok" })));
    const config = `[features]\nmemories = true\n[model_providers.mock]\nbase_url = "${await provider.listen()}/v1"\n`;
    const client = await app({ config });
    const { thread } = await client.call("thread/start", { cwd: workspace, modelProvider: "mock", model: "mock-model" });
    const run = async (): Promise<string[]> => {
      const done = Promise.withResolvers<void>();
      client.on("turn/completed", () => done.resolve());
      await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
      await done.promise;
      const body = provider.requests.at(-1)?.body as { input: { role: string; content: { text: string }[] }[] };
      return body.input.flatMap(({ role, content }) =>
        role === "developer" && content[0]?.text.startsWith("## Memory") ? [content[0].text] : [],
      );
    };
    const [text, ...more] = await run();
    assert.deepEqual(more, []);
    assert.ok(text?.includes("The user likes tabs.") && text.includes(folder), "the summary and where the notes are");
    assert.equal((await run()).length, 1, "once, while it stays the same");
    const listed = (await client.call("experimentalFeature/list", { limit: 100 })).data.find(({ name }) => name === "memories");
    assert.equal(listed?.enabled, true);
  },
  { legs: ["memory"] },
);

verifies("memory.methods", async ({ wire, home, workspace }) => {
  const { ask, refusal, thread, received } = await asking(wire, workspace);
  const threadId = await thread();
  const folder = path.join(home, "memories");
  assert.deepEqual(await ask("memory/status"), { v2ConsolidatedThreads: 0, v2Ready: true });
  assert.deepEqual(await ask("memory/status", { minConsolidatedThreads: 1 }), { v2ConsolidatedThreads: 0, v2Ready: false });
  assert.deepEqual(await ask("thread/memory/read", { threadId }), { summary: null });
  mkdirSync(path.join(folder, "rollout_summaries"), { recursive: true });
  writeFileSync(path.join(folder, "rollout_summaries", "a.md"), `thread_id: ${threadId}\nDid a thing.\n`);
  writeFileSync(path.join(folder, "MEMORY.md"), "notes");
  assert.match((await ask("thread/memory/read", { threadId })).summary, /Did a thing\./);
  assert.deepEqual(await ask("memory/reset", null), {});
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(await refusal("thread/memory/read", { threadId: unknownId }), [-32600, `thread not found: ${unknownId}`]);

  await ask("thread/memoryMode/set", { threadId, mode: "disabled" });
  assert.match(received("warning").at(-1)?.params.message, /memory mode was not stored/);
  const codex = new DatabaseSync(path.join(home, "state_5.sqlite"));
  codex.exec(
    `CREATE TABLE threads (id TEXT PRIMARY KEY, memory_mode TEXT NOT NULL); INSERT INTO threads VALUES ('${threadId}', 'enabled')`,
  );
  await ask("thread/memoryMode/set", { threadId, mode: "disabled" });
  assert.equal(codex.prepare("SELECT memory_mode FROM threads").get()?.["memory_mode"], "disabled");
  codex.close();
});

verifies("memory.link", async ({ wire, home, workspace }) => {
  writeFileSync(path.join(workspace, "precious"), "kept");
  symlinkSync(workspace, path.join(home, "memories"));
  const { refusal } = await asking(wire, workspace);
  assert.match((await refusal("memory/reset", null))[1], /is not a folder, so nothing in it is deleted/);
  assert.ok(existsSync(path.join(workspace, "precious")));
});
