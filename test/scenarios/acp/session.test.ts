/** Editors over the Agent Client Protocol: sessions, prompts, the agent's messages and actions, and its settings. */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { editor } from "../../support/acp-client.ts";
import { verifies } from "../../support/verifies.ts";

const memory = { legs: ["memory"] as const };
const never = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n';

verifies(
  "acp.initialize",
  async ({ home }) => {
    await using zed = await editor(home, {});
    const { protocolVersion, agentInfo, agentCapabilities } = zed.initialized;
    assert.equal(protocolVersion, 1);
    assert.equal(agentInfo?.name, "parley");
    assert.equal(agentCapabilities?.loadSession, true);
    assert.deepEqual(agentCapabilities?.promptCapabilities, { image: true, embeddedContext: true });
    assert.deepEqual(Object.keys(agentCapabilities?.sessionCapabilities ?? {}).sort(), [
      "additionalDirectories",
      "archive",
      "close",
      "delete",
      "fork",
      "list",
      "resume",
      "title",
    ]);
  },
  memory,
);

verifies(
  "acp.prompt",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [[{ reason: ["First", "Second"] }, { say: "Hello, {{user}}", deltas: 3 }]] });
    const sessionId = await zed.session(workspace);
    assert.equal(await zed.prompt(sessionId, "world"), "end_turn");
    assert.equal(zed.text("agent_message_chunk"), "Hello, world");
    assert.ok(zed.of("agent_message_chunk").length > 1, "streamed");
    assert.match(zed.text("agent_thought_chunk"), /First\n\nSecond/);
    assert.deepEqual(
      zed
        .of("available_commands_update")
        .at(0)
        ?.availableCommands.map(({ name }) => name),
      ["review", "compact", "undo"],
    );
    assert.ok(zed.updates.every((update) => update.sessionId === sessionId));
  },
  memory,
);

verifies(
  "acp.context",
  async ({ home, workspace }) => {
    const file = path.join(workspace, "notes.md");
    await using zed = await editor(home, { turns: [[{ expect: { images: 1 } }, "{{user}}"], ["Seen."]] });
    const sessionId = await zed.session(workspace);
    await zed.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "look" },
        {
          type: "image",
          data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          mimeType: "image/png",
        },
        { type: "resource", resource: { uri: "zed:///selection", text: "let x = 1" } },
        { type: "resource_link", uri: pathToFileURL(file).href, name: "notes.md" },
      ],
    });
    assert.match(zed.text("agent_message_chunk"), /look.*<context ref="zed:\/\/\/selection">\nlet x = 1\n<\/context>/s);
    assert.ok(zed.text("agent_message_chunk").includes(`[@notes.md](${file})`));
    const blob = (mimeType: string) => ({
      sessionId,
      prompt: [{ type: "resource" as const, resource: { uri: "file:///a", mimeType, blob: "AAAA" } }],
    });
    await assert.rejects(zed.agent.request("session/prompt", blob("application/pdf")), /is not text; attach pictures/);
    await zed.agent.request("session/prompt", blob("image/png"));
    await zed.agent.request("session/close", { sessionId });
    zed.updates.length = 0;
    await zed.agent.request("session/load", { sessionId, cwd: workspace, mcpServers: [] });
    assert.deepEqual(
      zed.of("user_message_chunk").flatMap(({ content }) => (content.type === "image" ? [content.mimeType] : [])),
      ["image/png", "image/png"],
      "pictures are repeated as pictures",
    );
    await assert.rejects(
      zed.agent.request("session/prompt", { sessionId, prompt: [{ type: "audio", data: "", mimeType: "audio/wav" }] }),
      /cannot take audio/,
    );
  },
  memory,
);

verifies(
  "acp.commands",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [[{ run: "printf 'one\\ntwo\\n'; exit 3" }, "Done."]], config: never });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "go");
    const [begun] = zed.of("tool_call");
    const ended = zed.of("tool_call_update").at(-1);
    assert.equal(begun?.kind, "execute");
    assert.equal(begun?.status, "in_progress");
    assert.equal(begun?.title, "printf 'one\\ntwo\\n'; exit 3", "to the letter");
    assert.equal(ended?.toolCallId, begun?.toolCallId);
    assert.equal(ended?.status, "failed");
    assert.deepEqual(ended?.content, [{ type: "content", content: { type: "text", text: "```\none\ntwo\n```" } }]);
    assert.deepEqual({ ...(ended?.rawOutput as object), durationMs: 0 }, { exitCode: 3, durationMs: 0 });
  },
  memory,
);

