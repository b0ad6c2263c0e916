/** Editors over the Agent Client Protocol: the editor's terminals, and terminals that only show a sandboxed command's output. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { editor } from "../../support/acp-client.ts";
import { StandInTerminals } from "../../support/acp-terminals.ts";
import { verifies } from "../../support/verifies.ts";

const memory = { legs: ["memory"] as const };
const full = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n';
const confined = 'approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n';
const clientCapabilities = { terminal: true };
const terminalOf = (update: SessionUpdate | undefined): string | undefined => {
  const [first] = (update !== undefined && "content" in update && Array.isArray(update.content) ? update.content : []) as {
    type: string;
    terminalId?: string;
  }[];
  return first?.type === "terminal" ? first.terminalId : undefined;
};

verifies(
  "acp.terminals",
  async ({ home, workspace }) => {
    const terminals = new StandInTerminals();
    const run = "pwd; while [ ! -e go ]; do sleep 0.02; done; echo late; exit 3";
    await using zed = await editor(home, { turns: [[{ run }, "{{output}}"]], config: full, clientCapabilities, terminals });
    const prompt = zed.prompt(await zed.session(workspace), "go");
    const shown = await zed.until((update) => terminalOf(update) !== undefined);
    assert.equal(terminalOf(shown), "term-1");
    assert.equal(terminals.created[0]?.cwd, workspace);
    assert.ok(terminals.created[0]?.env?.some(({ name }) => name === "PATH"));
    writeFileSync(path.join(workspace, "go"), "");
    await prompt;
    const ended = zed.of("tool_call_update").at(-1);
    assert.equal(terminalOf(ended), "term-1", "the terminal is still what is shown");
    assert.equal(ended?.status, "failed");
    assert.match(JSON.stringify(ended?.rawOutput), /"exitCode":3/);
    assert.match(zed.text("agent_message_chunk"), new RegExp(`${workspace}\\s+late`), "the model reads the output");
    assert.equal(terminals.open, 0, "released");
    assert.ok(
      zed.of("tool_call_update").every((update) => !JSON.stringify(update.content ?? "").includes("late")),
      "its output is not sent as text as well",
    );
  },
  memory,
);

verifies(
  "acp.terminals",
  async ({ home, workspace }) => {
    const terminals = new StandInTerminals();
    const escalated = { run: "echo $$ > pid", with: { sandbox_permissions: "require_escalated", justification: "outside" } };
    await using zed = await editor(home, {
      ...{ turns: [[escalated, "Done."]], config: confined, clientCapabilities, terminals },
      permit: () => "accept",
    });
    await zed.prompt(await zed.session(workspace), "go");
    assert.equal(zed.asked.length, 1, "asked first");
    assert.equal(terminals.created.length, 1, "approved to leave the sandbox, it runs in the editor");
    assert.match(readFileSync(path.join(workspace, "pid"), "utf8"), /^\d+\n$/);
  },
  memory,
);

verifies(
  "acp.terminalsOnlyOutside",
  async ({ home, workspace }) => {
    const terminals = new StandInTerminals();
    {
      await using zed = await editor(home, {
        turns: [[{ run: "echo inside" }, "{{output}}"]],
        config: confined,
        clientCapabilities,
        terminals,
      });
      await zed.prompt(await zed.session(workspace), "go");
      assert.match(zed.text("agent_message_chunk"), /inside/);
    }
    await using plain = await editor(home, { turns: [[{ run: "echo without" }, "{{output}}"]], config: full, terminals });
    await plain.prompt(await plain.session(workspace), "go");
    assert.match(plain.text("agent_message_chunk"), /without/);
    assert.deepEqual(terminals.calls, []);
  },
  memory,
);

verifies(
  "acp.terminalKilled",
  async ({ home, workspace }) => {
    const terminals = new StandInTerminals();
    const turns = [
      [{ run: "echo begun; exec sleep 60" }, "Done."],
      [{ run: "echo here; exec sleep 60", with: { yield_time_ms: 1500 } }, "{{output}}"],
    ];
    await using zed = await editor(home, { turns, config: full, clientCapabilities, terminals });
    const sessionId = await zed.session(workspace);
    const prompt = zed.prompt(sessionId, "go");
    await zed.until((update) => terminalOf(update) !== undefined);
    await zed.agent.notify("session/cancel", { sessionId });
    assert.equal(await prompt, "cancelled");
    assert.deepEqual([terminals.calls.filter((call) => call === "kill").length, terminals.open], [1, 0]);
    await zed.prompt(sessionId, "and again");
    assert.match(zed.text("agent_message_chunk"), /Process running.*here/s, "a command that runs on shows what it wrote so far");
    assert.equal(terminals.open, 1);
  },
  memory,
);

verifies(
  "acp.terminalGone",
  async ({ home, workspace }) => {
    const refusing = new StandInTerminals({ refuses: ["create"] });
    const run = "echo ran >> runs; echo here";
    await using zed = await editor(home, { turns: [[{ run }, "{{output}}"]], config: full, clientCapabilities, terminals: refusing });
    await zed.prompt(await zed.session(workspace), "go");
    assert.match(zed.text("agent_message_chunk"), /here/, "the editor said no, so that it runs here");
    assert.equal(readFileSync(path.join(workspace, "runs"), "utf8"), "ran\n");
  },
  memory,
);

verifies(
  "acp.terminalGone",
  async ({ home, workspace }) => {
    const terminals = new StandInTerminals({ silent: ["create"] });
    await using zed = await editor(home, { turns: [[{ run: "touch ran" }, "Done."]], config: full, clientCapabilities, terminals });
    const sessionId = await zed.session(workspace);
    const prompt = zed.prompt(sessionId, "go");
    await zed.until(({ sessionUpdate }) => sessionUpdate === "tool_call");
    await zed.agent.notify("session/cancel", { sessionId });
    assert.equal(await prompt, "cancelled", "an editor that never answers does not hold up a cancel");
    assert.ok(!existsSync(path.join(workspace, "ran")));
  },
  memory,
);

verifies(
  "acp.shownTerminals",
  async ({ home, workspace }) => {
    const run = "echo early; while [ ! -e go ]; do sleep 0.02; done; echo late; exit 4";
    const shows = { terminal: true, _meta: { terminal_output: true } };
    const terminals = new StandInTerminals();
    await using zed = await editor(home, {
      ...{ turns: [[{ run }, "Done."]], config: confined.replace("on-request", "untrusted"), clientCapabilities: shows, terminals },
      permit: () => "accept",
    });
    const prompt = zed.prompt(await zed.session(workspace), "go");
    const early = await zed.until((update) => JSON.stringify(update._meta ?? "").includes("early"));
    writeFileSync(path.join(workspace, "go"), "");
    await prompt;
    const [begun] = zed.of("tool_call");
    const id = begun?.toolCallId ?? "";
    assert.equal(terminalOf(begun), id);
    assert.deepEqual(begun?._meta, { terminal_info: { terminal_id: id, cwd: workspace } });
    assert.equal(terminalOf(early), id, "shown again after the question");
    const output = zed.of("tool_call_update").map(({ _meta }) => (_meta?.["terminal_output"] as { data: string } | undefined)?.data ?? "");
    assert.equal(output.join(""), "early\nlate\n", "each piece once");
    const ended = zed.of("tool_call_update").at(-1);
    assert.deepEqual(ended?._meta, { terminal_exit: { terminal_id: id, exit_code: 4, signal: null } });
    assert.equal(terminalOf(ended), id);
    assert.deepEqual(terminals.calls, [], "it ran in the sandbox");
  },
  memory,
);
