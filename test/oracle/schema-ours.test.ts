/** Our server's messages to a client of each generation match the schemas of that generation, and our own. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { problem } from "../../src/lib/schema.ts";
import type { Notification, Request } from "../../src/protocol/define.ts";
import { clientRequests, serverNotifications, serverRequests } from "../../src/protocol/methods.ts";
import { startServer } from "../support/server.ts";
import { type Message, Wire } from "../support/wire.ts";
import { fitsVersion, sharedFolder, type Version } from "./versions.ts";

const skip = "skip" in sharedFolder ? sharedFolder.skip : false;
const generations: Readonly<Record<string, readonly Version[]>> = { "0.92": ["0.92", "0.99"], "0.166": ["0.166"] };

/** The presets are Plan and Default for every client; only 0.92 has no name for the second (docs/from-codex.md). */
const settled = /^collaborationMode\/list: .*\["plan","code","pair_programming","execute","custom"\]/;
/** Known faults of the server; the test fails once one is fixed. */
const knownFaults: Readonly<Record<string, RegExp | undefined>> = {};

/** One turn with reasoning, a command, a file change, a plan and an answer; one that fails; one with plain text. */
const turns = [
  [
    { reason: "Let me look." },
    { run: "echo hello" },
    { patch: "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch" },
    { call: "update_plan", with: { plan: [{ step: "one", status: "in_progress" }] } },
    { say: "Done." },
  ],
  [{ fail: { status: 400, message: "no" } }],
  [{ say: "Once more." }],
];
const home = `model = "scripted"
model_provider = "script"
[model_providers.script]
name = "Script"
wire_api = "scripted"
options = { scenario = "scenario.json" }
`;

for (const [dialect, known] of Object.entries(generations))
  test(`messages to a client of ${dialect} match ${known.join(" and ")}`, { skip }, async () => {
    const { received, requests } = await conversation(dialect);
    const faults = received.flatMap((message) => {
      const answered = message.method === undefined ? requests.get(message.id) : undefined;
      const name = message.method ?? answered ?? "?";
      const theirs = known.map((version) => fitsVersion(version, "toClient", message, answered));
      return [...theirs, ourFault(message, answered)].flatMap((fault) => (fault === undefined ? [] : [`${name}: ${fault}`]));
    });
    const open = [...new Set(faults)].filter((fault) => !settled.test(fault));
    const expected = knownFaults[dialect];
    if (expected !== undefined)
      assert.ok(
        open.some((fault) => expected.test(fault)),
        "a known fault is gone: take it off the list",
      );
    assert.deepEqual(
      open.filter((fault) => expected?.test(fault) !== true),
      [],
    );
    const methods = new Set(received.map((message) => message.method));
    for (const method of ["thread/started", "turn/started", "item/completed", "turn/completed", "error"])
      assert.ok(methods.has(method), method);
  });

function ourFault(message: Message, answered: string | undefined): string | undefined {
  const tables = message.id === undefined ? serverNotifications : serverRequests;
  const table: Readonly<Record<string, Request | Notification>> = message.method === undefined ? clientRequests : tables;
  const row = table[message.method ?? answered ?? ""];
  if (row === undefined) return message.method === undefined ? undefined : "is not in our tables";
  if (message.method !== undefined) return problem(row.params(), message.params);
  return "result" in row && message.result !== undefined ? problem(row.result(), message.result) : undefined;
}

/** Sends one of every request, and returns what was received. */
async function conversation(dialect: string): Promise<{ received: readonly Message[]; requests: ReadonlyMap<unknown, string> }> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-oracle-")));
  const folders = { home: path.join(root, "home"), workspace: path.join(root, "workspace"), systemDir: path.join(root, "etc") };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(path.join(folders.home, "config.toml"), home);
  writeFileSync(path.join(folders.home, "scenario.json"), JSON.stringify({ turns }));
  const server = await startServer(folders);
  try {
    const wire = new Wire(await server.connect());
    const requests = new Map<unknown, string>();
    const ask = async (method: string, params: unknown): Promise<Message> => {
      const answer = await wire.ask(method, params);
      requests.set(answer.id, method);
      return answer;
    };
    const capabilities = { experimentalApi: true, extensions: { parley: { dialect } } };
    await ask("initialize", { clientInfo: { name: "oracle", title: null, version: "1" }, capabilities });
    for (const [method, params] of Object.entries(questions(folders.workspace))) await ask(method, params);
    const { result } = await ask("thread/start", { cwd: folders.workspace, sandbox: "danger-full-access", approvalPolicy: "never" });
    const threadId: string = result.thread.id;
    for (let n = 1; n <= turns.length; n++) {
      await ask("turn/start", { threadId, input: [{ type: "text", text: `turn ${n}` }] });
      await wire.until(() => wire.order.filter((method) => method === "turn/completed").length === n, `turn ${n} to end`);
    }
    for (const method of [
      "thread/read",
      "thread/turns/list",
      "thread/items/list",
      "thread/resume",
      "thread/fork",
      "thread/archive",
      "thread/unarchive",
    ])
      await ask(method, { threadId, includeTurns: true });
    await ask("thread/list", {});
    await ask("thread/rollback", { threadId, numTurns: 1 });
    wire.close();
    return { received: wire.received, requests };
  } finally {
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

const questions = (cwd: string): Readonly<Record<string, unknown>> => ({
  "model/list": { includeHidden: true },
  "collaborationMode/list": {},
  "config/read": { includeLayers: true, cwd },
  "configRequirements/read": {},
  "account/read": {},
  "account/rateLimits/read": {},
  "skills/list": { cwds: [cwd] },
  "hooks/list": { cwds: [cwd] },
  "mcpServerStatus/list": {},
  "app/list": {},
  "plugin/list": {},
  "permissionProfile/list": {},
  "experimentalFeature/list": {},
  "thread/loaded/list": {},
});
