/** `apply_patch`: edits files with a patch, as grammar-constrained free text or as a function's argument. Core verifies, asks and applies. */
import type { Tool, ToolCall } from "../core/ports/tool.ts";
import { repairJson } from "../lib/repair-json.ts";
import { described, named, object, string } from "../lib/schema.ts";
import { functionTool } from "./define.ts";

const description = `Edits files: creates, changes, moves and deletes them by one patch.

A patch lists file operations between \`*** Begin Patch\` and \`*** End Patch\`:
- \`*** Add File: <path>\` creates a file; every line of its content begins with \`+\`.
- \`*** Delete File: <path>\` removes a file.
- \`*** Update File: <path>\` changes a file in place. \`*** Move to: <path>\` on the next line gives it another name.
An update has one or more chunks. A chunk begins with \`@@\`, if need be followed by a line that stands above the place (a class or function header); several
such lines narrow the place down. In a chunk a line begins with a space (kept), \`-\` (removed) or \`+\` (added). Give about three kept lines before and
after each change, exactly as they are in the file. \`*** End of File\` after the last line of a chunk ties it to the end of the file.
Paths are relative to the working directory.

Example:
*** Begin Patch
*** Add File: notes/hello.txt
+Hello
*** Update File: src/app.py
*** Move to: src/main.py
@@ def greet():
-    print("Hi")
+    print("Hello")
*** Delete File: obsolete.txt
*** End Patch`;

/** The grammar in Lark's notation; it constrains the output of models trained on free-form patches. */
const grammar = `start: BEGIN operation+ END
BEGIN: "*** Begin Patch" NEWLINE
END: "*** End Patch" NEWLINE?

operation: addition | removal | change
addition: "*** Add File: " PATH NEWLINE added+
removal: "*** Delete File: " PATH NEWLINE
change: "*** Update File: " PATH NEWLINE target? chunk*
target: "*** Move to: " PATH NEWLINE

added: "+" TEXT NEWLINE
chunk: (anchor | edit)+ last?
anchor: ("@@" | "@@ " TEXT) NEWLINE
edit: ("+" | "-" | " ") TEXT NEWLINE
last: "*** End of File" NEWLINE

PATH: /[^\\n]+/
TEXT: /[^\\n]*/
NEWLINE: /\\n/
`;

const Args = named("ApplyPatchArgs", () =>
  object({ input: described(string(), "The whole patch, from `*** Begin Patch` to `*** End Patch`.") }),
);

/** For models without free-form tools. Accepts the patch in any form: wires convert one form into the other. */
export const applyPatchFunction = functionTool({
  name: "apply_patch",
  description,
  args: Args,
  aliases: ["applypatch", "patch", "apply_diff"],
  exclusive: true,
  takesText: true,
  given: (call) => ({ input: patchIn(call) }),
  plan: ({ input }, settings) => ({ kind: "patch", patch: input, cwd: settings.cwd }),
});

/** For models that support grammar-constrained free text. */
export const applyPatchFreeform: Tool = {
  name: "apply_patch",
  face: {
    type: "custom",
    description: `${description}\n\nSend the patch itself as the whole input, not wrapped in JSON.`,
    format: { type: "grammar", syntax: "lark", definition: grammar },
  },
  aliases: ["applypatch", "patch", "apply_diff"],
  exclusive: true,
  plan: (call, settings) => applyPatchFunction.plan(call, settings),
};

/** The patch in a call of any form: the bare text, JSON with it in a field, or a command's arguments. */
function patchIn({ args, text }: ToolCall): string | undefined {
  const value = args ?? (/^\s*[{[]/.test(text) ? repairJson(text)?.value : undefined) ?? text;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return typeof value.at(-1) === "string" && value.length <= 2 ? value.at(-1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const given = fields["input"] ?? fields["patch"] ?? fields["diff"] ?? fields["patch_text"] ?? fields["content"];
  return typeof given === "string" ? given : undefined;
}