verifies(
  "acp.streamedOutput",
  async ({ home, workspace }) => {
    const go = path.join(workspace, "go");
    const run = `echo early; while [ ! -e go ]; do sleep 0.05; done; echo late`;
    await using zed = await editor(home, { turns: [[{ run }, "Done."]], config: never });
    const prompt = zed.prompt(await zed.session(workspace), "go");
    const text = (update: unknown): string => JSON.stringify(update);
    const early = await zed.until((update) => update.sessionUpdate === "tool_call_update" && text(update.content).includes("early"));
    assert.ok(!text(early).includes("late\\n"), "sent while it runs");
    writeFileSync(go, "");
    await prompt;
    assert.match(text(zed.of("tool_call_update").at(-1)?.content), /early\\nlate/);
  },
  memory,
);

verifies(
  "acp.diffs",
  async ({ home, workspace }) => {
    const file = path.join(workspace, "poem.txt");
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join("");
    writeFileSync(file, before);
    const patch = `*** Begin Patch\n*** Update File: poem.txt\n@@\n line 14\n-line 15\n+verse 15\n line 16\n*** Add File: new.txt\n+hi\n*** End Patch`;
    await using zed = await editor(home, { turns: [[{ patch }, "Done."]], config: never });
    await zed.prompt(await zed.session(workspace), "go");
    const [call] = zed.of("tool_call");
    assert.equal(call?.kind, "edit");
    assert.deepEqual(call?.content, [
      { type: "diff", path: path.join(workspace, "new.txt"), oldText: null, newText: "hi\n" },
      { type: "diff", path: file, oldText: before, newText: before.replace("line 15", "verse 15") },
    ]);
    assert.equal(call?.locations?.[1]?.path, file);
    assert.equal(zed.of("tool_call_update").at(-1)?.status, "completed");
  },
  memory,
);

verifies(
  "acp.plan",
  async ({ home, workspace }) => {
    const plan = [{ step: "look", status: "completed" }, { step: "write", status: "in_progress" }, "test"];
    await using zed = await editor(home, { turns: [[{ plan }, "Planned."]] });
    await zed.prompt(await zed.session(workspace), "go");
    assert.deepEqual(
      zed
        .of("plan")
        .at(-1)
        ?.entries.map(({ content, status }) => [content, status]),
      [
        ["look", "completed"],
        ["write", "in_progress"],
        ["test", "pending"],
      ],
    );
  },
  memory,
);

verifies(
  "acp.cancel",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [[{ run: "sleep 30" }, "Done."], ["Again."]], config: never });
    const sessionId = await zed.session(workspace);
    const prompt = zed.prompt(sessionId, "go");
    await zed.until(({ sessionUpdate }) => sessionUpdate === "tool_call");
    await zed.agent.notify("session/cancel", { sessionId });
    assert.equal(await prompt, "cancelled");
    assert.equal(await zed.prompt(sessionId, "and now?"), "end_turn");
    assert.match(zed.text("agent_message_chunk"), /Again\.$/);
  },
  memory,
);

verifies(
  "acp.cancel",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [[{ run: "sleep 30" }, "Done."]], config: never });
    const sessionId = await zed.session(workspace);
    const prompt = zed.prompt(sessionId, "go");
    await zed.agent.notify("session/cancel", { sessionId }); // before the turn has started
    assert.equal(await prompt, "cancelled");
  },
  memory,
);

