/** The recorded conversations of real servers, with the recorder's placeholders replaced by values. Serves the oracle tests. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { sharedFolder, type Version, type WireMessage } from "./versions.ts";

export interface Spoken {
  /** `<scenario>:<line>` */
  readonly where: string;
  readonly direction: "toServer" | "toClient";
  readonly message: WireMessage;
  /** The method that a response belongs to. */
  readonly answered: string | undefined;
}

/** Recordings of 0.98 are checked against the schema of 0.99, the nearest available. */
export const recordings: Readonly<Record<string, Version>> = { "0.98.0": "0.99", "0.166.0": "0.166" };

export function spokenIn(recording: string): readonly Spoken[] {
  if ("skip" in sharedFolder) return [];
  const folder = path.join(sharedFolder.path, "conformance/goldens", recording);
  const files = readdirSync(folder).filter((file) => !file.startsWith("mcp-server-")); // those are about MCP
  return files.flatMap((file) => oneConversation(file, readFileSync(path.join(folder, file), "utf8")));
}

function oneConversation(file: string, text: string): readonly Spoken[] {
  const asked = new Map<string, string>();
  return text.split("\n").flatMap((line, i) => {
    if (line === "") return [];
    const { dir, msg } = JSON.parse(line) as { dir: string; msg?: WireMessage };
    if (msg === undefined) return [];
    const direction = dir === ">" ? "toServer" : "toClient";
    const asker = direction === "toServer" ? "toClient" : "toServer";
    if (msg.method !== undefined && msg.id !== undefined) asked.set(`${direction} ${JSON.stringify(msg.id)}`, msg.method);
    const answered = msg.method === undefined ? asked.get(`${asker} ${JSON.stringify(msg.id)}`) : undefined;
    return [{ where: `${file}:${i + 1}`, direction, message: restored(msg) as WireMessage, answered }];
  });
}

/** The recorder writes `<time>` for every time and `<ms>` for every duration, whatever their types were. */
function restored(value: unknown, key = "", parent: object = {}): unknown {
  if (value === "<time>") return isText(key, parent) ? "2026-01-01T00:00:00Z" : 1;
  if (value === "<ms>") return key === "duration" ? { secs: 1, nanos: 0 } : 1;
  if (Array.isArray(value)) return value.map((item) => restored(item, key, parent));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restored(inner, name, value)]));
}

/** Cursors are strings, and conversations of the older API have times as strings. */
const isText = (key: string, parent: object): boolean =>
  key === "timestamp" || /cursor$/i.test(key) || (key === "updatedAt" && "conversationId" in parent);
