/** Every row of the settings table on a whole server: accepted, shown, changed, followed and stored as the row declares. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, openClient } from "../../../src/client/client.ts";
import type { ThreadSettings } from "../../../src/core/ports/settings.ts";
import { jsonSchema } from "../../../src/lib/schema.ts";
import { createApp } from "../../../src/main/compose.ts";
import { type PlainSetting, plainSettings, type SettingName, settingNames, settingRows } from "../../../src/protocol/settings.ts";
import type { ThreadResumeParams, ThreadStartParams } from "../../../src/protocol/thread.ts";
import type { TurnStartParams } from "../../../src/protocol/turn.ts";
import { memoryPair } from "../../../src/rpc/transport.ts";
import { serve } from "../../../src/server/connection.ts";
import { verifies, writeHome } from "../../support/verifies.ts";

/** The params that set a setting, and its value afterwards. */
interface Play {
  readonly start: Partial<ThreadStartParams>;
  readonly started: unknown;
  readonly turn: Partial<TurnStartParams>;
  readonly turned: unknown;
}

/** Valid values: three for each setting, so that each step can use a different one. */
const samples: { readonly [K in PlainSetting]?: readonly string[] } = { verbosity: ["low", "medium", "high"] };
const samplesOf = (name: PlainSetting): readonly unknown[] =>
  jsonSchema(settingRows[name].value()).enum ?? samples[name] ?? [`${name} one`, `${name} two`, `${name} three`];

function plainPlay(name: PlainSetting): Play {
  const { takenBy, keys } = settingRows[name];
  const [one, two] = samplesOf(name);
  const start = takenBy.includes("start") ? { [name]: one } : { config: Object.fromEntries(keys.slice(0, 1).map((key) => [key, one])) };
  const isTurned = takenBy.includes("turn");
  return { start, started: one, turn: isTurned ? { [name]: two } : {}, turned: isTurned ? two : one };
}

const mode = (kind: "plan" | "pair_programming", instructions: string | null = null): Partial<TurnStartParams> => ({
  collaborationMode: { mode: kind, settings: { model: "second", developer_instructions: instructions } },
});
const denied = { path: "/secret", access: "deny" };
const profile = '[permissions.locked.filesystem]\n":root" = "read"\n"/secret" = "deny"\n';

/** A setting with its own rule has its own way of being set: a new one does not compile without an entry here. */
const ruledPlays = (here: string, inner: string): { readonly [K in Exclude<SettingName, PlainSetting>]: Play } => ({
  cwd: { start: {}, started: here, turn: { cwd: inner }, turned: inner },
  workspaceRoots: { start: {}, started: [here], turn: { runtimeWorkspaceRoots: [inner] }, turned: [inner] },
  disabledPluginIds: { start: {}, started: undefined, turn: { disabledPluginIds: ["demo@mk"] }, turned: ["demo@mk"] },
  hasMachine: { start: {}, started: undefined, turn: { environments: [] }, turned: false },
  model: { start: { model: "first" }, started: "first", turn: { model: "second" }, turned: "second" },
  modelProvider: { start: { modelProvider: "other" }, started: "other", turn: {}, turned: "other" },
  approvalPolicy: { start: { approvalPolicy: "never" }, started: "never", turn: { approvalPolicy: "untrusted" }, turned: "untrusted" },
  approvalsReviewer: {
    start: { approvalsReviewer: "auto_review" },
    started: "auto_review",
    turn: { approvalsReviewer: "guardian_subagent" },
    turned: "guardian_subagent",
  },
  sandboxPolicy: {
    start: { sandbox: "read-only" },
    started: { type: "readOnly", networkAccess: false },
    turn: { sandboxPolicy: { type: "dangerFullAccess" } },
    turned: { type: "dangerFullAccess" },
  },
  permissionProfile: {
    start: { permissions: ":read-only" },
    started: ":read-only",
    turn: { permissions: ":danger-full-access" },
    turned: ":danger-full-access",
  },
  fileRules: {
    start: { permissions: "locked" },
    started: { isWhole: true, entries: [{ path: ":root", access: "read" }, denied], globScanMaxDepth: null },
    turn: { permissions: ":danger-full-access" },
    turned: { isWhole: false, entries: [denied], globScanMaxDepth: null },
  },
  mode: { start: {}, started: "default", turn: mode("plan"), turned: "plan" },
  isPairing: { start: {}, started: undefined, turn: mode("pair_programming"), turned: true },
  modeInstructions: { start: {}, started: null, turn: mode("plan", "be brief"), turned: "be brief" },
});

