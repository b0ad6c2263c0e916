/** Messages that a client tracks by its own id, when the turn they were added to is interrupted. */
import assert from "node:assert/strict";
import { verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

verifies("turn.steerFollowed", async (stage) => {
  const wire = await stage.wire({ turns: [[{ say: "working" }, { run: "sleep 60" }, { say: "never" }], [{ say: "ok" }]] });
  await wire.initialize();
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, approvalPolicy: "never", sandbox: "danger-full-access" }))
    .result;
  const inputOf = (text: string, more: object = {}) => ({ threadId: thread.id, input: [{ type: "text", text }], ...more });
  const { turn } = (await wire.ask("turn/start", inputOf("go"))).result;
  await wire.until((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
  await wire.ask("turn/steer", inputOf("followed", { expectedTurnId: turn.id, clientUserMessageId: "mine" }));
  await wire.ask("turn/steer", inputOf("plain", { expectedTurnId: turn.id }));
  await wire.ask("turn/interrupt", { threadId: thread.id, turnId: turn.id });
  await wire.notification("turn/completed");
  const wordsOf = (items: readonly Message[]): string[] =>
    items.flatMap((item) => (item.type === "userMessage" ? [item.content[0].text] : []));
  const announced = wire.received.filter((m) => m.method === "item/completed").map((m) => m.params.item);
  assert.deepEqual(wordsOf(announced), ["go", "plain"]);
  const { turns } = (await wire.ask("thread/read", { threadId: thread.id, includeTurns: true })).result.thread;
  assert.deepEqual(wordsOf(turns[0].items), ["go", "followed", "plain"]);
});