verifies(
  "acp.failures",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [
        [{ fail: { kind: "badRequest", message: "no such thing" } }],
        [{ fail: "unauthorized" }],
        [{ fail: "contextWindowExceeded" }],
      ],
    });
    const sessionId = await zed.session(workspace);
    await assert.rejects(zed.prompt(sessionId, "1"), /no such thing/);
    await assert.rejects(zed.prompt(sessionId, "2"), { code: -32000 });
    assert.equal(await zed.prompt(sessionId, "3"), "max_tokens");
    await assert.rejects(zed.prompt("01a00000-0000-7000-8000-000000000000", "x"), { code: -32002 });
    await assert.rejects(zed.session("relative/path"), /absolute/);
    await assert.rejects(
      zed.agent.request("session/new", {
        cwd: workspace,
        mcpServers: [{ type: "sse", name: "old", url: "http://127.0.0.1:1", headers: [] }],
      }),
      /SSE/,
    );
  },
  memory,
);

verifies(
  "acp.modes",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [["One."], [{ expect: { instructions: "/[Pp]lan/" } }, "Two."]],
      config: 'approval_policy = "untrusted"\nsandbox_mode = "workspace-write"\n',
    });
    const { sessionId, modes } = await zed.agent.request("session/new", { cwd: workspace, mcpServers: [] });
    assert.equal(modes?.currentModeId, "configured", "settings that are no preset have a place of their own");
    assert.deepEqual(
      modes?.availableModes.map(({ id }) => id),
      ["configured", "read-only", "auto", "full-access", "plan"],
    );
    for (const modeId of ["read-only", "auto", "full-access", "plan", "configured"]) {
      await zed.agent.request("session/set_mode", { sessionId, modeId });
      await zed.until((update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === modeId);
    }
    await assert.rejects(zed.agent.request("session/set_mode", { sessionId, modeId: "yolo" }), /no mode named yolo/);
    await zed.agent.request("session/set_mode", { sessionId, modeId: "full-access" });
  },
  memory,
);

verifies(
  "acp.modeCounts",
  async ({ home, workspace }) => {
    const turn = (file: string) => [
      { run: `touch ${file}`, with: { sandbox_permissions: "require_escalated", justification: "x" } },
      "Done.",
    ];
    await using zed = await editor(home, {
      turns: [turn("a"), turn("b")],
      permit: () => "decline",
      config: 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n',
    });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "1");
    assert.equal(zed.asked.length, 1);
    await zed.agent.request("session/set_mode", { sessionId, modeId: "full-access" });
    await zed.prompt(sessionId, "2");
    assert.equal(zed.asked.length, 1, "full access asks nothing");
    assert.equal(zed.of("tool_call_update").at(-1)?.status, "completed");
  },
  memory,
);

verifies(
  "acp.models",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [["{{model}}"], ["{{model}}"]] });
    const { sessionId, configOptions } = await zed.agent.request("session/new", { cwd: workspace, mcpServers: [] });
    const model = configOptions?.find(({ category }) => category === "model");
    assert.ok(model?.type === "select");
    assert.equal(model.currentValue, "scripted");
    const values = model.options.flatMap((option) => ("value" in option ? [option.value] : []));
    const other = values.find((value) => value !== "scripted");
    assert.ok(other !== undefined, JSON.stringify(values));
    await zed.prompt(sessionId, "which?");
    const changed = await zed.agent.request("session/set_config_option", { sessionId, configId: "model", value: other });
    const now = changed.configOptions.find(({ id }) => id === "model");
    assert.equal(now?.type === "select" && now.currentValue, other);
    await zed.prompt(sessionId, "and now?");
    assert.equal(zed.text("agent_message_chunk"), `scripted${other}`);
    await assert.rejects(
      zed.agent.request("session/set_config_option", { sessionId, configId: "model", value: "no-such-model" }),
      /no value/,
    );
    await assert.rejects(zed.agent.request("session/set_config_option", { sessionId, configId: "colour", value: "red" }), /no value/);
  },
  memory,
);

verifies(
  "acp.sameMode",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { config: never });
    const { sessionId, modes, configOptions } = await zed.agent.request("session/new", { cwd: workspace, mcpServers: [] });
    await zed.agent.request("session/set_mode", { sessionId, modeId: modes?.currentModeId ?? "" });
    for (const option of configOptions ?? []) {
      if (option.type !== "select") continue;
      const { id: configId, currentValue: value } = option;
      const answer = await zed.agent.request("session/set_config_option", { sessionId, configId, value });
      assert.equal(answer.configOptions.find(({ id }) => id === configId)?.currentValue, value);
    }
  },
  memory,
);

