/** The older event stream: each type that its document lists, except responses to operations that this API never had. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../support/process.ts";
import { v1Client } from "../../support/v1-client.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

const free = { approvalPolicy: "never", sandbox: "danger-full-access" };
const patch = "*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch";

/** Runs one turn and returns its events by type. */
async function play(stage: Stage, options: StageOptions, params: Record<string, unknown> = free) {
  const client = await v1Client(stage, options);
  await client.open({ cwd: stage.workspace, ...params });
  const events = await client.say("go");
  client.check();
  const of = (type: string): Message => {
    const found = events.find((msg) => msg.type === type);
    assert.ok(found, `${type} among ${events.map((msg) => msg.type)}`);
    return found;
  };
  return { client, events, of };
}

verifies("v1.events.message", async (stage) => {
  const { of, events } = await play(stage, { turns: [[{ say: "Hello there.", deltas: 2 }]] });
  assert.equal(of("task_started").collaboration_mode_kind, "default");
  assert.deepEqual(
    { ...of("user_message"), kind: undefined },
    {
      type: "user_message",
      message: "go",
      images: [],
      local_images: [],
      localImages: [],
      text_elements: [],
      textElements: [],
      kind: undefined,
    },
  );
  assert.equal(
    events
      .filter((msg) => msg.type === "agent_message_delta")
      .map((msg) => msg.delta)
      .join(""),
    "Hello there.",
  );
  assert.equal(of("agent_message").message, "Hello there.");
  const { info } = of("token_count");
  assert.deepEqual(Object.keys(info.total_token_usage).sort(), Object.keys(info.totalTokenUsage).sort());
  assert.equal(info.total_token_usage.total_tokens, info.totalTokenUsage.totalTokens);
  assert.ok("model_context_window" in info && "modelContextWindow" in info);
  assert.deepEqual(of("task_complete"), { type: "task_complete", last_agent_message: "Hello there.", lastAgentMessage: "Hello there." });
});

verifies("v1.events.reasoning", async (stage) => {
  const { of, events } = await play(stage, {
    turns: [[{ reason: ["First", "Second"], raw: "because" }, "Done."]],
    config: "show_raw_agent_reasoning = true\n",
  });
  assert.equal(
    events
      .filter((msg) => msg.type === "agent_reasoning_delta")
      .map((msg) => msg.delta)
      .join(""),
    "FirstSecond",
  );
  assert.deepEqual(
    events.filter((msg) => msg.type === "agent_reasoning").map((msg) => msg.text),
    ["First", "Second"],
  );
  const indexes = (type: string) => events.filter((msg) => msg.type === type).map((msg) => msg.summary_index);
  assert.deepEqual(indexes("agent_reasoning_section_break"), [0, 1]);
  assert.deepEqual([...new Set(indexes("reasoning_content_delta"))], [0, 1]);
  assert.equal(of("reasoning_raw_content_delta").content_index, 0);
  assert.equal(of("agent_reasoning_raw_content_delta").delta.length > 0, true);
  assert.equal(of("agent_reasoning_raw_content").text, "because");
});

verifies("v1.events.command", async (stage) => {
  const { of, events } = await play(stage, { turns: [[{ run: "printf out; printf err >&2; exit 3", id: "c1" }, "Done."]] });
  const begin = of("exec_command_begin");
  assert.equal(begin.call_id, "c1");
  assert.equal(begin.callId, "c1");
  assert.ok(begin.command.at(-1).includes("printf out"));
  assert.equal(begin.cwd, stage.workspace);
  assert.ok(Array.isArray(begin.parsed_cmd) && Array.isArray(begin.parsedCmd));
  const output = events.filter((msg) => msg.type === "exec_command_output_delta");
  assert.equal(output.map((msg) => Buffer.from(msg.chunk, "base64").toString()).join(""), "outerr");
  const streamed = (name: string): string =>
    output.flatMap((msg) => (msg.stream === name ? [Buffer.from(msg.chunk, "base64").toString()] : [])).join("");
  assert.deepEqual([streamed("stdout"), streamed("stderr")], ["out", "err"]);
  const end = of("exec_command_end");
  assert.equal(end.exit_code, 3);
  assert.equal(end.exitCode, 3);
  assert.equal(end.aggregated_output, "outerr");
  assert.equal(end.aggregatedOutput, "outerr");
  assert.equal(typeof end.duration.secs, "number");
  assert.equal(typeof end.durationMs, "number");
  assert.deepEqual([end.stdout, end.stderr, end.formatted_output], ["out", "err", "outerr"]);
});

