/** Hooks: which may run, at which moments, what input they get, and the effect of their output. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { proxyPort } from "../../../src/exec/network/listener.ts";
import { noProtection } from "../../../src/exec/testing.ts";
import { verifies } from "../../support/verifies.ts";
import { answering, completedRuns, eventsNoted, noted, noting, trustAll, writeHooks } from "./stage.ts";

const here = { legs: ["memory"] as const };

verifies(
  "hooks.trust",
  async ({ app, home, workspace }) => {
    writeHooks(home, [["UserPromptSubmit", undefined, noting(home)]]);
    const client = await app({ turns: [[{ say: "one" }], [{ say: "two" }], [{ say: "three" }]] });
    const warnings: string[] = [];
    client.on("configWarning", ({ summary }) => warnings.push(summary));
    const [before] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    assert.deepEqual(
      before?.hooks.map(({ trustStatus, enabled }) => [trustStatus, enabled]),
      [["untrusted", true]],
    );
    const thread = await client.startThread({ cwd: workspace });
    await thread.run("first");
    assert.deepEqual(noted(home), [], "a hook that nobody trusts must not run");
    const trusted = await trustAll(client, workspace);
    assert.equal(trusted.hooks[0]?.trustStatus, "trusted");
    await thread.run("second");
    assert.deepEqual(
      noted(home).map(({ prompt }) => prompt),
      ["second"],
    );
    writeHooks(home, [["UserPromptSubmit", undefined, `${noting(home)} # changed`]]);
    await thread.run("third");
    assert.equal(noted(home).length, 1, "a changed hook waits for trust again");
    const [after] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    assert.equal(after?.hooks[0]?.trustStatus, "modified");
  },
  here,
);

verifies(
  "hooks.moments",
  async ({ app, home, workspace }) => {
    const all = ["SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse", "PostToolUse", "Stop"];
    writeHooks(
      home,
      all.map((event) => [event, undefined, noting(home)]),
    );
    const client = await app({ turns: [[{ run: "echo hi" }, { say: "done" }]] });
    await trustAll(client, workspace);
    const order: string[] = [];
    for (const method of ["turn/started", "item/started", "item/completed", "turn/completed"] as const)
      client.on(method, (params) => order.push("item" in params ? `${method} ${params.item.type}` : method));
    client.on("hook/started", ({ run }) => order.push(`start ${run.eventName}`));
    client.on("hook/completed", ({ run }) => order.push(`end ${run.eventName} ${run.status}`));
    const thread = await client.startThread({ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access" });
    await thread.run("go");
    const request = ["PreModelRequest", "PostModelRequest"];
    assert.deepEqual(eventsNoted(home), ["SessionStart", "UserPromptSubmit", ...request, "PreToolUse", "PostToolUse", ...request, "Stop"]);
    const at = (line: string): number => order.indexOf(line);
    assert.ok(
      at("turn/started") < at("start sessionStart") && at("end userPromptSubmit completed") < at("item/started userMessage"),
      order.join("\n"),
    );
    assert.ok(at("end preToolUse completed") < at("item/started commandExecution"), order.join("\n"));
    assert.ok(at("item/completed commandExecution") < at("start postToolUse"), order.join("\n"));
    assert.ok(at("end stop completed") < at("turn/completed"), order.join("\n"));
    const byEvent = Object.fromEntries(noted(home).map((input) => [String(input["hook_event_name"]), input]));
    for (const input of Object.values(byEvent)) {
      assert.equal(input["session_id"], thread.id);
      assert.equal(input["cwd"], workspace);
      const isRequest = String(input["hook_event_name"]).endsWith("ModelRequest");
      assert.equal(input["permission_mode"], isRequest ? undefined : "bypassPermissions");
      assert.equal(typeof input["model"], "string");
      assert.ok(existsSync(String(input["transcript_path"])), String(input["transcript_path"]));
    }
    assert.equal(byEvent["SessionStart"]?.["source"], "startup");
    assert.equal(byEvent["UserPromptSubmit"]?.["prompt"], "go");
    assert.deepEqual(byEvent["PreToolUse"]?.["tool_input"], { command: "echo hi" });
    assert.equal(byEvent["PreToolUse"]?.["tool_name"], "Bash");
    assert.match(String(byEvent["PostToolUse"]?.["tool_response"]), /hi/);
    assert.equal(byEvent["PostModelRequest"]?.["status"], "completed");
    assert.equal(byEvent["Stop"]?.["stop_hook_active"], false);
    assert.equal(byEvent["Stop"]?.["last_assistant_message"], "done");
  },
  here,
);

verifies(
  "hooks.prompt",
  async ({ app, home, workspace }) => {
    writeHooks(home, [
      [
        "UserPromptSubmit",
        undefined,
        noting(home, `if tail -1 ${home}/hook-log.jsonl | grep -q secret; then echo "no secrets" >&2; exit 2; fi; echo "it is Monday"`),
      ],
    ]);
    const client = await app({ turns: [[{ say: "first" }], [{ say: "second" }]] });
    await trustAll(client, workspace);
    const runs = completedRuns(client);
    const thread = await client.startThread({ cwd: workspace, experimentalRawEvents: true });
    const raw: unknown[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(item));
    const refused = await thread.run("my secret is x");
    assert.equal(refused.text, "", "no model was asked");
    assert.deepEqual([runs[0]?.status, runs[0]?.entries], ["blocked", [{ kind: "feedback", text: "no secrets" }]]);
    const passed = await thread.run("hello");
    assert.equal(passed.text, "first");
    assert.ok(
      JSON.stringify(raw).includes('{"type":"message","role":"developer","content":[{"type":"input_text","text":"it is Monday"}]}'),
      JSON.stringify(raw),
    );
    const { thread: read } = await client.call("thread/read", { threadId: thread.id, includeTurns: true });
    assert.ok(!JSON.stringify(read).includes("secret"), "what a hook refused is kept nowhere");
    assert.equal(read.turns[0]?.status, "completed");
  },
  here,
);

verifies(
  "hooks.toolDenied",
  async ({ app, home, workspace }) => {
    const deny = {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not on my watch" },
    };
    writeHooks(home, [
      ["PreToolUse", "Bash", answering(home, deny)],
      ["PreToolUse", "Write", noting(home)],
    ]);
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+1\n*** End Patch";
    const client = await app({ turns: [[{ run: "touch ran" }, { patch }, { say: "done" }]] });
    await trustAll(client, workspace);
    const thread = await client.startThread({
      cwd: workspace,
      approvalPolicy: "never",
      sandbox: "danger-full-access",
      experimentalRawEvents: true,
    });
    const raw: string[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(JSON.stringify(item)));
    const types: string[] = [];
    client.on("item/started", ({ item }) => types.push(item.type));
    await thread.run("go");
    assert.ok(!existsSync(path.join(workspace, "ran")));
    assert.ok(!types.includes("commandExecution"), types.join());
    assert.match(raw.join("\n"), /Command blocked by PreToolUse hook: not on my watch\. Command: touch ran/);
    assert.equal(readFileSync(path.join(workspace, "a.txt"), "utf8"), "1\n");
    assert.deepEqual(noted(home).map(({ tool_name: name, tool_input: input }) => [name, input])[1], ["apply_patch", { command: patch }]);
  },
  here,
);

verifies(
  "hooks.toolRewritten",
  async ({ app, home, workspace }) => {
    const rewrite = {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: { command: "echo rewritten > out" } },
    };
    const replace = { decision: "block", reason: "the output is private" };
    writeHooks(home, [
      ["PreToolUse", "Bash", answering(home, rewrite)],
      ["PostToolUse", "Bash", answering(home, replace)],
    ]);
    const client = await app({ turns: [[{ run: "echo original > out" }, { say: "done" }]] });
    await trustAll(client, workspace);
    const thread = await client.startThread({
      cwd: workspace,
      approvalPolicy: "never",
      sandbox: "danger-full-access",
      experimentalRawEvents: true,
    });
    const raw: string[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(JSON.stringify(item)));
    await thread.run("go");
    assert.equal(readFileSync(path.join(workspace, "out"), "utf8"), "rewritten\n");
    assert.match(raw.join("\n"), /"output":"the output is private"/);
  },
  here,
);

verifies(
  "hooks.permission",
  async ({ app, home, workspace }) => {
    const allow = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
    const script = `case "$(cat)" in *deny-me*) echo never >&2; exit 2;; esac; printf '%s' '${JSON.stringify(allow)}'`;
    writeHooks(home, [["PermissionRequest", "Bash", script]]);
    const client = await app({ turns: [[{ run: "touch allowed" }, { run: "touch deny-me" }, { say: "done" }]] });
    await trustAll(client, workspace);
    let asked = 0;
    client.answer("item/commandExecution/requestApproval", () => {
      asked++;
      return { decision: "decline" };
    });
    const order: string[] = [];
    client.on("hook/completed", ({ run }) => order.push(`end ${run.eventName}`));
    client.on("item/started", ({ item }) => order.push(`started ${item.type}`));
    const thread = await client.startThread({ cwd: workspace, approvalPolicy: "untrusted", sandbox: "danger-full-access" });
    await thread.run("go");
    assert.ok(order.indexOf("end permissionRequest") < order.indexOf("started commandExecution"), order.join("\n"));
    assert.equal(asked, 0, "nobody is asked where a hook decides");
    assert.ok(existsSync(path.join(workspace, "allowed")));
    assert.ok(!existsSync(path.join(workspace, "deny-me")));
    const audit = globSync(path.join(home, "parley/audit/*.jsonl"))
      .map((file) => readFileSync(file, "utf8"))
      .join("");
    assert.match(audit, /"decision":"accept","by":"hook permission-request:0:/);
    assert.match(audit, /"kind":"hook"/);
  },
  here,
);

verifies(
  "hooks.permissionNetwork",
  async ({ app, home, workspace }) => {
    const allow = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
    const script = `case "$(tail -n 1 ${path.join(home, "hook-log.jsonl")})" in *deny.invalid*) echo never >&2; exit 2;; esac; printf '%s' '${JSON.stringify(allow)}'`;
    writeHooks(home, [["PermissionRequest", "Bash|request_permissions", noting(home, script)]]);
    const fetches = (host: string) => ({ call: "web_fetch", with: { url: `https://${host}/a` } });
    const outside = path.join(home, "outside");
    const client = await app({
      turns: [
        [
          fetches("allow.invalid"),
          { expect: { output: "/web_fetch: allow\\.invalid/" } },
          fetches("deny.invalid"),
          { expect: { output: "/a hook does not want deny\\.invalid to be reached: never/" } },
          { call: "request_permissions", with: { reason: "to build", permissions: { file_system: { write: [outside] } } } },
          { expect: { output: `/"write":\\["${outside}"\\].*"scope":"turn"/` } },
          { say: "done" },
        ],
      ],
      config: 'sandbox_mode = "read-only"\napproval_policy = "on-request"\nfeatures.request_permissions_tool = true\n',
    });
    await trustAll(client, workspace);
    let asked = 0;
    client.answer("item/commandExecution/requestApproval", () => {
      asked++;
      return { decision: "decline" };
    });
    const thread = await client.startThread({ cwd: workspace });
    assert.equal((await thread.run("go")).text, "done");
    assert.equal(asked, 0, "nobody is asked where a hook decides");
    assert.deepEqual(
      noted(home).map(({ tool_name: name, tool_input: input }) => [name, input]),
      [
        ["Bash", { command: "web_fetch https://allow.invalid/a", description: "network-access allow.invalid" }],
        ["Bash", { command: "web_fetch https://deny.invalid/a", description: "network-access deny.invalid" }],
        ["request_permissions", { reason: "to build", permissions: { file_system: { write: [outside] }, network: null } }],
      ],
    );
  },
  here,
);

verifies(
  "hooks.permissionHosts",
  async ({ app, home, workspace }) => {
    const deny = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "not from here" } } };
    writeHooks(home, [["PermissionRequest", "Bash", answering(home, deny)]]);
    const line = `exec 3<>/dev/tcp/127.0.0.1/${proxyPort}; printf 'GET http://unlisted.invalid/ HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
    const config = `default_permissions = "net"
approval_policy = "on-request"
[permissions.net]
extends = ":workspace"
[permissions.net.network]
enabled = true
domains = {}
`;
    const client = await app({ turns: [[{ run: line }, { expect: { output: "/was blocked: not from here/" } }, { say: "done" }]], config });
    await trustAll(client, workspace);
    client.answer("item/commandExecution/requestApproval", () => assert.fail("nobody is asked where a hook decides"));
    const thread = await client.startThread({ cwd: workspace });
    assert.equal((await thread.run("go")).text, "done");
    const [entry] = noted(home);
    assert.deepEqual(entry?.["tool_input"], { command: line, description: "network-access http://unlisted.invalid:80" });
  },
  { ...here, skip: noProtection || undefined },
);

verifies(
  "hooks.agentType",
  async ({ app, home, workspace }) => {
    writeHooks(home, [
      ["UserPromptSubmit", undefined, noting(home)],
      ["SubagentStop", "reviewer", noting(home)],
      ["SubagentStop", "default", noting(home)],
    ]);
    const id = "019a6d3c-b000-7000-8000-0000000000a1";
    const parent = "019a6d3c-b000-7000-8000-0000000000a0";
    const timestamp = new Date().toISOString();
    const source = { subagent: { thread_spawn: { depth: 1, parent_thread_id: parent, agent_role: "reviewer" } } };
    const meta = { id, timestamp, cwd: workspace, originator: "codex", cli_version: "0.166.0", source, parent_thread_id: parent };
    const folder = path.join(home, "sessions/2026/11/15");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, `rollout-2026-11-15T12-00-00-${id}.jsonl`),
      `${JSON.stringify({ timestamp, type: "session_meta", payload: meta })}\n`,
    );
    const client = await app({ turns: [[{ say: "done" }]] });
    await trustAll(client, workspace);
    const thread = await client.resumeThread(id);
    await thread.run("go");
    assert.deepEqual(
      noted(home).map((input) => [input["hook_event_name"], input["agent_type"], input["agent_id"]]),
      [
        ["UserPromptSubmit", "reviewer", id],
        ["SubagentStop", "reviewer", id],
      ],
    );
  },
  here,
);

verifies(
  "hooks.subagentStart",
  async ({ app, home, workspace }) => {
    writeHooks(home, [
      ["SessionStart", undefined, noting(home)],
      ["SubagentStart", "default", noting(home, 'echo "the code word is blue"')],
    ]);
    const client = await app({
      turns: [
        { user: "help out", steps: [{ say: "helped" }] },
        { user: "lead", steps: [{ call: "spawn_agent", with: { message: "help out" } }, { say: "started" }] },
      ],
    });
    await trustAll(client, workspace);
    const thread = await client.startThread({ cwd: workspace });
    const child = Promise.withResolvers<string>();
    client.on("turn/completed", ({ threadId }) => {
      if (threadId !== thread.id) child.resolve(threadId);
    });
    await thread.run("lead");
    const childId = await child.promise;
    assert.deepEqual(
      noted(home).map((input) => [input["hook_event_name"], input["agent_id"]]),
      [
        ["SessionStart", undefined],
        ["SubagentStart", childId],
      ],
    );
    const { thread: read } = await client.call("thread/read", { threadId: childId });
    const message = '"role":"developer","content":[{"type":"input_text","text":"the code word is blue"}]';
    assert.ok(readFileSync(read.path ?? "", "utf8").includes(message), "it is in what the model reads");
  },
  here,
);

verifies(
  "hooks.stop",
  async ({ app, home, workspace }) => {
    const script = noting(
      home,
      `if tail -1 ${home}/hook-log.jsonl | grep -q '"stop_hook_active":false'; then printf '%s' '{"decision":"block","reason":"run the tests"}'; fi`,
    );
    writeHooks(home, [["Stop", undefined, script]]);
    const client = await app({ turns: [[{ say: "done" }]] });
    await trustAll(client, workspace);
    const items: unknown[] = [];
    client.on("item/completed", ({ item }) => items.push(item));
    const thread = await client.startThread({ cwd: workspace });
    await thread.run("go");
    const types = items.map((item) => (item as { type: string }).type);
    assert.deepEqual(types, ["userMessage", "agentMessage", "hookPrompt", "agentMessage"], "the model was asked once more");
    assert.deepEqual(
      noted(home).map(({ stop_hook_active: active }) => active),
      [false, true],
    );
    const prompt = items.find((item) => (item as { type: string }).type === "hookPrompt") as {
      fragments: { text: string; hookRunId: string }[];
    };
    assert.equal(prompt.fragments[0]?.text, "run the tests");
    assert.match(prompt.fragments[0]?.hookRunId ?? "", /^stop:0:/);
  },
  here,
);

verifies(
  "hooks.output",
  async ({ app, home, workspace }) => {
    const bad: [string, string][] = [
      ["unknown member", `printf '{"contniue":false}'`],
      ["another event", `printf '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}'`],
      ["exit code", "exit 3"],
      ["torn JSON", `printf '{"continue":'`],
      ["too long", "sleep 20"],
      ["too much", "head -c 3000000 /dev/zero | tr '\\\\0' 'a'"],
    ];
    writeHooks(
      home,
      bad.map(([, command]) => ["UserPromptSubmit", undefined, command, { timeout: 1 }] as const),
    );
    const client = await app({ turns: [[{ say: "fine" }]] });
    await trustAll(client, workspace);
    const runs = completedRuns(client);
    const thread = await client.startThread({ cwd: workspace });
    assert.equal((await thread.run("go")).text, "fine", "a hook that goes wrong decides nothing");
    assert.deepEqual(
      runs.map(({ status }) => status),
      bad.map(() => "failed"),
    );
    assert.match(runs[0]?.entries[0]?.text ?? "", /unknown member `contniue`/);
    assert.match(runs[4]?.entries[0]?.text ?? "", /more than 1 s/);
  },
  here,
);

verifies(
  "hooks.ended",
  async ({ app, home, workspace }) => {
    writeHooks(home, [
      ["PreToolUse", undefined, noting(home, `echo $$ > ${home}/pid; exec sleep 60`)],
      ["Interrupt", undefined, noting(home)],
      ["SessionEnd", undefined, noting(home)],
    ]);
    const client = await app({ turns: [[{ run: "true" }, { say: "x" }]] });
    await trustAll(client, workspace);
    const { thread } = await client.call("thread/start", { cwd: workspace });
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    client.on("hook/started", ({ run }) => run.eventName === "preToolUse" && started.resolve());
    client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
    const { turn } = await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
    await started.promise;
    const pidFile = path.join(home, "pid");
    while (!existsSync(pidFile)) await new Promise((resolve) => setImmediate(resolve));
    await client.call("turn/interrupt", { threadId: thread.id, turnId: turn.id });
    assert.equal(await ended.promise, "interrupted");
    const pid = Number(readFileSync(pidFile, "utf8"));
    assert.throws(() => process.kill(pid, 0), "the hook has ended with its turn");
    assert.ok(eventsNoted(home).includes("Interrupt"));
    await client.call("thread/archive", { threadId: thread.id });
    assert.deepEqual(noted(home).at(-1)?.["reason"], "other");
  },
  here,
);

verifies(
  "hooks.untrustedProject",
  async ({ app, home, workspace }) => {
    mkdirSync(path.join(workspace, ".codex"));
    const mark = path.join(home, "project-hook-ran");
    const file = path.join(workspace, ".codex", "hooks.json");
    writeFileSync(file, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch ${mark}` }] }] } }));
    // A project that declares itself trusted.
    const client = await app({ turns: [[{ say: "a" }], [{ say: "b" }]] });
    const thread = await client.startThread({ cwd: workspace });
    await thread.run("go");
    await client.call("config/value/write", {
      keyPath: `projects.${JSON.stringify(workspace)}.trust_level`,
      value: "trusted",
      mergeStrategy: "upsert",
    });
    const [entry] = (await client.call("hooks/list", { cwds: [workspace] })).data;
    const [hook] = entry?.hooks ?? [];
    assert.equal(hook?.trustStatus, "untrusted");
    writeFileSync(
      path.join(workspace, ".codex", "config.toml"),
      `[hooks.state.${JSON.stringify(hook?.key)}]\ntrusted_hash = ${JSON.stringify(hook?.currentHash)}\n`,
    );
    await thread.run("go");
    assert.ok(!existsSync(mark), "a project's own file cannot trust the project's hooks");
  },
  here,
);

verifies(
  "hooks.background",
  async ({ app, home, workspace }) => {
    const gate = path.join(home, "gate");
    const wait = noting(
      home,
      `while [ ! -e ${gate} ]; do sleep 0.05; done; printf '{"systemMessage":"lint is red","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"lint: 3 problems"},"decision":"block","reason":"ignored"}'`,
    );
    writeHooks(home, [["UserPromptSubmit", undefined, wait, { async: true }]]);
    const client = await app({ turns: [[{ say: "one" }], [{ say: "two" }]] });
    await trustAll(client, workspace);
    const runs = completedRuns(client);
    const warned = Promise.withResolvers<string>();
    client.on("warning", ({ message }) => message.includes("lint is red") && warned.resolve(message));
    const raw: string[] = [];
    client.on("rawResponseItem/completed", ({ item }) => raw.push(JSON.stringify(item)));
    const thread = await client.startThread({ cwd: workspace, experimentalRawEvents: true });
    assert.equal((await thread.run("first")).text, "one", "nobody waits for it, and it blocks nothing");
    writeFileSync(gate, "");
    assert.match(await warned.promise, /UserPromptSubmit hook of .*hooks\.json: lint is red/);
    assert.equal((await thread.run("second")).text, "two");
    assert.match(raw.join("\n"), /lint: 3 problems/);
    assert.deepEqual(runs, [], "hooks in the background are not announced");
  },
  here,
);

verifies(
  "hooks.sessionStart",
  async ({ app, home, workspace, restart }) => {
    const stop = noting(
      home,
      `if tail -1 ${home}/hook-log.jsonl | grep -q '"source":"clear"'; then printf '{"continue":false,"stopReason":"not here"}'; else echo remember the style guide; fi`,
    );
    writeHooks(home, [["SessionStart", "startup|resume|clear", stop]]);
    const first = await app({ turns: [[{ say: "one" }], [{ say: "two" }]] });
    await trustAll(first, workspace);
    const thread = await first.startThread({ cwd: workspace });
    await thread.run("hello");
    await restart();
    const client = await app({ turns: [[{ say: "three" }], [{ say: "four" }]] });
    await client.call("thread/resume", { threadId: thread.id });
    const done = Promise.withResolvers<void>();
    client.on("turn/completed", () => done.resolve());
    await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "again" }] });
    await done.promise;
    assert.deepEqual(
      noted(home).map(({ source }) => source),
      ["startup", "resume"],
    );
    const runs = completedRuns(client);
    const cleared = await client.startThread({ cwd: workspace, sessionStartSource: "clear" });
    assert.equal((await cleared.run("hi")).text, "", "the turn has ended before a model was asked");
    assert.deepEqual([runs.at(-1)?.status, runs.at(-1)?.entries[0]], ["stopped", { kind: "stop", text: "not here" }]);
  },
  here,
);

verifies(
  "hooks.compaction",
  async ({ app, home, workspace }) => {
    writeHooks(home, [
      ["PreCompact", "manual", noting(home)],
      ["PostCompact", "auto", noting(home)],
      ["SessionStart", "compact", noting(home)],
    ]);
    const client = await app({ turns: [[{ say: "one" }], [{ say: "a summary ".repeat(30) }], [{ say: "two" }]] });
    await trustAll(client, workspace);
    const thread = await client.startThread({ cwd: workspace });
    await thread.run("hello");
    const done = Promise.withResolvers<void>();
    client.on("turn/completed", () => done.resolve());
    await client.call("thread/compact/start", { threadId: thread.id });
    await done.promise;
    await thread.run("go on");
    assert.deepEqual(
      noted(home).map(({ hook_event_name: name, trigger, source }) => [name, trigger ?? source]),
      [
        ["PreCompact", "manual"],
        ["SessionStart", "compact"],
      ],
    );
  },
  here,
);

verifies(
  "hooks.context",
  async ({ app, home, workspace }) => {
    const contextOf = (event: string) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: `from ${event}` } });
    writeHooks(home, [
      ["PreToolUse", undefined, answering(home, contextOf("PreToolUse"))],
      ["PostToolUse", undefined, answering(home, contextOf("PostToolUse"))],
    ]);
    const client = await app({ turns: [[{ run: "echo one" }, { run: "echo two" }, { say: "done" }]] });
    await trustAll(client, workspace);
    const thread = await client.startThread({
      ...{ cwd: workspace, approvalPolicy: "never", sandbox: "danger-full-access", experimentalRawEvents: true },
    });
    const kinds: string[] = [];
    client.on("rawResponseItem/completed", ({ item }) => {
      const text = JSON.stringify(item);
      kinds.push(text.includes("from P") ? "context" : item.type);
    });
    await thread.run("go");
    const last = kinds.lastIndexOf("function_call_output");
    assert.equal(kinds.filter((kind) => kind === "context").length, 4, kinds.join());
    assert.ok(kinds.indexOf("context") > last, `nothing may stand between a call and its output: ${kinds.join()}`);
  },
  here,
);