verifies(
  "acp.editorFiles",
  async ({ home, workspace }) => {
    const file = path.join(workspace, "draft.txt");
    writeFileSync(file, "saved\n");
    const patch = `*** Begin Patch\n*** Update File: draft.txt\n@@\n-saved\n+changed\n*** End Patch`;
    const asked: unknown[] = [];
    await using zed = await editor(home, {
      turns: [
        [{ call: "read_editor_file", with: { path: "draft.txt", line: 2 } }, "{{output}}"],
        [{ call: "read_editor_file", with: { path: "gone.txt" } }, "{{output}}"],
        [{ patch }, "Done."],
      ],
      config: never,
      clientCapabilities: { fs: { readTextFile: true } },
      shows(request) {
        asked.push(request);
        if (request.path !== file) throw new Error("not in this editor");
        return "saved\nand not saved yet\n";
      },
    });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "read it");
    assert.match(zed.text("agent_message_chunk"), /and not saved yet/);
    assert.deepEqual(asked, [{ sessionId, path: file, line: 2 }]);
    await zed.prompt(sessionId, "and the other");
    assert.match(zed.text("agent_message_chunk"), /the editor cannot read gone\.txt/);
    await zed.prompt(sessionId, "edit it");
    const [diff] = zed.of("tool_call").at(-1)?.content ?? [];
    assert.deepEqual(diff, { type: "diff", path: file, oldText: "saved\nand not saved yet\n", newText: "changed\nand not saved yet\n" });
    await using plain = await editor(home, { turns: [[{ expect: { tools: ["read_editor_file"] } }, "Offered."]] });
    const other = await plain.session(workspace);
    await assert.rejects(plain.prompt(other, "go"), /read_editor_file/, "not offered where the editor has no files");
  },
  memory,
);

verifies(
  "acp.unsavedChanges",
  async ({ home, workspace }) => {
    const start = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
    const edit = (name: string): string => `*** Begin Patch\n*** Update File: ${name}\n@@\n-two\n+TWO\n*** End Patch`;
    const buffers = new Map<string, string>();
    for (const [name, shown] of [
      ["draft.txt", start.replace("eight", "eight, not saved")],
      ["clean.txt", start],
      ["far.txt", "all of it\nis other text\n"],
    ] as const) {
      writeFileSync(path.join(workspace, name), start);
      buffers.set(path.join(workspace, name), shown);
    }
    const taken: (readonly [string, string])[] = [];
    await using zed = await editor(home, {
      turns: ["draft.txt", "clean.txt", "far.txt"].map((name) => [{ patch: edit(name) }, "Done."]),
      config: never,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      shows: (request) => buffers.get(request.path) ?? "",
      takes: (request) => taken.push([path.basename(request.path), request.content]),
    });
    const sessionId = await zed.session(workspace);
    for (const _ of buffers) await zed.prompt(sessionId, "edit it");
    assert.deepEqual(taken, [["draft.txt", start.replace("two", "TWO").replace("eight", "eight, not saved")]]);
    assert.match(
      zed.text("agent_message_chunk"),
      /far\.txt has unsaved changes that the edit does not fit; the edit is in the saved file\./,
    );
    assert.doesNotMatch(zed.text("agent_message_chunk"), /(?:draft|clean)\.txt has unsaved/);
  },
  memory,
);

verifies(
  "acp.signIn",
  async ({ home, workspace }) => {
    writeFileSync(path.join(home, "config.toml"), "");
    await using zed = await editor(home, undefined);
    await assert.rejects(zed.session(workspace), (error: { code: number; message: string }) => {
      assert.equal(error.code, -32000);
      assert.match(error.message, /no model is set up\. Run `parley login`/);
      return true;
    });
    assert.deepEqual(
      zed.initialized.authMethods?.map(({ id }) => id),
      ["environment"],
    );
    const { authMethods } = await zed.agent.request("initialize", { protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } });
    const login = authMethods?.find(({ id }) => id === "login-anthropic");
    assert.deepEqual(login, {
      ...{ type: "terminal", id: "login-anthropic", name: "Anthropic", args: ["login", "anthropic"] },
      description: "Runs `parley login anthropic`.",
    });
    writeFileSync(path.join(home, "config.toml"), 'model_provider = "scripted"\n');
    await zed.agent.request("authenticate", { methodId: "login-anthropic" });
    assert.ok(await zed.session(workspace), "as soon as a model is set up");
  },
  memory,
);

