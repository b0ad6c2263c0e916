/** `edit` and `write`: change files for models not trained on patches. Core verifies, asks and applies, as for a patch. */

import { failed } from "../core/ports/tool.ts";
import { boolean, described, filledString, maybe, named, object, string } from "../lib/schema.ts";
import { functionTool } from "./define.ts";

const pathNames = { file_path: "path", filepath: "path", file: "path", filename: "path", target_file: "path", absolute_path: "path" };

const EditArgs = named("EditArgs", () =>
  object({
    path: filledString(),
    old_text: described(string(), "Exactly as it stands in the file, with enough lines around it to occur once."),
    new_text: string(),
    replace_all: maybe(described(boolean(), "Whether to change every place where old_text occurs.")),
  }),
);

export const edit = functionTool({
  name: "edit",
  description: "Replaces a text in a file. Read the file first.",
  args: EditArgs,
  exclusive: true,
  aliases: ["edit_file", "str_replace", "replace", "search_replace", "replace_in_file"],
  otherNames: {
    ...pathNames,
    ...{ old_string: "old_text", old_str: "old_text", oldtext: "old_text", search: "old_text", old: "old_text", old_content: "old_text" },
    ...{ new_string: "new_text", new_str: "new_text", newtext: "new_text", replace: "new_text", new: "new_text", new_content: "new_text" },
    ...{ replaceall: "replace_all", all: "replace_all" },
  },
  plan({ path, old_text: oldText, new_text: newText, replace_all: all }, settings) {
    if (oldText === newText) return failed("edit: old_text and new_text are the same; nothing was changed");
    return { kind: "patch", cwd: settings.cwd, changes: [{ op: "replace", path, oldText, newText, all: all === true }] };
  },
});

const WriteArgs = named("WriteArgs", () => object({ path: filledString(), content: described(string(), "The whole file.") }));

export const write = functionTool({
  name: "write",
  description: "Creates a file, or replaces all of it. To change a part of a file, use edit.",
  args: WriteArgs,
  exclusive: true,
  aliases: ["write_file", "create_file", "write_to_file", "save_file", "create"],
  otherNames: { ...pathNames, contents: "content", text: "content", file_text: "content", body: "content" },
  plan: ({ path, content }, settings) => ({ kind: "patch", cwd: settings.cwd, changes: [{ op: "write", path, content }] }),
});
