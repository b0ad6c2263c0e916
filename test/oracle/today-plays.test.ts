/** The same steps with hooks and plugins on Parley and on the real Codex 0.166, each on its own home: clients and the model get the same messages. */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { plainPlugin, skillText, writeFiles } from "../scenarios/plugin/stage.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { mockHome, playOnBoth, program, Side, skip } from "./side.ts";

/** Runs a command when asked to RUN; otherwise answers. */
const model = new MockProvider((response, request) => {
  const input = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const textOf = (item: { content?: { text?: string }[] }): string => item.content?.at(-1)?.text ?? "";
  const asked = input.findLastIndex((item) => /RUN \w+/.test(textOf(item)));
  const command = asked < 0 ? undefined : /RUN (\w+)/.exec(textOf(input[asked]))?.[1];
  const call = { id: `call_${command}`, name: "exec_command", args: JSON.stringify({ cmd: `sleep 0.3; echo ${command}` }) };
  const isDone = input.slice(asked).some(({ type }) => String(type).endsWith("_output"));
  return stream(responsesFrames(command === undefined || isDone ? { text: "answered" } : { calls: [call] }))(response, request);
});
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

const command = (event: string, line: string, matcher?: string) => ({
  [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command: line }] }],
});
const printing = (output: object): string => `cat > /dev/null; printf '%s' '${JSON.stringify(output)}'`;
const context = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "CONTEXT-OF-HOOK" } };
const hooksFile = {
  hooks: {
    ...command("UserPromptSubmit", printing(context)),
    ...command("PreToolUse", 'case "$(cat)" in *forbidden*) echo not that one >&2; exit 2;; esac', "Bash"),
    ...command("PostToolUse", "cat > /dev/null; exit 0", "Bash"),
    ...command("Stop", 'case "$(cat)" in *\'"stop_hook_active":true\'*) exit 0;; esac; echo go on >&2; exit 2'),
  },
};

async function trustAll(side: Side): Promise<unknown[]> {
  const cwds = [path.join(side.folder, "ws")];
  const listed = async () => (await side.call("hooks/list", { cwds })).data[0].hooks;
  const hooks = await listed();
  const state = Object.fromEntries(
    hooks.map((hook: { key: string; currentHash: string }) => [hook.key, { trusted_hash: hook.currentHash }]),
  );
  await side.call("config/batchWrite", { edits: [{ keyPath: "hooks.state", value: state, mergeStrategy: "upsert" }] });
  return [hooks, await listed()];
}

/** The hook runs and the items, in order, without values that differ from run to run. */
const outline = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ method, params }): unknown[] => {
    if (method === "hook/completed") {
      const { eventName, handlerType, executionMode, scope, source, displayOrder, status, statusMessage, entries } = params.run;
      return [[method, { eventName, handlerType, executionMode, scope, source, displayOrder, status, statusMessage, entries }]];
    }
    if (method === "item/started" || method === "item/completed") return [[method, params.item.type, params.item.status ?? null]];
    return method === "turn/completed" ? [[method, params.turn.status]] : [];
  });

/** The hook outputs in the model's last input. */
const markers = ["CONTEXT-OF-HOOK", "blocked by PreToolUse hook: not that one", "<hook_prompt hook_run_id=", "go on"];
const markersSent = (): string[] => {
  const input = JSON.stringify(model.requests.at(-1)?.body["input"]);
  return markers.filter((text) => input.includes(text));
};

test("hooks: the same list, digests, trust, runs, items and model input", { skip, timeout: 300_000 }, async (t) => {
  const outcome = await playOnBoth(
    { t, provider },
    async (side) => {
      const lists = await trustAll(side);
      const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
      const plain = [outline(await side.turn(thread.id, "RUN allowed")), markersSent()];
      const denied = [outline(await side.turn(thread.id, "RUN forbidden")), markersSent()];
      return { lists, plain, denied };
    },
    (folder) => writeFiles(path.join(folder, "home"), { "hooks.json": hooksFile }),
  );
  assert.deepEqual(outcome.denied[1], markers, "all of it reached the model");
});

test("plugins: the same answers from adding a marketplace to taking the plugin away", { skip, timeout: 300_000 }, async (t) => {
  await playOnBoth(
    { t, provider },
    async (side) => {
      const cwds = [path.join(side.folder, "ws")];
      const file = path.join(side.folder, "market/.agents/plugins/marketplace.json");
      const ran = path.join(side.folder, "ws", "ran");
      const plugin = { pluginName: "demo", marketplacePath: file };
      const answers: unknown[] = [];
      const ask = async (method: string, params: object = {}) => answers.push([method, await side.call(method, params).catch(String)]);
      await ask("marketplace/add", { source: path.join(side.folder, "market") });
      await ask("marketplace/add", { source: path.join(side.folder, "market") });
      for (const method of ["plugin/list", "plugin/installed"]) await ask(method, { cwds });
      await ask("plugin/read", plugin);
      await ask("plugin/install", plugin);
      await ask("plugin/install", { ...plugin, pluginName: "none" });
      await ask("plugin/read", { ...plugin, pluginName: "shared" });
      await ask("plugin/install", { ...plugin, pluginName: "shared" });
      await ask("plugin/read", { ...plugin, pluginName: "shared" });
      await ask("plugin/installed", { cwds });
      await ask("plugin/share/list");
      answers.push(await trustAll(side));
      const { thread } = await side.call("thread/start", { cwd: cwds[0] });
      const effects = async (more: object): Promise<unknown> => {
        rmSync(ran, { force: true });
        await side.turn(thread.id, "hello", more);
        const { input } = model.requests.at(-1)?.body ?? {};
        return [JSON.stringify(input).includes("About greet"), existsSync(ran)];
      };
      answers.push(
        ["without it", await effects({ disabledPluginIds: ["demo@mk"] })],
        ["with it", await effects({ disabledPluginIds: [] })],
      );
      await ask("plugin/uninstall", { pluginId: "demo@mk" });
      await ask("plugin/installed", { cwds });
      await ask("marketplace/remove", { marketplaceName: "mk" });
      await ask("marketplace/remove", { marketplaceName: "mk" });
      return answers;
    },
    (folder) => {
      // A command that does not contain the folder's name, so that both sides' digests are the same.
      const hooks = { hooks: command("UserPromptSubmit", "cat > /dev/null; touch ran") };
      const schema = (name: string): string => `https://agent-plugins.org/schemas/1.0.0/${name}.schema.json`;
      const files = { ...plainPlugin(), "hooks/hooks.json": hooks };
      writeFiles(path.join(folder, "market"), {
        ".agents/plugins/marketplace.json": {
          name: "mk",
          plugins: [
            { name: "demo", source: "./demo", category: "Tools" },
            { name: "shared", source: "./shared" },
          ],
        },
        "shared/plugin.json": {
          $schema: schema("plugin"),
          name: "shared",
          description: "Shared.",
          author: { name: "Ada" },
          keywords: ["k"],
        },
        "shared/mcp.json": { $schema: schema("mcp"), mcpServers: { fx: { type: "stdio", command: "true" } } },
        "shared/skills/wave/SKILL.md": skillText("wave", "x"),
        ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`demo/${name}`, text])),
      });
    },
  );
});