verifies(
  "acp.organize",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [["One."], ["Two, after {{user}}."]] });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "first");
    const fork = await zed.agent.request("session/fork", { sessionId, cwd: workspace });
    assert.notEqual(fork.sessionId, sessionId);
    await zed.prompt(fork.sessionId, "second");
    assert.match(zed.text("agent_message_chunk"), /Two, after second\.$/);
    const { title } = await zed.agent.request("session/set_title", { sessionId, title: "  A new\n name " });
    assert.equal(title, "A new name");
    await zed.until((update) => update.sessionUpdate === "session_info_update" && update.title === title);
    await assert.rejects(zed.agent.request("session/set_title", { sessionId, title: " " }), { code: -32602 });
    const listed = async (archived?: string) => {
      const { sessions } = await zed.agent.request("session/list", archived === undefined ? {} : { archived });
      return sessions.map((session) => [session.sessionId, session.title, session.archived]);
    };
    for (const _again of [1, 2]) await zed.agent.request("session/archive", { sessionId });
    assert.deepEqual(await listed("only"), [[sessionId, title, true]]);
    assert.deepEqual(
      (await listed()).map(([id]) => id),
      [fork.sessionId],
    );
    assert.deepEqual(
      (await listed("include")).map(([id]) => id),
      [fork.sessionId],
    );
    const { nextCursor } = await zed.agent.request("session/list", { archived: "include" });
    const rest = await zed.agent.request("session/list", { archived: "include", cursor: nextCursor ?? "" });
    assert.deepEqual([rest.sessions.map((session) => session.sessionId), rest.nextCursor], [[sessionId], null]);
    await assert.rejects(listed("sometimes"), { code: -32602 });
    for (const _again of [1, 2]) await zed.agent.request("session/unarchive", { sessionId });
    assert.deepEqual([await listed("only"), (await listed()).length], [[], 2]);
    const nobody = "01a00000-0000-7000-8000-000000000000";
    for (const method of ["session/archive", "session/unarchive"] as const)
      await assert.rejects(zed.agent.request(method, { sessionId: nobody }), { code: -32002 }, method);
    await assert.rejects(zed.agent.request("session/fork", { sessionId: nobody, cwd: workspace }), { code: -32002 });
  },
  memory,
);

verifies(
  "acp.list",
  async ({ home, workspace }) => {
    await using zed = await editor(home, { turns: [["One."]] });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "remember the plum");
    const { sessions } = await zed.agent.request("session/list", { cwd: workspace });
    assert.deepEqual(
      sessions.map((session) => [session.sessionId, session.cwd, session.title]),
      [[sessionId, workspace, "remember the plum"]],
    );
    assert.deepEqual((await zed.agent.request("session/list", { cwd: home })).sessions, []);
    await zed.agent.request("session/close", { sessionId });
    await assert.rejects(zed.prompt(sessionId, "x"), { code: -32002 });
    await zed.agent.request("session/delete", { sessionId });
    assert.deepEqual((await zed.agent.request("session/list", {})).sessions, []);
  },
  memory,
);

verifies(
  "acp.load",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [[{ reason: "Hm" }, { run: "echo hi" }, "Plum."], ["Still plum, after {{user}}."]],
      config: never,
    });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "which fruit?");
    await zed.agent.request("session/close", { sessionId });
    zed.updates.length = 0;
    const loaded = await zed.agent.request("session/load", { sessionId, cwd: workspace, mcpServers: [] });
    assert.equal(loaded.modes?.currentModeId, "full-access");
    assert.equal(zed.text("user_message_chunk"), "which fruit?");
    assert.equal(zed.text("agent_message_chunk"), "Plum.");
    assert.deepEqual(
      zed.of("tool_call").map(({ status, kind }) => [status, kind]),
      [["completed", "execute"]],
    );
    await zed.prompt(sessionId, "sure");
    assert.match(zed.text("agent_message_chunk"), /Still plum, after sure\.$/);
    zed.updates.length = 0;
    await zed.agent.request("session/resume", { sessionId, cwd: workspace });
    assert.equal(zed.of("agent_message_chunk").length, 0, "resume repeats nothing");
    await assert.rejects(
      zed.agent.request("session/load", { sessionId: "01a00000-0000-7000-8000-000000000000", cwd: workspace, mcpServers: [] }),
      { code: -32002 },
    );
  },
  memory,
);

