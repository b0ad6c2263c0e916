/** Moving in from another agent: what is found, imported and remembered, and what is left alone. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

async function open(stage: Stage): Promise<Wire> {
  const wire = await stage.wire({ turns: [] });
  await wire.initialize({ experimentalApi: true });
  return wire;
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

const hook = { matcher: "Bash", hooks: [{ type: "command", command: "./check.sh", timeout: 5 }] };
const settings = {
  sandbox: { enabled: true },
  env: { TEAM: "tools", ANTHROPIC_API_KEY: "sk-secret", DB_PASSWORD: "secret" },
  hooks: { PreToolUse: [hook, { if: "x", hooks: hook.hooks }], Unknown: [hook] },
};
const servers = {
  docs: { command: "docs-server", args: ["--fast"], env: { MODE: "x" } },
  remote: { type: "http", url: "https://mcp.example.com" },
  filled: { command: "run", args: ["${TOKEN}"] },
  "odd name": { command: "x" },
};
const agent = '---\nname: reviewer\ndescription: "Reviews"\npermissionMode: bypassPermissions\n---\nLook at everything.\n';
const everything = {
  ".claude.json": JSON.stringify({ mcpServers: servers, history: [] }),
  ".claude/settings.json": JSON.stringify(settings),
  ".claude/CLAUDE.md": "Use tabs.\n",
  ".claude/commands/deploy.md": "---\ndescription: Deploys it\n---\nDeploy $ARGUMENTS now.\n",
  ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\n---\nRead.\n",
  ".claude/skills/pdf/scripts/read.py": "print(1)\n",
  ".claude/agents/reviewer.md": agent,
};

const detect = async (wire: Wire, params: object = { includeHome: true }): Promise<Message[]> =>
  (await wire.ask("externalAgentConfig/detect", params)).result.items;

async function importAll(wire: Wire, migrationItems: readonly Message[]): Promise<Message> {
  const { importId } = (await wire.ask("externalAgentConfig/import", { migrationItems, providerId: "mine" })).result;
  const done = await wire.until((m) => m.method === "externalAgentConfig/import/completed" && m.params.importId === importId, "the end");
  return done.params;
}

verifies("migration.import", async (stage) => {
  const wire = await open(stage);
  const at = (name: string): string => path.join(stage.home, name);
  assert.deepEqual(await detect(wire), []);
  write(stage.home, everything);
  const items = await detect(wire);
  assert.deepEqual(
    items.map(({ itemType }) => itemType),
    ["CONFIG", "SKILLS", "COMMANDS", "AGENTS_MD", "MCP_SERVER_CONFIG", "SUBAGENTS", "HOOKS"],
  );
  assert.deepEqual(items[3], {
    itemType: "AGENTS_MD",
    description: `Migrate ${at(".claude/CLAUDE.md")} to ${at("AGENTS.md")}`,
    cwd: null,
    details: null,
  });
  assert.deepEqual(items[2]?.details.commands, [{ name: "source-command-deploy" }]);
  const { itemTypeResults, importId } = await importAll(wire, items);
  assert.deepEqual(
    itemTypeResults.flatMap(({ failures }: Message) => failures),
    [],
  );
  const progress = wire.received.filter((m) => m.method === "externalAgentConfig/import/progress");
  assert.deepEqual([progress.length, progress[0]?.params.importId], [7, importId]);
  assert.equal(readFileSync(at("AGENTS.md"), "utf8"), "Use tabs.\n");
  assert.equal(readFileSync(at(".agents/skills/pdf/scripts/read.py"), "utf8"), "print(1)\n");
  assert.match(
    readFileSync(at(".agents/skills/source-command-deploy/SKILL.md"), "utf8"),
    /^---\nname: source-command-deploy\ndescription: "Deploys it"\n/,
  );
  assert.equal(
    readFileSync(at("agents/reviewer.toml"), "utf8"),
    'name = "reviewer"\ndescription = "Reviews"\ndeveloper_instructions = "Look at everything."\n',
  );
  const listed = (await wire.ask("skills/list", { cwds: [stage.workspace] })).result.data[0].skills.map(({ name }: Message) => name);
  for (const name of ["pdf", "source-command-deploy"]) assert.ok(listed.includes(name), name);
  assert.deepEqual(await detect(wire), [], "nothing is left");
  const { importId: own } = (await wire.ask("externalAgentConfig/import/recordHistory", { providerId: "x", itemTypeResults: [] })).result;
  const { data } = (await wire.ask("externalAgentConfig/import/readHistories", {})).result;
  assert.deepEqual(
    data.map((history: Message) => [history.importId, history.providerId, history.successes.length]),
    [
      [own, "x", 0],
      [importId, "mine", 8],
    ],
  );
});

verifies("migration.untrusted", async (stage) => {
  const wire = await open(stage);
  write(stage.home, everything);
  await importAll(wire, await detect(wire));
  const { config } = (await wire.ask("config/read", {})).result;
  assert.deepEqual(Object.keys(config.mcp_servers).toSorted(), ["docs", "remote"], "what needs variables or has an odd name is left out");
  for (const server of Object.values<Message>(config.mcp_servers)) assert.equal(server.enabled, false);
  const text = readFileSync(path.join(stage.home, "config.toml"), "utf8");
  assert.match(text, /TEAM = "tools"/);
  assert.doesNotMatch(text, /secret/);
  const { hooks } = (await wire.ask("hooks/list", { cwds: [stage.workspace] })).result.data[0];
  assert.deepEqual(
    hooks.map(({ eventName, trustStatus }: Message) => [eventName, trustStatus]),
    [["preToolUse", "untrusted"]],
  );
});

verifies("migration.careful", async (stage) => {
  const wire = await open(stage);
  const at = (name: string): string => path.join(stage.home, name);
  write(stage.home, {
    ...everything,
    "AGENTS.md": "mine\n",
    ".agents/skills/pdf/SKILL.md": "mine\n",
    "hooks.json": "{}",
    "secret.md": "outside",
    ".claude/settings.json": '{"env": [1], "hooks": {"PreToolUse": "x"}, "sandbox": 7}',
    ".claude/agents/broken.md": "no head",
  });
  symlinkSync(at("secret.md"), at(".claude/commands/linked.md"));
  symlinkSync(at(".claude/skills/pdf"), at(".claude/skills/linked"));
  write(stage.home, { ".claude/skills/huge/SKILL.md": "big", ".claude/skills/huge/data": "" });
  truncateSync(at(".claude/skills/huge/data"), 2 ** 33);
  write(stage.home, { ".claude.json": "{ broken" });
  const items = await detect(wire);
  const names = (type: string, of: string): string[] =>
    items.find(({ itemType }) => itemType === type)?.details[of].map(({ name }: Message) => name) ?? [];
  assert.deepEqual(
    [names("SKILLS", "skills"), names("COMMANDS", "commands"), names("SUBAGENTS", "subagents")],
    [["huge"], ["source-command-deploy"], ["reviewer"]],
  );
  assert.deepEqual(items.map(({ itemType }) => itemType).toSorted(), ["COMMANDS", "SKILLS", "SUBAGENTS"]);
  const wanted = [...items, { itemType: "AGENTS_MD", description: "x" }, { itemType: "SESSIONS", description: "x" }];
  const { itemTypeResults } = await importAll(wire, wanted);
  const failed = itemTypeResults.flatMap(({ failures }: Message) => failures.map((f: Message) => [f.itemType, f.message]));
  assert.deepEqual(
    failed.map(([type]: string[]) => type),
    ["SKILLS", "AGENTS_MD", "SESSIONS"],
  );
  assert.ok(!existsSync(at(".agents/skills/huge")), "all of a skill or nothing");
  assert.deepEqual([readFileSync(at("AGENTS.md"), "utf8"), readFileSync(at(".agents/skills/pdf/SKILL.md"), "utf8")], ["mine\n", "mine\n"]);
  // A project whose folder for skills is a link gets nothing.
  write(stage.workspace, { ".claude/commands/x.md": "Do x." });
  mkdirSync(path.join(stage.workspace, "..", ".git")); // as sandboxes leave it behind: no repository
  const of = { cwds: [stage.workspace] };
  assert.deepEqual(
    (await detect(wire, of)).map(({ itemType, cwd }) => [itemType, cwd]),
    [["COMMANDS", stage.workspace]],
  );
  symlinkSync(stage.home, path.join(stage.workspace, ".agents"));
  assert.deepEqual(await detect(wire, of), []);
  const refused = await wire.ask("externalAgentConfig/detect", { migrationSource: "cursor" });
  assert.match(refused.error.message, /nothing is imported from Cursor/);
});

const sessionId = "0b1c2d3e-1111-4222-8333-444455556666";
function sessionFile(cwd: string): string {
  const line = (type: string, content: unknown, more: object = {}): string =>
    JSON.stringify({ type, cwd, sessionId, timestamp: "2026-11-10T10:00:00.000Z", message: { role: type, content }, ...more });
  return [
    JSON.stringify({ type: "summary", summary: "Fix it" }),
    line("user", "Please fix the login\nsoon"),
    "not json",
    line("assistant", [
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
    ]),
    line("user", [{ type: "tool_result", tool_use_id: "t1", content: "a.txt" }]),
    line("user", "<command-name>/clear</command-name>"),
    line("assistant", "beside", { isSidechain: true }),
    line("assistant", [{ type: "text", text: "Fixed." }]),
    line("user", [{ type: "text", text: "Thanks" }]),
    line("assistant", [{ type: "text", text: "Welcome." }]),
  ].join("\n");
}

verifies("migration.sessions", async (stage) => {
  const wire = await stage.wire({ turns: [[{ say: "going on" }]] });
  await wire.initialize({ experimentalApi: true });
  const folder = ".claude/projects/-work-project";
  write(stage.home, {
    [`${folder}/${sessionId}.jsonl`]: sessionFile(stage.workspace),
    [`${folder}/11111111-1111-4222-8333-444455556666.jsonl`]: sessionFile("/there/is/no/such/folder"),
    [`${folder}/22222222-1111-4222-8333-444455556666.jsonl`]: '{"type":"summary"}\n',
    [`${folder}/odd name.jsonl`]: sessionFile(stage.workspace),
  });
  symlinkSync(path.join(stage.home, folder, `${sessionId}.jsonl`), path.join(stage.home, folder, "linked.jsonl"));
  const [item, ...others] = await detect(wire);
  assert.deepEqual([item?.["itemType"], others], ["SESSIONS", []]);
  const file = path.join(stage.home, folder, `${sessionId}.jsonl`);
  assert.deepEqual(item?.["details"].sessions, [{ path: file, cwd: stage.workspace, title: "Please fix the login" }]);
  for (const none of [{ maxSessions: 0 }, { maxSessionAgeDays: 0 }])
    assert.deepEqual((await wire.ask("externalAgentConfig/detect", { includeHome: true, ...none })).result.items, []);
  const planted = { ...item, details: { ...item?.["details"], sessions: [{ path: "/etc/passwd", cwd: "/", title: "x" }] } };
  assert.deepEqual((await importAll(wire, [planted])).itemTypeResults[0].successes, [], "only what was found can be chosen");
  const [{ successes, failures }] = (await importAll(wire, [item ?? {}])).itemTypeResults;
  assert.deepEqual(failures, []);
  const threadId = successes[0].target;
  const { thread } = (await wire.ask("thread/read", { threadId, includeTurns: true })).result;
  assert.deepEqual([thread.preview, thread.cwd, thread.turns.length], ["Please fix the login\nsoon", stage.workspace, 2]);
  assert.deepEqual(
    thread.turns[0].items.map((one: Message) => one["text"] ?? one["content"][0].text),
    ["Please fix the login\nsoon", "I will look.", '[called Bash: {"command":"ls"}]', "[result: a.txt]", "Fixed."],
  );
  assert.deepEqual(await detect(wire), [], "each is imported once");
  await wire.ask("thread/resume", { threadId, modelProvider: "scripted" });
  await wire.ask("turn/start", { threadId, input: [{ type: "text", text: "go on", text_elements: [] }] });
  const end = await wire.until((m) => m.method === "turn/completed" && m.params.threadId === threadId, "the end of a further turn");
  assert.equal(end.params.turn.status, "completed");
});

verifies("migration.plugins", async (stage) => {
  const wire = await open(stage);
  const market = path.join(stage.workspace, "market");
  write(market, {
    ".claude-plugin/marketplace.json": JSON.stringify({ name: "mk", plugins: [{ name: "demo", source: "./demo" }] }),
    "demo/.claude-plugin/plugin.json": JSON.stringify({ name: "demo", version: "1.0.0", description: "d" }),
    "demo/skills/greet/SKILL.md": "---\nname: greet\ndescription: greets\n---\nhi\n",
  });
  const source = { source: "directory", path: market };
  write(stage.home, {
    ".claude/settings.json": JSON.stringify({
      enabledPlugins: { "demo@mk": true, "gone@mk": true, "off@mk": false, "other@unknown": true, "../x@mk": true },
      extraKnownMarketplaces: { mk: { source } },
    }),
  });
  const [item] = await detect(wire);
  assert.deepEqual(item?.["details"].plugins, [{ marketplaceName: "mk", pluginNames: ["demo", "gone"] }]);
  const [{ successes, failures }] = (await importAll(wire, [item ?? {}])).itemTypeResults;
  assert.deepEqual(
    successes.map(({ source: from, target }: Message) => [from, target]),
    [["demo@mk", "demo@mk"]],
  );
  assert.match(failures[0].message, /gone/);
  assert.match(readFileSync(path.join(stage.home, "config.toml"), "utf8"), /\[plugins\."demo@mk"\]\nenabled = false/);
  const { skills } = (await wire.ask("skills/list", { cwds: [stage.workspace] })).result.data[0];
  assert.ok(!skills.some(({ name }: Message) => name === "demo:greet"), "what is switched off adds nothing");
});
