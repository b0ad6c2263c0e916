/** Calls and patches as weak models write them: how many are understood as intended. The rest is ambiguous and refused. */
import { offeredCall } from "../../src/core/model/find-tool.ts";
import { parsePatch } from "../../src/core/patch/parse.ts";
import { updateText } from "../../src/core/patch/update.ts";
import type { ThreadSettings } from "../../src/core/ports/settings.ts";
import type { Tool } from "../../src/core/ports/tool.ts";
import { execCommand } from "../../src/tools/exec-command.ts";
import { shell } from "../../src/tools/shell.ts";
import { updatePlan } from "../../src/tools/update-plan.ts";

export interface ToleranceFigures {
  readonly calls: number;
  readonly callsAccepted: number;
  readonly patches: number;
  readonly patchesAccepted: number;
}

const tools: readonly Tool[] = [execCommand("/bin/sh"), { ...shell("/bin/sh"), silent: true }, updatePlan];
const settings = { cwd: "/ws" } as unknown as ThreadSettings;

/** Name, arguments, and the script that must run; undefined where it is enough that the call is accepted. */
const calls: readonly (readonly [name: string, args: string, script?: string])[] = [
  ["exec_command", '{"cmd":["ls","-a"]}', "ls -a"],
  ["exec_command", '{"command":"ls -a"}', "ls -a"],
  ["exec_command", '{"script":"ls -a"}', "ls -a"],
  ["exec_command", '{"cmd":"ls","yield_time_ms":"5000"}', "ls"],
  ["exec_command", '{"cmd":"ls","tty":"false"}', "ls"],
  ["exec_command", '{"cmd":"ls","yield_time_ms":5000.5}', "ls"],
  ["exec_command", '"{\\"cmd\\":\\"ls\\"}"', "ls"],
  ["exec_command", '{"cmd":"ls",}', "ls"],
  ["exec_command", '{"cmd":"ls"', "ls"],
  ["exec_command", "{'cmd': 'ls'}", "ls"],
  ["exec_command", '```json\n{"cmd":"ls"}\n```', "ls"],
  ["exec_command", '{"cmd":"echo a\necho b"}', "echo a\necho b"],
  ["exec_command", '"ls -a"', "ls -a"],
  ["exec_command", '{"arguments":{"cmd":"ls"}}', "ls"],
  ["bash", '{"command":"ls"}', "ls"],
  ["Bash", '{"command":"ls"}', "ls"],
  ["run_shell_command", '{"command":"ls"}', "ls"],
  ["functions.exec_command", '{"cmd":"ls"}', "ls"],
  ["EXEC_COMMAND", '{"cmd":"ls"}', "ls"],
  ["shell", '{"command":"ls -a"}', "ls -a"],
  ["update_plan", '{"plan":"[{\\"step\\":\\"a\\",\\"status\\":\\"pending\\"}]"}'],
  ["update_plan", '{"plan":[{"step":"a","status":"done"}]}'],
  ["exec_command", '{"cmd":"rm -rf /tmp/x', "rm -rf /tmp/x"],
  ["exec_command", '{"cmd":"echo "hi""}', 'echo "hi"'],
  ["exec_command", '{"cmd":{"a":1}}', "a"],
];

const file = "import os\n\ndef greet():\n    print('Hi')\n";
const changed = file.replace("'Hi'", "'Hello'");
const body = "*** Update File: app.py\n@@ def greet():\n-    print('Hi')\n+    print('Hello')";
const patch = `*** Begin Patch\n${body}\n*** End Patch`;
const diff = "--- a/app.py\n+++ b/app.py\n@@ -3,2 +3,2 @@\n def greet():\n-    print('Hi')\n+    print('Hello')\n";
const patches: readonly string[] = [
  `\`\`\`diff\n${patch}\n\`\`\``,
  `Here is the patch:\n\n${patch}\n\nThat should do it.`,
  body,
  `${body}\n*** End Patch`,
  patch.replace("Begin Patch", "begin patch"),
  `apply_patch <<'EOF'\n${patch}\nEOF`,
  patch.replaceAll("\n", "\r\n"),
  patch.replaceAll("\n", "\\n"),
  patch.replaceAll(/^/gm, "    "),
  patch.replace("@@ def greet():\n", "@@\ndef greet():\n"),
  patch.replace("Update File: ", "Update File "),
  patch.replace("Update File: ", "Update: "),
  patch.replace("Update", "Modify"),
  patch.replace("app.py", "`app.py`"),
  patch.replace("@@ def greet():\n", ""),
  patch.replace("@@ def", "@@def"),
  patch.replace("greet():", "greet(): @@"),
  patch.replace("@@ def greet():", "@@ -3,2 +3,2 @@"),
  patch.replace("'Hi')", "'Hi')  "),
  patch.replace("-    print", "-  print"),
  patch.replace("'Hi'", "\u2018Hi\u2019"),
  diff,
  `diff --git a/app.py b/app.py\nindex 1..2 100644\n${diff}`,
  `*** Begin Patch\n${diff}*** End Patch`,
  patch.replace("@@", "\n@@"),
  patch.replace("*** Update", "*** Environment ID: local\n*** Update"),
  patch.replace("\n*** End Patch", ""),
  "please change Hi to Hello",
];

function isCallTaken([name, args, script]: (typeof calls)[number]): boolean {
  const { call, tool } = offeredCall({ type: "function_call", call_id: "c", name, arguments: args }, tools);
  if (tool === undefined || (call.args === undefined && tool.takesText !== true)) return false;
  const action = tool.plan(call, settings);
  if ("success" in action) return false;
  return script === undefined || (action.kind === "command" && action.argv.at(-1) === script);
}

function isPatchTaken(text: string): boolean {
  const parsed = parsePatch(text);
  const [hunk, ...more] = "failed" in parsed ? [] : parsed.hunks;
  if (hunk?.op !== "update" || more.length > 0) return false;
  const updated = updateText(file, hunk.chunks, hunk.path);
  return hunk.path === "app.py" && "text" in updated && updated.text === changed;
}

export const tolerance = (): ToleranceFigures => ({
  calls: calls.length,
  callsAccepted: calls.filter(isCallTaken).length,
  patches: patches.length,
  patchesAccepted: patches.filter(isPatchTaken).length,
});
