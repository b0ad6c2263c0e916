/** Calls as weak models write them: those with one possible meaning are accepted, all others are refused with the right form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredCall, unknownTool } from "../core/model/find-tool.ts";
import type { ModelItem } from "../core/ports/model-client.ts";
import type { ThreadSettings } from "../core/ports/settings.ts";
import { type Action, badArguments, type Tool, type ToolOutput } from "../core/ports/tool.ts";
import { applyPatchFunction } from "./apply-patch.ts";
import { edit, write } from "./edit.ts";
import { execCommand } from "./exec-command.ts";
import { shell } from "./shell.ts";
import { shellCommand } from "./shell-command.ts";
import { updatePlan } from "./update-plan.ts";
import { viewImage } from "./view-image.ts";
import { writeStdin } from "./write-stdin.ts";

const settings = { cwd: "/ws" } as unknown as ThreadSettings;
const silent = (tool: Tool): Tool => ({ ...tool, silent: true });
const tools: readonly Tool[] = [
  ...[execCommand("/bin/sh"), writeStdin, silent(shellCommand("/bin/sh")), silent(shell("/bin/sh"))],
  ...[edit, write, silent(applyPatchFunction), updatePlan, viewImage(async () => "")],
];

/** The result of a call, as core handles it. */
function planned(name: string, text: string, among = tools): Action | ToolOutput {
  const item: ModelItem = { type: "function_call", call_id: "c", name, arguments: text };
  const { call, tool } = offeredCall(item, among);
  if (tool === undefined) return unknownTool(call, among);
  if (call.args === undefined && tool.takesText !== true) return badArguments("not valid JSON", tool);
  return tool.plan(call, settings);
}

/** The script that runs, or the error message for the model. */
function scriptOf(name: string, text: string): string {
  const result = planned(name, text);
  if ("success" in result) return result.kind === "text" ? `REFUSED ${result.text}` : "REFUSED";
  assert.ok(result.kind === "command");
  return result.argv[0] === "/bin/sh" && result.argv.length === 3 ? (result.argv[2] ?? "") : JSON.stringify(result.argv);
}

const commands: readonly (readonly [name: string, args: string, script: string])[] = [
  ["exec_command", '{"cmd":"ls -a"}', "ls -a"],
  ["exec_command", '{"cmd":["ls","-a b"]}', "ls '-a b'"],
  ["exec_command", '{"command":"ls -a"}', "ls -a"],
  ["exec_command", '{"script":"ls -a"}', "ls -a"],
  ["exec_command", '{"cmd":"ls","yield_time_ms":"5000"}', "ls"],
  ["exec_command", '{"cmd":"ls","login":"false"}', "ls"],
  ["exec_command", '{"cmd":"ls","yield_time_ms":5000.5}', "ls"],
  ["exec_command", '{"cmd":"ls","workdir":null,"max_output_tokens":""}', "ls"],
  ["exec_command", '"{\\"cmd\\":\\"ls\\"}"', "ls"],
  ["exec_command", '{"cmd":"ls",}', "ls"],
  ["exec_command", '{"cmd":"ls"', "ls"],
  ["exec_command", '{"cmd":"ls"}}', "ls"],
  ["exec_command", "{'cmd': 'ls', 'tty': False}", "ls"],
  ["exec_command", '```json\n{"cmd":"ls"}\n```', "ls"],
  ["exec_command", '{"cmd":"echo a\necho b"}', "echo a\necho b"],
  ["exec_command", '"ls -a"', "ls -a"],
  ["exec_command", '{cmd: "ls"}', "ls"],
  ["exec_command", '{}{"cmd":"ls"}', "ls"],
  ["exec_command", '{"arguments":{"cmd":"ls"}}', "ls"],
  ["exec_command", '{"name":"exec_command","arguments":"{\\"cmd\\":\\"ls\\"}"}', "ls"],
  ["exec_command", '{"cmd":"grep \\d \\$HOME"}', "grep \\d \\$HOME"],
  ["exec_command", '{"CMD":"ls"}', "ls"],
  ["bash", '{"command":"ls","description":"lists"}', "ls"],
  ["Bash", '{"command":"ls"}', "ls"],
  ["run_shell_command", '{"command":"ls","directory":"sub"}', "ls"],
  ["functions.exec_command", '{"cmd":"ls"}', "ls"],
  ["functions.exec_command:0", '{"cmd":"ls"}', "ls"],
  ["EXEC_COMMAND", '{"cmd":"ls"}', "ls"],
  ["execCommand", '{"cmd":"ls"}', "ls"],
  ["exec-command", '{"cmd":"ls"}', "ls"],
  ["exec_command<|channel|>commentary", '{"cmd":"ls"}', "ls"],
  ["shell", '{"command":"[\\"ls\\",\\"-a\\"]"}', '["ls","-a"]'],
  ["shell", '{"command":"ls -a"}', "ls -a"],
  ["shell_command", '{"cmd":"ls"}', "ls"],
];