verifies("v1.events.bytes", async (stage) => {
  const { of, events } = await play(stage, {
    turns: [[{ run: "printf 'a\\377b'; printf '\\342\\202'; sleep 0.1; printf '\\254'; printf '\\300c' >&2", id: "c1" }, "Done."]],
  });
  const output = events.filter((msg) => msg.type === "exec_command_output_delta");
  const streamed = (name: string): string =>
    Buffer.concat(output.flatMap((msg) => (msg.stream === name ? [Buffer.from(msg.chunk, "base64")] : []))).toString("latin1");
  assert.deepEqual([streamed("stdout"), streamed("stderr")], ["a\xffb\xe2\x82\xac", "\xc0c"]);
  const end = of("exec_command_end");
  assert.deepEqual([end.stdout, end.stderr], ["a\ufffdb€", "\ufffdc"], "as text at the end");
});

verifies("v1.events.patch", async (stage) => {
  const { of } = await play(stage, { turns: [[{ patch, id: "p1" }, "Done."]] });
  const file = path.join(stage.workspace, "new.txt");
  const begin = of("patch_apply_begin");
  assert.equal(begin.auto_approved, true);
  assert.deepEqual(begin.changes, { [file]: { type: "add", content: "hi\n" } });
  const end = of("patch_apply_end");
  assert.equal(end.success, true);
  assert.equal(end.stdout, "Success. Updated the following files:\nA new.txt\n");
  assert.match(of("turn_diff").unified_diff, /\+hi/);
  assert.equal(of("turn_diff").unifiedDiff, of("turn_diff").unified_diff);
});

verifies("v1.events.update", async (stage) => {
  writeFileSync(path.join(stage.workspace, "a.txt"), "one\ntwo\n");
  const edit = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+three\n*** End Patch";
  const { of } = await play(stage, { turns: [[{ patch: edit }, "Done."]] });
  const change = of("patch_apply_begin").changes[path.join(stage.workspace, "a.txt")];
  assert.equal(change.type, "update");
  assert.equal(change.unified_diff, "@@ -1,2 +1,2 @@\n one\n-two\n+three\n", "the hunks alone; where it went stands beside them");
  assert.equal(change.unified_diff, change.unifiedDiff);
  assert.equal(change.move_path, path.join(stage.workspace, "b.txt"));
  assert.equal(change.movePath, change.move_path);
});

verifies("v1.events.plan", async (stage) => {
  const { of } = await play(stage, {
    turns: [
      [{ plan: [{ step: "look", status: "completed" }, { step: "write", status: "in_progress" }, "test"], explanation: "so" }, "Done."],
    ],
  });
  const { plan, explanation } = of("plan_update");
  assert.equal(explanation, "so");
  assert.deepEqual(plan, [
    { step: "look", status: "completed" },
    { step: "write", status: "in_progress" },
    { step: "test", status: "pending" },
  ]);
});

verifies("v1.events.search", async (stage) => {
  const { of } = await play(stage, { turns: [[{ search: "plums" }, "Done."]], config: 'web_search = "live"\n' });
  assert.equal(of("web_search_begin").call_id, of("web_search_end").call_id);
  assert.equal(of("web_search_end").query, "plums");
});

verifies("v1.events.mcp", async (stage) => {
  const fixture = path.join(root, "test/support/mcp-fixture.ts");
  const config = `[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}]\n`;
  const { of } = await play(stage, { turns: [[{ call: "mcp__notes__read", with: { name: "plum" }, id: "m1" }, "Done."]], config });
  assert.deepEqual(of("mcp_tool_call_begin").invocation, { server: "notes", tool: "read", arguments: { name: "plum" } });
  const end = of("mcp_tool_call_end");
  assert.equal(end.callId, "m1");
  assert.deepEqual(end.result.Ok.content, [{ type: "text", text: "plum: nothing" }]);
});

verifies("v1.events.errors", async (stage) => {
  const again = { fail: { kind: "internalServerError", retry: { after: 1 } } };
  const { of } = await play(stage, { turns: [[{ warn: "mind the gap" }, again, { fail: { kind: "badRequest", message: "no" } }]] });
  assert.equal(of("background_event").message, "mind the gap");
  assert.match(of("stream_error").message, /Reconnecting/);
  const error = of("error");
  assert.match(error.message, /no/);
  assert.equal(error.codex_error_info, "bad_request");
  assert.equal(error.codexErrorInfo, "bad_request");
});