test("trust in a hook goes both ways on one home", { skip, timeout: 300_000 }, async (t) => {
  const folder = scratch(t);
  mockHome(folder, provider);
  writeFiles(path.join(folder, "home"), { "hooks.json": hooksFile });
  const cwds = [path.join(folder, "ws")];
  const trust = async (side: Side, index: number): Promise<void> => {
    const hook = (await side.call("hooks/list", { cwds })).data[0].hooks[index];
    const value = { [hook.key]: { trusted_hash: hook.currentHash } };
    await side.call("config/batchWrite", { edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }] });
  };
  const statuses = async (program?: string): Promise<string[]> => {
    const side = await new Side(t, folder, program).open();
    const { hooks } = (await side.call("hooks/list", { cwds })).data[0];
    await side.end();
    return hooks.map(({ trustStatus }: { trustStatus: string }) => trustStatus);
  };
  const theirs = await new Side(t, folder, program).open();
  await trust(theirs, 0);
  await theirs.end();
  assert.deepEqual(await statuses(), ["trusted", "untrusted", "untrusted", "untrusted"]);
  const ours = await new Side(t, folder).open();
  await trust(ours, 1);
  await ours.end();
  assert.deepEqual(await statuses(program), ["trusted", "trusted", "untrusted", "untrusted"]);
});

/** Ids by the order of their appearance, times and cursors away: what is left must be equal. */
function withoutChance(value: unknown): unknown {
  const known = new Map<string, string>();
  const nameOf = (id: string): string => known.get(id) ?? known.set(id, `<${known.size}>`).get(id) ?? id;
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
    .replaceAll(/"(createdAt|updatedAt|recencyAt|sectionEnteredAt)":\d+/g, '"$1":"<time>"');
  return JSON.parse(text);
}

test("lists: the same sections, read marks, projects and attachments", { skip, timeout: 300_000 }, async (t) => {
  await playOnBoth({ t, provider }, async (side) => {
    const answers: unknown[] = [];
    const ask = async (method: string, params: object = {}) => {
      const result = await side.call(method, params).catch(String);
      answers.push([method, result]);
      return result;
    };
    const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
    const threadId: string = thread.id;
    await side.turn(threadId, "one");
    const { readState } = await side.call("thread/read", { threadId });
    answers.push(readState);
    await ask("thread/readState/update", { threadId, expectedRevision: readState.revision, operation: { type: "read" } });
    await ask("thread/readState/update", { threadId, expectedRevision: readState.revision, operation: { type: "unread" } });
    const { section } = await ask("threadSection/create", { name: " Mine ", appearance: { icon: "star" } });
    await ask("thread/section/move", { threadId, sectionId: section.id });
    await ask("thread/section/move", { threadId, sectionId: "none" });
    await ask("threadSection/update", { sectionId: section.id, name: "Ours" });
    await ask("threadSection/list");
    const listed = await side.call("thread/list", { sectionId: section.id, sortKey: "section_position" });
    answers.push(listed.data.map(({ id, section: of }: { id: string; section: unknown }) => [id, of]));
    const { project } = await ask("project/create", { idempotencyKey: "k", name: "P", roots: [], metadata: { a: "b" } });
    await ask("project/create", { idempotencyKey: "k", name: "Q", roots: [] });
    await ask("project/update", { projectId: project.id, name: "R" });
    await ask("project/list");
    await ask("project/read", { projectId: "none" });
    await ask("project/delete", { projectId: project.id });
    await ask("project/create", { idempotencyKey: "k", name: "Q", roots: [] });
    const pull = { threadId, attachmentType: "pr", identityKey: "1" };
    for (const payload of [{ url: "x" }, { url: "y" }]) await ask("thread/attachment/add", { ...pull, payload });
    await ask("thread/attachment/list", { threadId });
    await ask("thread/attachmentOwner/list", { attachmentType: "pr", identityKey: "1" });
    await ask("thread/attachment/remove", pull);
    await ask("threadSection/delete", { sectionId: section.id });
    const noticed = side.received.filter(({ method = "" }) => /^(project|thread\/(project|attachment))\//.test(method));
    answers.push(noticed.map(({ method, params }) => [method, params]));
    return withoutChance(answers);
  });
});
