/**
 * Reads a very long thread without what was said and done in its old turns: nearly all of its bytes, and nothing that a client shows when it
 * opens the thread, or a model reads after the last compaction.
 */
import { statSync } from "node:fs";
import type { RecentRecords } from "../../core/ports/thread-store.ts";
import { passedOver, RolloutReader } from "./read.ts";
import { readEndBytes, readLinesInTwo } from "./read-lines.ts";
import { readMeta } from "./rollout.ts";

/** Shorter files are read whole: that takes no longer than opening them takes anyway. */
export const longBytes = 24 << 20;
/** At the file's end, everything is read: less of it where that holds more turns than clients ask for at once. */
const wholeBytes = [4 << 20, 10 << 20, 20 << 20];
const enoughTurns = 40;
const compactionMark = '"type":"compacted"';
const turnMark = '"type":"task_started"';

/** Undefined where the last turns and the model's history need more than the file's end. */
export async function readRecentRollout(file: string): Promise<RecentRecords | undefined> {
  if (file.endsWith(".zst") || statSync(file).size < longBytes) return undefined;
  const first = await readMeta(file);
  if (first === undefined || first.base !== undefined) return undefined;
  for (const bytes of wholeBytes) {
    const end = await readEndBytes(file, bytes);
    const isLast = bytes === wholeBytes.at(-1);
    if (!end.includes(compactionMark) || !(isLast || hasTurns(end, enoughTurns))) continue;
    const found = await readEnd(file, bytes, first.meta.id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasTurns(end: Buffer, count: number): boolean {
  let at = -1;
  for (let found = 0; found < count; found++) {
    at = end.indexOf(turnMark, at + 1);
    if (at === -1) return false;
  }
  return true;
}

async function readEnd(file: string, bytes: number, id: string): Promise<RecentRecords | undefined> {
  const reader = new RolloutReader(id);
  let old: number | undefined;
  await readLinesInTwo(
    file,
    bytes,
    (block) => takeOld(block, reader),
    (line) => {
      old ??= reader.size;
      reader.take(line);
    },
  );
  const all = reader.finish();
  const recent = all.slice((old ?? reader.size) + (all[0]?.type === "meta" ? 1 : 0));
  const records = all.filter((record) => record !== passedOver);
  const wholeTurns = new Set(recent.flatMap((record) => (record.type === "turnStarted" ? [record.turnId] : [])));
  const last = records.findLast((record) => record.type === "turnStarted");
  // A rollback may undo a compaction: then the history before it is needed too.
  const isEnough =
    !reader.lacksMessages &&
    recent.some((record) => record.type === "item" && record.item.type === "userMessage") &&
    recent.some((record) => record.type === "compacted") &&
    !records.some((record) => record.type === "rolledBack") &&
    last !== undefined &&
    wholeTurns.has(last.turnId);
  return isEnough ? { records, wholeTurns } : undefined;
}

const lineStart = Buffer.from('{"timestamp":');
/** How many lines make a step. */
const stepLines = 32;
const headBytes = 160;
/** Lines on which no setting or count depends, by how Codex and Parley begin them: the model's copies of messages, other lines of its own, messages. */
const passable =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":(?:"response_item","payload":\{"type":"(?:message",(?:"id":"[^"]*",)?"role":"(?:(user|developer)|assistant)"|(?:function|custom_tool|local_shell)_call(?:_output)?"|reasoning")|"event_msg","payload":\{"type":(?:"token_count","info":null,|"(user|agent)_message",(?:"client_id":(?:"[^"]*"|null),)?"message":"[^"]))/;
const ownKey = '"parley":{';
const named = /(?:turn|item|call)_id":/;

/**
 * Gives the lines of a block to the reader, a few at each step, and passes over those that nothing later depends on: that is decided by a
 * line's first bytes, and mostly the rest of it is not even made into text.
 */
export function* takeOld(block: Buffer, reader: RolloutReader): Generator<void> {
  let nextStart = -1;
  let lines = 0;
  for (let at = 0, end = 0; at < block.length; at = end + 1) {
    end = block.indexOf(10, at);
    if (end === -1) end = block.length;
    if (nextStart <= at && nextStart !== block.length) {
      nextStart = block.indexOf(lineStart, at + 1);
      if (nextStart === -1) nextStart = block.length;
    }
    // A line that was torn by a crash may have the next one joined to it.
    const isOne = nextStart > end;
    if (!isOne || !isPassed(block, at, end, reader)) {
      const line = block.toString("utf8", at, end);
      if (line !== "" && line !== "\r") reader.take(line);
    }
    if (++lines % stepLines === 0) yield;
  }
}

function isPassed(block: Buffer, at: number, end: number, reader: RolloutReader): boolean {
  const found = passable.exec(block.toString("latin1", at, Math.min(end, at + headBytes)));
  if (found === null) return false;
  if (found[1] !== undefined) return reader.passCopy();
  if (found[2] === undefined) return reader.pass();
  // Keys are found in the text as it is: within a string, their quotes would be escaped.
  const line = block.toString("latin1", at, end);
  if (line.includes(ownKey)) return found[2] === "agent" && reader.passMessage(true);
  return !named.test(line) && reader.passMessage(false);
}
