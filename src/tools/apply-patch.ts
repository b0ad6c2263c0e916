/** `apply_patch`: edits files by a patch, as free text under a grammar or as a function's argument. Core verifies, asks and applies. */
import type { ToolSpec } from "../core/ports/model-client.ts";
import { failed, type Tool, type ToolCall } from "../core/ports/tool.ts";

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

/** The grammar in Lark's notation; models that were trained on free-form patches are held to it while they write. */
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

const freeform: ToolSpec = {
  type: "custom",
  name: "apply_patch",
  description: `${description}\n\nSend the patch itself as the whole input, not wrapped in JSON.`,
  format: { type: "grammar", syntax: "lark", definition: grammar },
};

const asFunction: ToolSpec = {
  type: "function",
  name: "apply_patch",
  description,
  parameters: {
    type: "object",
    properties: { input: { type: "string", description: "The whole patch, from `*** Begin Patch` to `*** End Patch`." } },
    required: ["input"],
    additionalProperties: false,
  },
  strict: false,
};

/** For models that write free text under a grammar. */
export const applyPatchFreeform: Tool = { name: "apply_patch", spec: freeform, plan, exclusive: true };
/** For all others. */
export const applyPatchFunction: Tool = { name: "apply_patch", spec: asFunction, plan, exclusive: true };

/** Takes the patch in either form, whichever was offered: wires without free-form tools turn one into the other. */
function plan(call: ToolCall, settings: { readonly cwd: string }): ReturnType<Tool["plan"]> {
  const patch = patchOf(call);
  if (patch === undefined) return failed("failed to parse function arguments: apply_patch needs the patch as a string in `input`");
  return { kind: "patch", patch, cwd: settings.cwd };
}

function patchOf({ args, text }: ToolCall): string | undefined {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) {
    const fields: Readonly<Record<string, unknown>> = { ...args };
    const input = fields["input"] ?? fields["patch"];
    return typeof input === "string" ? input : undefined;
  }
  return typeof args === "string" ? args : text;
}