verifies(
  "thread.settingsTable",
  async ({ home, workspace, systemDir }) => {
    const other = '[model_providers.other]\nname = "Other"\nwire_api = "scripted"\noptions = { scenario = "scenario.json" }\n';
    writeHome(home, { config: other + profile, turns: [{ user: "/./", steps: [{ say: "ok" }] }] });
    const ignore = (): void => {};
    const log = { debug: ignore, info: ignore, warn: ignore, error: (message: string) => assert.fail(message) };
    const app = createApp({ codexHome: home, systemDir, log, env: { PATH: process.env["PATH"], HOME: home } });
    const [near, far] = memoryPair();
    serve(app, far);
    const client = await openClient(near);
    const settings = (id: string): ThreadSettings => app.threads.require(id).settings;
    const inner = path.join(workspace, "inner");
    mkdirSync(inner);
    const start = async (params: Partial<ThreadStartParams>) => await client.call("thread/start", { cwd: workspace, ...params });
    const resume = async (threadId: string, params: Partial<ThreadResumeParams> = {}) => {
      await app.threads.unload(threadId);
      return await client.call("thread/resume", { threadId, ...params });
    };
    const fresh = settings((await start({})).thread.id);
    const plays: Readonly<Record<string, Play>> = {
      ...ruledPlays(workspace, inner),
      ...Object.fromEntries(plainSettings.map((name) => [name, plainPlay(name)])),
    };
    // Settings that share params are tried one after the other.
    const later: readonly SettingName[] = ["permissionProfile", "isPairing", "workspaceRoots"];
    const last: readonly SettingName[] = ["fileRules"];
    for (const names of [settingNames.filter((name) => ![...later, ...last].includes(name)), later, last]) {
      const played = names.map((name) => ({ name, ...settingRows[name], ...(plays[name] ?? assert.fail(name)) }));
      const shows = (answer: object, value: (row: (typeof played)[number]) => unknown, when: string): void => {
        const fields = new Map(Object.entries(answer));
        for (const row of played)
          if (row.inAnswer !== undefined) assert.deepEqual(fields.get(row.inAnswer), value(row), `${row.name} ${when}`);
      };
      const begun = await start(together(played.map(({ start }) => start)));
      const { id } = begun.thread;
      for (const { name, started } of played) assert.deepEqual(settings(id)[name], started, `${name} as thread/start sets it`);
      shows(begun, ({ started }) => started, "in the answer to thread/start");

      const update = new Map(Object.entries(await turn(client, id, Object.assign({}, ...played.map(({ turn }) => turn)))));
      for (const { name, turned, inUpdate } of played) {
        assert.deepEqual(settings(id)[name], turned, `${name} as turn/start sets it`);
        if (inUpdate !== undefined) assert.deepEqual(update.get(inUpdate), turned, `${name} in thread/settings/updated`);
      }

      const kept = ({ name, goesOn, turned }: (typeof played)[number]): unknown => (goesOn === "config" ? fresh[name] : turned);
      shows(await resume(id), kept, "in the answer to thread/resume");
      for (const row of played) assert.deepEqual(settings(id)[row.name], kept(row), `${row.name} after thread/resume`);
      const fork = await client.call("thread/fork", { threadId: id });
      shows(fork, kept, "in the answer to thread/fork");
      for (const row of played)
        if (row.goesOn !== "rule") assert.deepEqual(settings(fork.thread.id)[row.name], kept(row), `${row.name} after thread/fork`);
    }
    const { id } = (await start({ serviceTier: "one", cwd: inner })).thread;
    await turn(client, id, {});
    const updated = plainSettings
      .filter((name) => settingRows[name].takenBy.includes("update"))
      .map((name) => [name, samplesOf(name)[1]] as const);
    await client.call("thread/settings/update", { threadId: id, ...Object.fromEntries(updated) });
    for (const [name, value] of updated) assert.deepEqual(settings(id)[name], value, `${name} as thread/settings/update sets it`);
    const third = keysAndSamples(2).filter(([name]) => settingRows[name].goesOn !== "rule");
    await resume(id, { config: Object.fromEntries(third.map(([, key, value]) => [key, value])) });
    for (const [name, , value] of third) assert.deepEqual(settings(id)[name], value, `${name} by the config of a resume`);
    await followsConfig(client, settings, home, (await start({})).thread.id);
    client.close();
    await app.close();
  },
  { legs: ["memory"] },
);

/** Merges the params of several rows into one request. */
const together = (params: readonly Partial<ThreadStartParams>[]): Partial<ThreadStartParams> => ({
  ...Object.assign({}, ...params),
  config: Object.assign({}, ...params.map(({ config }) => config)),
});

/** The plain settings that a config can set, each with its key and a value. */
const keysAndSamples = (at: number): readonly (readonly [PlainSetting, string, unknown])[] =>
  plainSettings.flatMap((name) => settingRows[name].keys.slice(0, 1).map((key) => [name, key, samplesOf(name)[at]] as const));

/** Returns the settings as clients last read them. */
async function turn(client: Client, threadId: string, params: Partial<TurnStartParams>): Promise<object> {
  const updates: object[] = [];
  const done = Promise.withResolvers<void>();
  const ends = [
    client.on("thread/settings/updated", (update) => void updates.push(update.threadSettings)),
    client.on("turn/completed", () => done.resolve()),
  ];
  await client.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }], ...params });
  await done.promise;
  for (const end of ends) end();
  return updates.at(-1) ?? {};
}

/** The config has changed: rows that follow it change too, in a thread that has no value of its own. */
async function followsConfig(client: Client, settings: (id: string) => ThreadSettings, home: string, id: string): Promise<void> {
  const before = settings(id);
  const set = keysAndSamples(1);
  const file = path.join(home, "config.toml");
  const lines = set.map(([, key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(file, `${lines.join("")}${readFileSync(file, "utf8")}`);
  await turn(client, id, {});
  for (const [name, , value] of set)
    assert.deepEqual(settings(id)[name], settingRows[name].follows ? value : before[name], `${name} after the config has changed`);
}