verifies("v1.events.approvals", async (stage) => {
  const client = await v1Client(stage, {
    turns: [
      [{ run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "it must" }, id: "c1" }, "Done."],
      [{ patch, id: "p1" }, "Done."],
    ],
  });
  await client.open({ cwd: stage.workspace, approvalPolicy: "on-request", sandbox: "read-only" });
  const command = client.answer("execCommandApproval", { decision: "approved" });
  await client.say("run");
  const asked = await command;
  assert.equal(asked.conversationId, client.conversationId);
  assert.equal(asked.callId, "c1");
  assert.equal(asked.cwd, stage.workspace);
  assert.equal(asked.reason, "it must");
  assert.ok(asked.command.at(-1).includes("touch ran"));
  assert.ok(Array.isArray(asked.parsedCmd));
  const announced = await client.event("exec_approval_request");
  assert.deepEqual([announced.call_id, announced.callId, announced.command], ["c1", "c1", asked.command]);
  const edit = client.answer("applyPatchApproval", { decision: "approved" });
  const events = await client.say("edit");
  const file = path.join(stage.workspace, "new.txt");
  assert.deepEqual((await edit).fileChanges, { [file]: { type: "add", content: "hi\n" } });
  const types = events.map((msg) => msg.type);
  assert.ok(types.indexOf("patch_apply_begin") < types.indexOf("apply_patch_approval_request"));
  assert.equal(events.find((msg) => msg.type === "patch_apply_begin").auto_approved, false);
  client.check();
});

verifies("v1.events.declined", async (stage) => {
  for (const name of ["b.txt", "c.txt"]) writeFileSync(path.join(stage.workspace, name), "one\n");
  const three = "*** Begin Patch\n*** Delete File: b.txt\n*** Update File: c.txt\n@@\n-one\n+two\n*** Add File: d.txt\n+new\n*** End Patch";
  const escalated = { run: "touch ran", with: { sandbox_permissions: "require_escalated", justification: "it must" } };
  const client = await v1Client(stage, {
    turns: [
      [escalated, { patch: three }, "No."],
      [{ patch: three }, "Yes."],
    ],
  });
  await client.open({ cwd: stage.workspace, approvalPolicy: "on-request", sandbox: "read-only" });
  const asked = [client.answer("execCommandApproval", { decision: "denied" }), client.answer("applyPatchApproval", { decision: "denied" })];
  const refused = await client.say("go");
  await Promise.all(asked);
  const command = refused.find((msg) => msg.type === "exec_command_end");
  const rejected = "exec command rejected by user";
  assert.deepEqual(
    [command.stdout, command.stderr, command.aggregated_output, command.formatted_output],
    ["", rejected, rejected, rejected],
  );
  assert.equal(command.exit_code, -1);
  const edit = refused.find((msg) => msg.type === "patch_apply_end");
  assert.deepEqual([edit.success, edit.stdout, edit.stderr], [false, "", "patch rejected by user"]);
  const events = await client.sayTurn({
    items: [{ type: "text", text: "now" }],
    cwd: stage.workspace,
    ...{ approvalPolicy: "never", sandboxPolicy: { type: "danger-full-access" }, model: "scripted" },
  });
  assert.equal(
    events.find((msg) => msg.type === "patch_apply_end").stdout,
    "Success. Updated the following files:\nA d.txt\nM c.txt\nD b.txt\n",
  );
  client.check();
});

verifies("v1.events.retry", async (stage) => {
  const { events } = await play(stage, { turns: [[{ disconnect: "half a se" }, "Whole."]] });
  assert.deepEqual(
    events.filter((msg) => msg.type === "agent_message").map((msg) => msg.message),
    ["Whole."],
  );
  assert.equal(events.at(-1).last_agent_message, "Whole.");
  const begun = events.filter((msg) => msg.type === "item_started" && msg.item.type === "AgentMessage").map((msg) => msg.item.content);
  assert.deepEqual(begun, [[], []], "nothing is said when a message begins");
});

verifies("v1.events.failed", async (stage) => {
  const { events } = await play(stage, { turns: [["So far.", { fail: { kind: "badRequest", message: "no" } }]] });
  assert.deepEqual(events.at(-1), { type: "task_complete", last_agent_message: null, lastAgentMessage: null });
});

