/** Plugins that are already in the home: which of their parts take effect, and when not. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";
import { trustAll } from "../hooks/stage.ts";
import {
  install,
  type PluginFiles,
  plainPlugin,
  serverArgs,
  serverEntry,
  skillNames,
  skillText,
  switchedOn,
  warningsOf,
  writeFiles,
} from "./stage.ts";

const here = { legs: ["memory"] as const };
const inFull = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;
const mention = (text: string) => [{ type: "text" as const, text, text_elements: [] }];

verifies(
  "plugin.skills",
  async ({ app, home, workspace }) => {
    const folder = install(home, plainPlugin());
    const client = await app({ config: switchedOn() });
    const raw: unknown[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(item));
    const [entry] = (await client.call("skills/list", { cwds: [workspace] })).data;
    const greet = entry?.skills.find(({ pluginId }) => pluginId === "demo@mk");
    assert.deepEqual(
      [greet?.name, greet?.scope, greet?.enabled, greet?.path],
      ["demo:greet", "user", true, path.join(folder, "skills/greet/SKILL.md")],
    );
    const thread = await client.startThread({ cwd: workspace, experimentalRawEvents: true });
    await thread.run("use $demo:greet please");
    assert.match(JSON.stringify(raw), /<name>demo:greet<\/name>.*MARKER-GREET/);
  },
  here,
);

verifies(
  "plugin.servers",
  async ({ app, home, workspace }) => {
    const servers = { fx: serverEntry({ approval: "allow" }), mine: serverEntry(), quiet: serverEntry(), odd: { url: "ftp://x" } };
    install(home, { ...plainPlugin(), ".mcp.json": { mcpServers: servers } });
    const own = `[mcp_servers.mine]\ncommand = "true"\nenabled = false\n`;
    const policy = `[plugins."demo@mk".mcp_servers.quiet]\nenabled = false\n[plugins."demo@mk".mcp_servers.fx.tools.write]\napproval_mode = "approve"\n`;
    const client = await app({
      turns: [[{ call: "mcp__fx__write", with: { name: "plum" } }, "{{output}}"]],
      config: `approval_policy = "never"\n${switchedOn()}${policy}${own}`,
    });
    const warnings = warningsOf(client);
    const thread = await client.startThread({ cwd: workspace });
    const items: { type: string; pluginId?: string | null; status?: string }[] = [];
    client.on("item/completed", ({ item }) => items.push(item));
    const { text } = await thread.run("go");
    assert.match(text, /wrote \{"name":"plum"\}/);
    const call = items.find(({ type }) => type === "mcpToolCall");
    assert.deepEqual([call?.pluginId, call?.status], ["demo@mk", "completed"]);
    const { data } = await client.call("mcpServerStatus/list", {});
    assert.deepEqual(data.map(({ name, pluginId, runtimeStatus }) => [name, pluginId, runtimeStatus]).sort(), [
      ["fx", "demo@mk", "connected"],
      ["mine", null, "disabled"],
      ["quiet", "demo@mk", "disabled"],
    ]);
    const joined = warnings.join("\n");
    for (const expected of [
      /fx: `approval` is left out/,
      /the MCP server mine of the plugin demo@mk is not used, since your settings have one/,
      /the plugin demo@mk: mcp_servers\.odd\.url: `ftp:\/\/x` is no http or https address/,
    ])
      assert.match(joined, expected);
  },
  here,
);

verifies(
  "plugin.hooks",
  async ({ app, home, workspace }) => {
    const note = path.join(home, "ran.txt");
    const command = `sh "\${CLAUDE_PLUGIN_ROOT}/note.sh" ${note}`;
    const hooks = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } };
    const folder = install(home, {
      ...plainPlugin(),
      "hooks/hooks.json": hooks,
      "note.sh": 'cat > /dev/null; echo "$PLUGIN_ROOT $CLAUDE_PLUGIN_DATA" >> $1\n',
    });
    const client = await app({ turns: [[{ say: "one" }], [{ say: "two" }], [{ say: "three" }]], config: switchedOn() });
    const [before] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    const [hook] = before?.hooks ?? [];
    assert.deepEqual(
      [hook?.key, hook?.source, hook?.pluginId, hook?.trustStatus, hook?.handlerType === "command" ? hook.command : ""],
      ["demo@mk:hooks/hooks.json:user_prompt_submit:0:0", "plugin", "demo@mk", "untrusted", command.replace(/\$\{\w+\}/, folder)],
    );
    assert.match(hook?.currentHash ?? "", /^sha256:[0-9a-f]{64}\/sha256:[0-9a-f]{64}$/);
    const thread = await client.startThread({ cwd: workspace, ...inFull });
    await thread.run("first");
    assert.throws(() => readFileSync(note), "a plugin's hook that nobody trusts must not run");
    assert.equal((await trustAll(client, workspace)).hooks[0]?.trustStatus, "trusted");
    // As Codex stores it; Codex does not write the two digests as one string.
    assert.match(
      readFileSync(path.join(home, "config.toml"), "utf8"),
      /trusted_hash = "sha256:[0-9a-f]{64}"\n.*trusted_content_hash = "sha256:[0-9a-f]{64}"/s,
    );
    await thread.run("second");
    assert.equal(readFileSync(note, "utf8"), `${folder} ${path.join(home, "plugins/data/demo-mk")}\n`);
    writeFileSync(path.join(folder, "note.sh"), "echo other >> $1\n");
    await client.call("config/value/write", { keyPath: 'plugins."demo@mk".enabled', value: true, mergeStrategy: "replace" });
    await thread.run("third");
    assert.equal(readFileSync(note, "utf8").split("\n").length, 2, "a script that changed beside the hook needs a new word");
    const [after] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    assert.equal(after?.hooks[0]?.trustStatus, "modified");
  },
  here,
);

verifies(
  "plugin.changed",
  async ({ app, home, workspace }) => {
    const folder = install(home, { ...plainPlugin(), ".mcp.json": { mcpServers: { fx: serverEntry() } } });
    const client = await app({ config: switchedOn() });
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"], "what was installed works at once");
    writeFileSync(path.join(folder, "skills/greet/SKILL.md"), skillText("greet", "something else"));
    const warnings = warningsOf(client);
    await client.startThread({ cwd: workspace });
    assert.match(warnings.join("\n"), /the plugin demo@mk has changed since you accepted it.*`parley plugin accept demo@mk`/);
    assert.deepEqual(await skillNames(client, workspace), []);
    assert.deepEqual((await client.call("mcpServerStatus/list", {})).data, []);
    await client.call("config/value/write", { keyPath: 'plugins."demo@mk".enabled', value: true, mergeStrategy: "replace" });
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"]);
  },
  here,
);

verifies(
  "plugin.trust",
  async ({ app, home, workspace }) => {
    const hooks = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "sh check.sh" }] }] } };
    const servers = { fx: { command: "node", args: ["a server.js"], env: { MODE: "x" } }, far: { url: "https://example.com/mcp" } };
    const folder = install(home, { ...plainPlugin(), ".mcp.json": { mcpServers: servers }, "hooks/hooks.json": hooks });
    install(home, plainPlugin("idle"), "idle@mk");
    const client = await app({ config: `${switchedOn()}[plugins."idle@mk"]\nenabled = false\n${switchedOn("gone@mk")}` });
    const trust = async () => new Map((await client.call("plugin/trust/list", {})).data.map((entry) => [entry.pluginId, entry]));
    const first = await trust();
    assert.deepEqual(
      [...first.values()].map(({ pluginId, enabled, status, root }) => [pluginId, enabled, status, root !== null]),
      [
        ["demo@mk", true, "accepted", true],
        ["idle@mk", false, "new", true],
        ["gone@mk", true, "unusable", false],
      ],
    );
    assert.equal(first.get("gone@mk")?.problem, "it is not installed");
    assert.deepEqual(first.get("demo@mk")?.runs, [
      { type: "mcpServer", name: "fx", action: "MODE=x node 'a server.js'" },
      { type: "mcpServer", name: "far", action: "https://example.com/mcp" },
      { type: "hook", name: "PreToolUse (Bash)", action: "sh check.sh" },
    ]);

    writeFileSync(path.join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { fx: { command: "curl" } } }));
    const seen = (await trust()).get("demo@mk");
    assert.equal(seen?.status, "changed");
    assert.deepEqual(seen?.runs[0], { type: "mcpServer", name: "fx", action: "curl" });
    writeFileSync(path.join(folder, "late.sh"), "rm -r .\n");
    const accept = (content: string | null | undefined) =>
      client.call("plugin/trust/accept", { pluginId: "demo@mk", content: content ?? "" });
    await assert.rejects(accept(seen?.content), /has changed since you looked at it/);
    assert.deepEqual(await skillNames(client, workspace), []);
    await accept((await trust()).get("demo@mk")?.content);
    assert.equal((await trust()).get("demo@mk")?.status, "accepted");
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"]);
    await assert.rejects(client.call("plugin/trust/accept", { pluginId: "gone@mk", content: "sha256:0" }), /is not installed/);
  },
  here,
);

verifies(
  "plugin.mention",
  async ({ app, home, workspace }) => {
    install(home, { ...plainPlugin(), ".mcp.json": { fx: serverEntry() } });
    const client = await app({ turns: [[{ say: "a" }], [{ say: "b" }], [{ say: "c" }]], config: switchedOn() });
    const raw: { role?: string; content?: unknown }[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(item as never));
    const thread = await client.startThread({ cwd: workspace, experimentalRawEvents: true });
    const noted = async (input: Parameters<typeof thread.run>[0]): Promise<string[]> => {
      raw.length = 0;
      await thread.run(input);
      return raw.flatMap(({ role, content }) => {
        const text = JSON.stringify(content);
        return role === "developer" && /Capabilities from|The plugin/.test(text) ? [text] : [];
      });
    };
    const [byItem] = await noted([...mention("hi"), { type: "mention", name: "Demo Plug", path: "plugin://demo@mk" }]);
    assert.match(byItem ?? "", /Capabilities from the `Demo Plug` plugin:.*`demo:`.*`fx`/);
    assert.equal((await noted("[@Demo Plug](plugin://demo@mk) hello"))[0], byItem);
    assert.match((await noted([{ type: "mention", name: "x", path: "plugin://none@mk" }]))[0] ?? "", /`none@mk` is not available/);
  },
  here,
);

verifies(
  "plugin.off",
  async ({ app, home, workspace }) => {
    install(home, plainPlugin());
    install(home, plainPlugin("other"), "other@mk");
    mkdirSync(path.join(workspace, ".git"));
    writeFiles(workspace, { ".codex/config.toml": switchedOn("other@mk") });
    const client = await app({ config: `${switchedOn()}[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n` });
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"], "a project cannot switch a plugin on");
    const write = (keyPath: string, value: unknown) =>
      client.call("config/value/write", { keyPath, value: value as never, mergeStrategy: "replace" });
    await write('plugins."demo@mk".enabled', false);
    assert.deepEqual(await skillNames(client, workspace), []);
    await write('plugins."demo@mk".enabled', true);
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"]);
    await write("features.plugins", false);
    assert.deepEqual(await skillNames(client, workspace), []);
  },
  here,
);

verifies(
  "plugin.offInThread",
  async ({ app, home, workspace }) => {
    const note = path.join(home, "ran.txt");
    const hooks = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `cat > /dev/null; echo ran >> ${note}` }] }] } };
    install(home, { ...plainPlugin(), ".mcp.json": { mcpServers: { fx: serverEntry() } }, "hooks/hooks.json": hooks });
    const turns = Array.from({ length: 4 }, () => [{ say: "ok" }]);
    const start = { turns, config: switchedOn() };
    const client = await app(start);
    await trustAll(client, workspace);
    const thread = await client.startThread({ cwd: workspace, experimentalRawEvents: true, ...inFull });
    const seen = async (threadId: string, more: object) => {
      rmSync(note, { force: true });
      const raw: unknown[] = [];
      const stop = client.on("rawResponseItem/completed", ({ item }) => raw.push(item));
      await (await client.resumeThread(threadId, {})).run("use $demo:greet please", more);
      stop();
      const { data } = await client.call("mcpServerStatus/list", { threadId });
      return { skill: JSON.stringify(raw).includes("MARKER-GREET"), servers: data.map(({ name }) => name), hook: existsSync(note) };
    };
    const nothing = { skill: false, servers: [], hook: false };
    const everything = { skill: true, servers: ["fx"], hook: true };
    assert.deepEqual(await seen(thread.id, { disabledPluginIds: ["demo@mk", "no@such"] }), nothing);
    assert.deepEqual(await seen(thread.id, {}), nothing, "it stays so");
    await client.call("thread/settings/update", { threadId: thread.id, disabledPluginIds: [] });
    assert.deepEqual(await seen(thread.id, {}), everything);
    const tooMany = Array.from({ length: 201 }, (_, i) => `p${i}@mk`);
    await assert.rejects(
      client.call("thread/settings/update", { threadId: thread.id, disabledPluginIds: tooMany }),
      /disabledPluginIds takes at most 200/,
    );
    await client.call("thread/settings/update", { threadId: thread.id, disabledPluginIds: ["demo@mk"] });
    const fork = await client.call("thread/fork", { threadId: thread.id });
    assert.deepEqual(fork.disabledPluginIds, ["demo@mk"]);
    assert.deepEqual(await seen(fork.thread.id, {}), nothing);
    client.close();
    const again = await app(start);
    assert.deepEqual((await again.call("thread/resume", { threadId: thread.id })).disabledPluginIds, ["demo@mk"]);
    assert.deepEqual((await again.call("mcpServerStatus/list", { threadId: thread.id })).data, []);
  },
  here,
);

const oddPlugins: readonly [name: string, files: PluginFiles, more: (folder: string) => void, expected: RegExp][] = [
  ["linked", plainPlugin("linked"), (folder) => symlinkSync("/etc/hostname", path.join(folder, "x")), /x is neither a file nor a folder/],
  ["piped", plainPlugin("piped"), (folder) => void execFileSync("mkfifo", [path.join(folder, "x")]), /x is neither a file nor a folder/],
  ["huge", { ".codex-plugin/plugin.json": `{"name":"huge","description":"${"x".repeat(1024 * 1024)}"}` }, () => {}, /is larger than 1 MiB/],
  ["broken", { ".codex-plugin/plugin.json": "{" }, () => {}, /plugin\.json: /],
  ["list", { ".codex-plugin/plugin.json": "[]" }, () => {}, /expected an object/],
  ["climbs", { ".codex-plugin/plugin.json": { name: "../../climbs" } }, () => {}, /invalid plugin name/],
  ["bare", { "skills/greet/SKILL.md": skillText("greet", "x") }, () => {}, /missing or invalid plugin\.json/],
];

verifies(
  "plugin.agentFormat",
  async ({ app, home, workspace }) => {
    const schema = (name: string): string => `https://agent-plugins.org/schemas/1.0.0/${name}.schema.json`;
    const server = { type: "stdio", command: "node", args: serverArgs, env: { WHERE: `\${PLUGIN_DATA}/x` } };
    const mcpServers = {
      fx: server,
      out: { ...server, command: "./../x" },
      taken: { ...server, env: { PLUGIN_ROOT: "x" } },
      far: { type: "streamable-http", url: "http://example.invalid/mcp" },
      old: { type: "sse", url: "https://example.invalid/" },
    };
    const manifest = { $schema: schema("plugin"), name: "shared", description: "Shared.", author: { name: "Ada" } };
    const files = {
      "plugin.json": manifest,
      "mcp.json": { $schema: schema("mcp"), mcpServers },
      "skills/greet/SKILL.md": skillText("greet", "MARKER-GREET"),
    };
    install(home, files, "shared@mk", "1.0.0");
    install(home, { "plugin.json": { ...manifest, $schema: schema("plugin").replace("1.0.0", "9.0.0") } }, "later@mk", "1.0.0");
    const client = await app({ config: `${switchedOn("shared@mk")}${switchedOn("later@mk")}` });
    const warnings = warningsOf(client);
    assert.deepEqual(await skillNames(client, workspace), ["shared:greet"]);
    const thread = await client.startThread({ cwd: workspace });
    const { data } = await client.call("mcpServerStatus/list", { threadId: thread.id });
    assert.deepEqual(
      data.map(({ name, pluginId }) => [name, pluginId]),
      [["fx", "shared@mk"]],
    );
    await thread.run("hi");
    const joined = warnings.join("\n");
    for (const expected of [
      /out: `command` must be/,
      /taken: `env` cannot override/,
      /far: `url` must be/,
      /old: `type` must be/,
      /later.*unsupported Agent Plugins schema/,
    ])
      assert.match(joined, expected);
  },
  here,
);

verifies(
  "plugin.hostile",
  async ({ app, home, workspace }) => {
    for (const [name, files, more] of oddPlugins) more(install(home, files, `${name}@mk`));
    // Its paths lead outside its folder, so only files in the default places would count, and there are none.
    install(
      home,
      { ".claude-plugin/plugin.json": { name: "out", skills: ["../../../../..", "/etc", "./a/../../b", 7], hooks: "./../x.json" } },
      "out@mk",
    );
    const ids = [...oddPlugins.map(([name]) => `${name}@mk`), "out@mk", "none@mk", "no-market", "a@../..", "..@mk"];
    const client = await app({ config: ids.map(switchedOn).join("") });
    const warnings = warningsOf(client);
    const thread = await client.startThread({ cwd: workspace });
    assert.equal((await thread.run("hi")).text, "Hello.");
    const warningsAbout = (id: string): string => warnings.filter((warning) => warning.includes(id)).join("\n");
    for (const [name, , , expected] of oddPlugins) assert.match(warningsAbout(`${name}@mk`), expected, name);
    assert.equal(warnings.filter((warning) => /out\/1\.2\.0.*stay in the plugin's folder/.test(warning)).length, 5, warnings.join("\n"));
    assert.match(warningsAbout("none@mk"), /is not installed/);
    assert.match(warningsAbout("no-market"), /expected <plugin>@<marketplace>/);
    assert.match(warningsAbout("a@../.."), /invalid marketplace name/);
    assert.match(warningsAbout("..@mk"), /path traversal is not allowed/);
    assert.deepEqual(await skillNames(client, workspace), []);
  },
  here,
);
