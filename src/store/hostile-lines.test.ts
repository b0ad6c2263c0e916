/** Lines of any shape, as a broken or malicious program might write them: a thread stays readable. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { replay } from "../core/replay.ts";
import { readRollout } from "./rollout.ts";

const kinds = ["session_meta", "turn_context", "response_item", "compacted", "event_msg", "world_state", "odd"];
const inner = [
  ...[
    "user_message",
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "token_count",
    "task_started",
    "task_complete",
    "turn_aborted",
  ],
  ...[
    "thread_rolled_back",
    "context_compacted",
    "entered_review_mode",
    "exited_review_mode",
    "item_completed",
    "patch_apply_end",
    "mcp_tool_call_end",
  ],
  ...[
    "exec_command_end",
    "web_search_end",
    "view_image_tool_call",
    "image_generation_end",
    "thread_settings_applied",
    "message",
    "reasoning",
  ],
  ...["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call", "web_search_call"],
  ...[
    "UserMessage",
    "AgentMessage",
    "Reasoning",
    "CommandExecution",
    "FileChange",
    "McpToolCall",
    "DynamicToolCall",
    "WebSearch",
    "ImageView",
    "Plan",
  ],
];
const fields = [
  ...[
    "id",
    "type",
    "turn_id",
    "root_turn_id",
    "item_id",
    "call_id",
    "item",
    "message",
    "text",
    "content",
    "images",
    "local_images",
    "text_elements",
    "info",
  ],
  ...[
    "arguments",
    "name",
    "namespace",
    "input",
    "output",
    "action",
    "command",
    "changes",
    "result",
    "invocation",
    "duration",
    "error",
    "num_turns",
    "cwd",
  ],
  ...[
    "path",
    "summary",
    "role",
    "replacement_history",
    "history_base",
    "source",
    "git",
    "base_instructions",
    "dynamic_tools",
    "collaboration_mode",
  ],
  ...[
    "sandbox_policy",
    "approval_policy",
    "thread_settings",
    "status",
    "review_output",
    "target",
    "parsed_cmd",
    "query",
    "agents_states",
    "thread_id",
  ],
];
const hostileValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(
      null,
      true,
      -1,
      1e300,
      "",
      "x",
      "../..",
      "\0",
      "file:///%zz",
      "file://host/x",
      "*** Begin Patch\n*** Add File: \0\n+x",
    ),
    fc.constantFrom<unknown>(
      "__proto__",
      "shell",
      "exec_command",
      "apply_patch",
      "mcp__a__b",
      "view_image",
      "dyn",
      '{"command":["bash","-lc",5]}',
      "t1",
      "t2",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fields, "set", "drop", "inner", "Ok", "Err", "__proto__"), tie("value"), { maxKeys: 5 }),
  ),
})).value;
const hostilePayload = fc
  .tuple(fc.constantFrom(...inner), fc.dictionary(fc.constantFrom(...fields), hostileValue, { maxKeys: 7 }))
  .map(([type, rest]) => ({ ...rest, type }));
const hostileLine = fc
  .record(
    {
      timestamp: fc.constantFrom<unknown>("2026-11-15T08:00:00.000Z", "never", 5),
      type: fc.constantFrom(...kinds),
      payload: fc.oneof(hostilePayload, hostileValue),
      parley: hostileValue,
      ordinal: hostileValue,
    },
    { requiredKeys: ["type", "payload"] },
  )
  .map((line) => JSON.stringify(line));

test("no line of any shape makes a thread unreadable", async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "parley-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "rollout.jsonl");
  const first = JSON.stringify({
    timestamp: "2026-11-15T08:00:00.000Z",
    type: "session_meta",
    payload: { id: "01a1de79-0000-7000-8000-0000000000aa", cwd: "/ws" },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(hostileLine, { maxLength: 30 }), async (lines) => {
      writeFileSync(file, `${first}\n${lines.join("\n")}\n`);
      const { meta } = replay(await readRollout(file, async () => undefined));
      assert.equal(meta?.cwd, "/ws");
    }),
    { numRuns: 400 },
  );
});