verifies("v1.events.raw", async (stage) => {
  const turns = [[{ reason: "hm" }, { say: "One." }], [{ say: "Two." }]];
  const { events } = await play(stage, { turns });
  assert.ok(!events.some((msg) => msg.type === "raw_response_item"), "only where they are asked for");
  const client = await v1Client(stage);
  const { conversationId } = await client.call("newConversation", { cwd: stage.workspace, ...free });
  client.conversationId = conversationId;
  await client.call("addConversationListener", { conversationId, experimentalRawEvents: true });
  const raw = (await client.say("tell me")).filter((msg) => msg.type === "raw_response_item").map((msg) => msg.item);
  const texts = raw.flatMap((item) => (item.content ?? []).map((part: { text: string }) => part.text));
  assert.ok(texts.includes("tell me") && texts.at(-1) === "One.", JSON.stringify(raw));
  assert.ok(
    raw.some((item) => item.type === "reasoning"),
    "items that nobody sees otherwise",
  );
  client.check();
});

verifies("v1.events.abort", async (stage) => {
  const client = await v1Client(stage, { turns: [[{ run: "sleep 30" }, "Done."]] });
  await client.open({ cwd: stage.workspace, ...free });
  const turn = client.say("go");
  await client.event("exec_command_begin");
  assert.deepEqual(await client.call("interruptConversation", { conversationId: client.conversationId }), { abortReason: "interrupted" });
  const aborted = (await turn).at(-1);
  assert.deepEqual(aborted, { type: "turn_aborted", reason: "interrupted" });
  assert.match(await client.refused("interruptConversation", { conversationId: client.conversationId }), /no active turn/);
  client.check();
});

verifies("v1.events.review", async (stage) => {
  const verdict = JSON.stringify({
    findings: [],
    overall_correctness: "patch is correct",
    overall_explanation: "Fine.",
    overall_confidence_score: 1,
  });
  const client = await v1Client(stage, { turns: [[{ say: verdict }]] });
  await client.open({ cwd: stage.workspace, ...free });
  await client.call("review/start", { threadId: client.conversationId, target: { type: "custom", instructions: "the names" } });
  assert.deepEqual((await client.event("entered_review_mode")).target, { type: "custom", instructions: "the names" });
  assert.match((await client.event("entered_review_mode")).user_facing_hint, /the names/);
  assert.match((await client.event("exited_review_mode")).review_output.overall_explanation, /Fine\./);
  client.check();
});

verifies("v1.events.findings", async (stage) => {
  const code_location = { absolute_file_path: "/x/a.c", line_range: { start: 1, end: 2 } };
  const verdict = {
    findings: [{ title: "Off by one", body: "It is.", confidence_score: 0.5, priority: 1, code_location }],
    overall_correctness: "patch is incorrect",
    overall_explanation: "Mostly fine.",
    overall_confidence_score: 0.75,
  };
  const client = await v1Client(stage, {
    turns: [[{ say: `\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\`` }], [{ say: "No form." }], [{ say: "Good." }]],
  });
  await client.open({ cwd: stage.workspace, ...free });
  const targets = [{ type: "uncommittedChanges" }, { type: "baseBranch", branch: "main" }, { type: "commit", sha: "1234567", title: "x" }];
  const received = (type: string) => client.wire.received.filter(({ method }) => method === `codex/event/${type}`);
  for (const [i, target] of targets.entries()) {
    await client.call("review/start", { threadId: client.conversationId, target });
    await client.wire.until(() => received("task_complete").length > i, "the end of the review");
  }
  assert.deepEqual(
    received("entered_review_mode").map(({ params }) => params.msg.target),
    targets,
  );
  const [formed, freeForm] = received("exited_review_mode").map(({ params }) => params.msg.review_output);
  assert.deepEqual([formed.overall_explanation, formed.findings[0].title], ["Mostly fine.", "Off by one"]);
  assert.deepEqual(formed.findings[0].code_location.line_range, { start: 1, end: 2 });
  assert.deepEqual([freeForm.findings, freeForm.overall_explanation], [[], "No form."]);
  client.check();
});

verifies("v1.events.configured", async (stage) => {
  const client = await v1Client(stage, { turns: [["One."]] });
  await client.open({ cwd: stage.workspace, approvalPolicy: "on-request", sandbox: "workspace-write" });
  const configured = await client.event("session_configured");
  assert.equal(configured.session_id, client.conversationId);
  assert.equal(configured.sessionId, client.conversationId);
  assert.equal(configured.model, "scripted");
  assert.equal(configured.approval_policy, "on-request");
  assert.equal(configured.sandbox_policy.type, "workspace-write");
  assert.equal(configured.rollout_path, client.rolloutPath);
  client.check();
});