test("a command is run as intended, however it is wrapped", () => {
  for (const [name, args, script] of commands) assert.equal(scriptOf(name, args), script, `${name} ${args}`);
});

test("a call that may be truncated or ambiguous runs nothing", () => {
  for (const args of [
    '{"cmd":"rm -rf /tmp/x', // the string is not closed: the rest of the path may be missing
    '{"cmd":"rm -rf x","workd',
    '{"cmd":"rm -rf x",',
    '{"cmd":"echo "hi""}',
    "{'cmd': 'echo it's'}",
    "ls -a",
    '{"cmd":{"a":1}}',
    '{"cmd":""}',
    "[]",
    "null",
    "",
  ])
    assert.match(scriptOf("exec_command", args), /^REFUSED failed to parse function arguments/, args);
});

test("a refusal names the available tools, or the schema", () => {
  assert.match(
    scriptOf("frobnicate", "{}"),
    /^REFUSED unsupported call: frobnicate\nThe tools are: exec_command, write_stdin, edit, write, /,
  );
  assert.doesNotMatch(scriptOf("frobnicate", "{}"), /apply_patch|shell_command/);
  assert.match(scriptOf("write_stdn", "{}"), /Did you mean write_stdin\?/);
  assert.match(scriptOf("exec_command", "{}"), /schema: \{"type":"object","properties":\{"cmd":/);
});

test("files are changed under the names that other agents use", () => {
  const change = (name: string, args: object): unknown => {
    const result = planned(name, JSON.stringify(args));
    return "success" in result ? result : result.kind === "patch" && "changes" in result ? result.changes[0] : result;
  };
  const replace = { op: "replace", path: "a", oldText: "x", newText: "y", all: false };
  assert.deepEqual(change("edit", { path: "a", old_text: "x", new_text: "y" }), replace);
  assert.deepEqual(change("Edit", { file_path: "a", old_string: "x", new_string: "y", replace_all: "true" }), { ...replace, all: true });
  assert.deepEqual(change("str_replace", { path: "a", oldStr: "x", new_str: "y" }), replace);
  assert.deepEqual(change("Write", { file_path: "a", content: "y" }), { op: "write", path: "a", content: "y" });
  assert.deepEqual(change("write_file", { file_path: "a", content: 5 }), { op: "write", path: "a", content: "5" });
  assert.ok("success" in (planned("edit", '{"path":"a","old_text":"x","new_text":"x"}') as object));
  for (const text of ["*** Begin Patch", '{"patch":"*** Begin Patch"}', '["apply_patch","*** Begin Patch"]'])
    assert.deepEqual(planned("apply_patch", text), { kind: "patch", patch: "*** Begin Patch", cwd: "/ws" });
});

test("plans and terminals are accepted with common mistakes too", () => {
  for (const args of [
    '{"plan":"[{\\"step\\":\\"a\\",\\"status\\":\\"pending\\"}]"}',
    '{"plan":[{"step":"a","status":"done"}]}',
    '{"plan":[{"step":"a","status":"In Progress"}]}',
    '{"todos":[{"content":"a","status":"in_progress","id":"1"}]}',
    '{"plan":["a"]}',
  ])
    assert.equal((planned("update_plan", args) as Action).kind, "direct", args);
  assert.deepEqual(planned("write_stdin", '{"session_id":"3","chars":"y\\n"}'), {
    kind: "stdin",
    sessionId: 3,
    chars: "y\n",
    yieldMs: 250,
  });
});

test("polling a running command waits at least five seconds, and a command has two minutes", () => {
  assert.deepEqual(planned("write_stdin", '{"session_id":3,"yield_time_ms":10}'), {
    kind: "stdin",
    sessionId: 3,
    chars: "",
    yieldMs: 5000,
  });
  const line = planned("shell_command", '{"command":"ls"}');
  assert.equal("kind" in line && line.kind === "command" ? line.timeoutMs : 0, 120_000);
});

test("a name that two tools could mean is not guessed", () => {
  const own = (name: string): Tool => ({
    name,
    face: { type: "function", description: "", parameters: {} },
    plan: () => ({ kind: "text", text: name, success: true }),
  });
  const both = [own("getUser"), own("get_user"), own("bash"), ...tools];
  assert.match(JSON.stringify(planned("GetUser", "{}", both)), /unsupported call/);
  assert.match(JSON.stringify(planned("getUser", "{}", both)), /"getUser"/);
  assert.match(JSON.stringify(planned("bash", "{}", both)), /"bash"/, "a tool of that name comes before a nickname");
});

test("no text makes the parser throw, and prototype keys stay data", () => {
  for (const text of [
    '{"__proto__":{"cmd":"x"}}',
    `${"[".repeat(10_000)}`,
    `{"cmd":${'{"a":'.repeat(200)}`,
    '{"constructor":1,"cmd":"ls"}',
  ])
    assert.doesNotThrow(() => planned("exec_command", text));
  assert.match(scriptOf("exec_command", '{"__proto__":{"cmd":"x"}}'), /REFUSED/);
});
