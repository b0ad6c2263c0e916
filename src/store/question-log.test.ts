/** The log of open questions: read back as written, and not at all when any of it is damaged. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { CallEntry, OpenQuestions } from "../core/ports/open-questions.ts";
import { createQuestionLog, questionFile } from "./question-log.ts";
import { settingsFromContext } from "./rollout/turn-context.ts";

const id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const limits = { sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "untrusted" } as const;
const settings = settingsFromContext({ cwd: "/w", model: "m" }, { modelProvider: "p", workspaceRoots: ["/w"] });
const turn: OpenQuestions["turn"] = {
  type: "turn",
  turnId: "t1",
  settings,
  configured: limits,
  ofThread: limits,
  overrides: {},
  waiting: ["c3"],
};
const asked: CallEntry = { type: "asked", callId: "c1", digest: "d" };

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(tmpdir(), "parley-questions-"));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

test("what was written and added is read back, from a file that only its owner reads", async (t) => {
  const home = folder(t);
  const log = createQuestionLog(home);
  assert.equal(await log.read(id), undefined);
  await log.write(id, { turn, calls: [asked] });
  const answered: CallEntry = {
    type: "answered",
    callId: "c1",
    digest: "d",
    answer: { kind: "answered", result: { decision: "accept" }, by: "x" },
  };
  await log.add(id, answered);
  assert.deepEqual(await log.read(id), { turn: JSON.parse(JSON.stringify(turn)), calls: [asked, answered] });
  assert.equal(statSync(questionFile(home, id)).mode & 0o777, 0o600);
  await log.clear(id);
  assert.equal(await log.read(id), undefined);
});

test("a last line that was cut off is left out; any other damage voids the whole log", async (t) => {
  const home = folder(t);
  const log = createQuestionLog(home);
  await log.write(id, { turn, calls: [asked] });
  const file = questionFile(home, id);
  appendFileSync(file, '{"type":"begun","cal');
  assert.deepEqual((await log.read(id))?.calls, [asked]);
  appendFileSync(file, "\n");
  assert.equal(await log.read(id), undefined);
  const line = JSON.stringify(asked);
  for (const bad of [
    "",
    `${line}\n`,
    `${JSON.stringify({ ...turn, settings: { cwd: "/w" } })}\n${line}\n`,
    `${JSON.stringify(turn)}\n{"type":"run","callId":"c1"}\n`,
    `${JSON.stringify(turn)}\n{"type":"answered","callId":"c1","digest":"d","answer":{"kind":"answered"}}\n`,
    `${JSON.stringify(turn)}\n${`${line}\n`.repeat(2001)}`,
  ]) {
    writeFileSync(file, bad);
    assert.equal(await log.read(id), undefined, bad.slice(0, 200));
  }
});

test("an answer that is too long is not stored, and a link is not followed to something that is no file", async (t) => {
  const home = folder(t);
  const log = createQuestionLog(home);
  await log.write(id, { turn, calls: [asked] });
  await log.add(id, { type: "answered", callId: "c1", digest: "d", answer: { kind: "answered", result: "x".repeat(300_000), by: "x" } });
  assert.deepEqual((await log.read(id))?.calls, [asked]);
  await log.clear(id);
  symlinkSync("/dev/zero", questionFile(home, id));
  assert.equal(await log.read(id), undefined);
  assert.equal(await log.read("../../etc/passwd"), undefined);
});

test("the number of logs is limited, and the oldest go first", async (t) => {
  const home = folder(t);
  const log = createQuestionLog(home);
  await log.write(id, { turn, calls: [asked] });
  const place = path.dirname(questionFile(home, id));
  const text = readFileSync(questionFile(home, id));
  for (let i = 0; i < 510; i++) {
    writeFileSync(path.join(place, `${i}.jsonl`), text);
    utimesSync(path.join(place, `${i}.jsonl`), i, i);
  }
  await log.write(id, { turn, calls: [asked] });
  const names = readdirSync(place);
  assert.ok(names.length <= 500, String(names.length));
  assert.ok(names.includes(path.basename(questionFile(home, id))) && names.includes("509.jsonl") && !names.includes("0.jsonl"));
});
