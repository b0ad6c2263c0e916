/** For scenarios with hooks: a hooks.json in the home whose commands record their input, and a client that trusts them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import type { HookCompletedNotification, HooksListResponse } from "../../../src/protocol/hooks.ts";

type Row = readonly [event: string, matcher: string | undefined, command: string, options?: Readonly<Record<string, unknown>>];

/** Each command appends its event to its own file, one per line, then prints or does what the row specifies. */
export function writeHooks(home: string, rows: readonly Row[]): void {
  const hooks: Record<string, unknown[]> = {};
  for (const [event, matcher, command, options = {}] of rows) {
    const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command, ...options }] };
    hooks[event] = [...(hooks[event] ?? []), group];
  }
  writeFileSync(path.join(home, "hooks.json"), JSON.stringify({ hooks }));
}

const logFile = (home: string): string => path.join(home, "hook-log.jsonl");
/** A command that records its input. */
export const noting = (home: string, then = ""): string => `cat >> ${logFile(home)}; echo >> ${logFile(home)}; ${then}`;
/** The same, and prints this value as JSON. */
export const answering = (home: string, output: unknown): string => noting(home, `printf '%s' '${JSON.stringify(output)}'`);

export function noted(home: string): Record<string, unknown>[] {
  if (!existsSync(logFile(home))) return [];
  return readFileSync(logFile(home), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
export const eventsNoted = (home: string): unknown[] => noted(home).map(({ hook_event_name: name }) => name);

/** Trusts all hooks as clients do: by the hash in the hook list. */
export async function trustAll(client: Client, cwd: string): Promise<HooksListResponse["data"][number]> {
  const [entry] = (await client.call("hooks/list", { cwds: [cwd] })).data;
  if (entry === undefined) throw new Error("no entry for the folder");
  const state = Object.fromEntries(entry.hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  await client.call("config/batchWrite", { edits: [{ keyPath: "hooks.state", value: state, mergeStrategy: "upsert" }] });
  const [trusted] = (await client.call("hooks/list", { cwds: [cwd] })).data;
  if (trusted === undefined) throw new Error("no entry for the folder");
  return trusted;
}

export function completedRuns(client: Client): HookCompletedNotification["run"][] {
  const runs: HookCompletedNotification["run"][] = [];
  client.on("hook/completed", ({ run }) => runs.push(run));
  return runs;
}
