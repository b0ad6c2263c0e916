/** Long threads are opened without the outputs of old turns, and with everything that their last turns and the model's history need. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { replay } from "../../core/context/replay.ts";
import { createLocalStore } from "../local.ts";
import { RolloutReader } from "./read.ts";
import { longBytes, readRecentRollout, takeOld } from "./read-recent.ts";

const id = "0199aaaa-0000-7000-8000-000000000001";
const timestamp = "2026-01-02T03:04:05.000Z";
const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp, type, payload })}\n`;
/** Quotes, backslashes and what looks like keys. */
const output = (n: number): string =>
  `Exit code: 0\nWall time: 1 seconds\nOutput:\n${`{"output":"x\\\\"} "encrypted_content":"${n}" \\`.repeat(3_000)}`;

function turn(n: number): string {
  const text = `question ${n}`;
  const item = (payload: object): string => line("response_item", payload);
  return [
    line("event_msg", { type: "task_started", turn_id: `t${n}` }),
    item({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    line("event_msg", { type: "user_message", message: text }),
    item({ type: "reasoning", summary: [], encrypted_content: "e".repeat(5_000) }),
    item({ type: "function_call", name: "shell_command", arguments: JSON.stringify({ command: "ls" }), call_id: `c${n}` }),
    item({ type: "function_call_output", call_id: `c${n}`, output: output(n) }),
    line("event_msg", { type: "agent_message", message: `answer ${n}` }),
    line("event_msg", { type: "task_complete", turn_id: `t${n}`, last_agent_message: `answer ${n}` }),
  ].join("");
}
const compaction = line("compacted", {
  message: "summary",
  replacement_history: [{ type: "message", role: "user", content: [{ type: "input_text", text: "summary" }] }],
});

describe("a long thread", () => {
  let home = "";
  let file = "";
  let turns = 0;
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-long-"));
    const folder = path.join(home, "sessions", "2026", "01", "02");
    mkdirSync(folder, { recursive: true });
    file = path.join(folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`);
    const meta = { id, timestamp, cwd: "/p", originator: "x", cli_version: "1", source: "cli", model_provider: "p" };
    writeFileSync(file, line("session_meta", meta));
    for (let size = 0; size < longBytes + (8 << 20); turns++) {
      const text = turn(turns) + (turns % 20 === 19 ? compaction : "");
      appendFileSync(file, text);
      size += text.length;
    }
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  test("its last turns, its history and every id are those of the whole file, and it takes a fraction of it", async () => {
    const store = createLocalStore({ home });
    const recent = await store.readRecent(id);
    assert.ok(recent !== undefined);
    const all = await store.read(id);
    const [part, whole] = [replay(recent.records), replay(all)];
    assert.deepEqual({ ...part, turns: [] }, { ...whole, turns: [] });
    assert.ok(JSON.stringify(part.modelHistory).includes("Wall time"), "history since the compaction has its outputs");
    const begun = (of: typeof part): unknown[] => of.turns.map((one) => ({ ...one, items: [] }));
    assert.deepEqual(begun(part), begun(whole));
    const shown = whole.turns.filter((one) => recent.wholeTurns.has(one.id));
    assert.ok(shown.length > 50 && shown.length < turns / 2, `${shown.length} of ${turns} turns`);
    assert.deepEqual(part.turns.slice(-shown.length), shown);
    assert.ok(JSON.stringify(recent.records).length < JSON.stringify(all).length * 0.7);
    await store.close();
  });

  test("one whose history or last turn is not at its end is read whole", async () => {
    const size = statSync(file).size;
    const { truncateSync } = process.getBuiltinModule("node:fs");
    for (const added of [
      line("event_msg", { type: "thread_rolled_back", num_turns: 1 }),
      Array.from({ length: 150 }, (_, n) => turn(turns + n)).join(""),
      // Of the history that such a compaction leaves, the questions before it are a part.
      line("compacted", { message: "summary" }) + turn(turns),
    ]) {
      appendFileSync(file, added);
      assert.equal(await readRecentRollout(file), undefined);
      truncateSync(file, size);
    }
    assert.ok((await readRecentRollout(file)) !== undefined);
  });
});

const wire = {
  started: (id: string): string => line("event_msg", { type: "task_started", turn_id: id }),
  ended: (id: string): string => line("event_msg", { type: "task_complete", turn_id: id }),
  question: (message: string, more: object = {}): string => line("event_msg", { type: "user_message", message, ...more }),
  answer: (message: string, more: object = {}): string => line("event_msg", { type: "agent_message", message, ...more }),
  meta: line("session_meta", { id, timestamp, cwd: "/p", originator: "x", cli_version: "1", source: "cli" }),
};

test("messages of old turns are passed over, and later items have the ids that they have in the whole file", () => {
  const { started, ended, question, answer, meta } = wire;
  const copy = line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] });
  const first = meta + started("t") + copy + question("first") + answer("a") + ended("t");
  const last = started("z") + copy + question("last", { client_id: "c" }) + answer("z") + ended("z");
  const own = (payload: object, item: object): string =>
    `${JSON.stringify({ timestamp, type: "event_msg", payload, parley: { set: { turnId: "u" }, inner: { set: item } } })}\n`;
  for (const [old, left] of [
    [started("u") + copy + question("q", { client_id: "c" }) + answer('\\"item_id":"x"') + ended("u"), 1],
    // An image that the model looked at is no message; one that a person sent with a text is.
    [started("u") + question("", { images: ["data:,"] }) + question("see", { images: ["data:,"] }) + answer("a") + ended("u"), 1],
    [started("u") + question("q", { item_id: "named" }) + answer("a", { turn_id: "u", item_id: "named too" }) + ended("u"), 3],
    [started("u") + own({ type: "agent_message", message: "ours", turn_id: "u", item_id: "i" }, { id: "i" }) + answer("a") + ended("u"), 1],
    // Without a turn around them messages begin one.
    [question("q") + answer("a"), 3],
    [line("event_msg", { type: "entered_review_mode" }) + question("q") + answer("a"), 4],
  ] as const) {
    const whole = new RolloutReader(id);
    for (const one of (first + old + last).split("\n")) if (one !== "") whole.take(one);
    const part = new RolloutReader(id);
    for (const _ of takeOld(Buffer.from(first + old), part));
    for (const one of last.split("\n")) if (one !== "") part.take(one);
    const [found, wanted] = [replay(part.finish()), replay(whole.finish())];
    assert.deepEqual(found.turns.at(-1), wanted.turns.at(-1));
    assert.deepEqual(
      found.turns.map((turn) => turn.id),
      wanted.turns.map((turn) => turn.id),
    );
    assert.equal(found.preview, "first");
    assert.equal(found.turns.slice(0, -1).flatMap((turn) => turn.items).length, left, old);
  }
});

test("lines of the model's are passed over only where nothing else depends on them", () => {
  const call = line("response_item", { type: "function_call", name: "shell_command", arguments: "{}", call_id: "c" });
  const result = line("response_item", { type: "function_call_output", call_id: "c", output: 'said "{\\"timestamp\\":' });
  const thought = line("event_msg", { type: "agent_reasoning", text: "hm" });
  const message = (text: string): string => line("event_msg", { type: "agent_message", message: text });
  const started = line("event_msg", { type: "task_started", turn_id: "t" });
  const ended = line("event_msg", { type: "task_complete", turn_id: "t" });
  const meta = line("session_meta", { id, timestamp, cwd: "/p", originator: "x", cli_version: "1", source: "cli" });
  const read = (text: string, isOld: boolean): unknown[] => {
    const reader = new RolloutReader(id);
    if (isOld) for (const _ of takeOld(Buffer.from(text), reader));
    else for (const one of text.split("\n")) if (one !== "") reader.take(one);
    return replay(reader.finish()).turns.map((turn) => [
      turn.id,
      turn.items.flatMap((item) => (item.type === "commandExecution" ? [] : [[item.type, item.id]])),
    ]);
  };
  const torn = result.slice(0, -20);
  for (const text of [
    // Parts of a summary are one item unless something came between them; numbers go on as if nothing was left out.
    meta + started + thought + thought + call + result + thought + message("a") + ended + started.replace('"t"', '"u"') + message("b"),
    // The next line was joined to one that a crash had torn.
    meta + started + call + torn + message("joined") + message("after"),
    // Old files have no starts of turns: a call may begin one.
    meta + call + result + message("first") + line("event_msg", { type: "user_message", message: "q" }) + call + result + message("second"),
  ])
    assert.deepEqual(read(text, true), read(text, false));
});