verifies(
  "acp.loadUnused",
  async ({ home, workspace }) => {
    const config = 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n';
    const turns = [["You said {{user}}."]];
    let sessionId = "";
    {
      await using zed = await editor(home, { turns, config });
      sessionId = await zed.session(workspace);
    }
    await using again = await editor(home, undefined);
    assert.deepEqual((await again.agent.request("session/list", {})).sessions, [], "nothing was said, so there is nothing to show");
    const loaded = await again.agent.request("session/load", { sessionId, cwd: workspace, mcpServers: [] });
    assert.equal(loaded.modes?.currentModeId, "auto");
    assert.equal(await again.prompt(sessionId, "hello"), "end_turn");
    assert.equal(again.text("agent_message_chunk"), "You said hello.");
    const { sessions } = await again.agent.request("session/list", {});
    assert.deepEqual(
      sessions.map(({ sessionId: id, title }) => [id, title]),
      [[sessionId, "hello"]],
    );
  },
  memory,
);

verifies(
  "acp.ownCommands",
  async ({ home, workspace }) => {
    await using zed = await editor(home, {
      turns: [["One."], ["A summary."], [{ say: '{"findings":[],"overall_explanation":"Looks fine."}' }]],
      clientCapabilities: { session: { compaction: {} } },
    });
    const sessionId = await zed.session(workspace);
    await zed.prompt(sessionId, "begin");
    assert.equal(await zed.prompt(sessionId, "/compact"), "end_turn");
    assert.deepEqual(
      zed.of("compaction_update").map(({ status }) => status),
      ["in_progress", "completed"],
    );
    assert.equal(await zed.prompt(sessionId, "/review only the names"), "end_turn");
    assert.match(zed.text("agent_message_chunk"), /Looks fine/);
  },
  memory,
);

verifies(
  "acp.undo",
  async ({ home, workspace }) => {
    const patch = "*** Begin Patch\n*** Add File: made.txt\n+new\n*** End Patch";
    await using zed = await editor(home, { turns: [["One."], [{ patch }, "Two."], [{ patch }, "Three."]], config: never });
    const sessionId = await zed.session(workspace);
    const file = path.join(workspace, "made.txt");
    for (const text of ["begin", "make it"]) await zed.prompt(sessionId, text);
    assert.equal(await zed.prompt(sessionId, "/undo"), "end_turn");
    assert.match(zed.text("agent_message_chunk"), /no part of the conversation any more; its files stay/);
    assert.ok(existsSync(file));
    rmSync(file);
    await zed.prompt(sessionId, "make it again");
    assert.ok(existsSync(file));
    assert.equal(await zed.prompt(sessionId, "/undo files"), "end_turn");
    assert.ok(!existsSync(file), "the turn's files are back as they were");
    await assert.rejects(zed.prompt(sessionId, "/undo all of it"), /takes `files` or nothing/);
  },
  memory,
);

verifies(
  "acp.keepsMode",
  async ({ home, workspace }) => {
    const left: string[] = [];
    {
      await using zed = await editor(home, { turns: [["one"]], config: never });
      left.push(await zed.session(workspace), await zed.session(workspace));
      await zed.prompt(left[0] ?? "", "hello"); // the other one has no messages
      for (const sessionId of left) await zed.agent.request("session/set_mode", { sessionId, modeId: "read-only" });
    }
    await using zed = await editor(home, undefined);
    for (const sessionId of left) {
      const loaded = await zed.agent.request("session/load", { sessionId, cwd: workspace, mcpServers: [] });
      assert.equal(loaded.modes?.currentModeId, "read-only");
    }
  },
  memory,
);
