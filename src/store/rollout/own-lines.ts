/** Reads back the lines that Parley wrote, without any loss. */
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { isWhole, type RolloutLine } from "./line-records.ts";
import { isObject, isString, isThreadItem, type Json, objectOf, stringsOf } from "./shapes.ts";
import { isThreadSettings } from "./turn-context.ts";
import { unshareImages } from "./user-content.ts";
import { aloneRecord, innerKey, patched } from "./write.ts";

/** Undefined for a line that is only a part of the next one, or whose `parley` part was damaged beyond use. */
export function recordOfOwnLine(line: RolloutLine & { readonly own: Json }): ThreadRecord | undefined {
  if (line.own["part"] === true) return undefined;
  const alone = aloneRecord(line);
  const key = alone === undefined ? undefined : innerKey(alone.type);
  const base: Json = alone === undefined ? {} : { ...alone };
  const outer = patched(base, line.own);
  if (key === undefined || !isObject(line.own["inner"])) return whole(outer) ?? alone;
  return whole({ ...outer, [key]: patched(objectOf(outer[key]), unshared(line, line.own["inner"])) }) ?? alone;
}

function unshared(line: RolloutLine, inner: Json): Json {
  const set = objectOf(inner["set"]);
  if (line.payload["type"] !== "user_message" || !("content" in set)) return inner;
  return { ...inner, set: { ...set, content: unshareImages(set["content"], stringsOf(line.payload["images"])) } };
}

function whole(record: Json): ThreadRecord | undefined {
  if (record["type"] === "turnContext" || record["type"] === "steered") return withSettings(record);
  if (record["type"] === "meta" && isThreadMeta(record["meta"])) return { type: "meta", meta: record["meta"] };
  return isWhole(record) ? record : undefined;
}

function withSettings({ type, turnId, settings, item, atMs }: Json): ThreadRecord | undefined {
  if (!isString(turnId) || !isThreadSettings(settings)) return undefined;
  if (type === "turnContext") return { type, turnId, settings };
  if (!isThreadItem(item) || item.type !== "userMessage" || typeof atMs !== "number") return undefined;
  return { type: "steered", turnId, item, settings, atMs };
}

type Meta = Extract<ThreadRecord, { type: "meta" }>["meta"];
const isThreadMeta = (value: unknown): value is Meta =>
  isObject(value) &&
  ["id", "cwd", "originator", "cliVersion", "modelProvider"].every((key) => isString(value[key])) &&
  typeof value["createdAtMs"] === "number" &&
  (isString(value["source"]) || isObject(value["source"]));
