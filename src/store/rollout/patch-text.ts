/** The files named in an `apply_patch` text, to show calls of threads that stored nothing else. Applies nothing. */
import path from "node:path";
import type { FileUpdateChange } from "../../protocol/item.ts";

/** Changes in the order of the text. Old contents are not in the text, so deletions have an empty diff. */
export function patchChanges(text: string, cwd: string): FileUpdateChange[] {
  const changes: FileUpdateChange[] = [];
  let body: string[] = [];
  const close = (): void => {
    const last = changes.at(-1);
    if (last !== undefined && body.length > 0) {
      const lines = last.kind.type === "add" ? body.map((line) => line.replace(/^\+/, "")) : body;
      changes[changes.length - 1] = { ...last, diff: `${lines.join("\n")}\n` };
    }
    body = [];
  };
  for (const line of text.split("\n")) {
    const [, verb, name = ""] =
      /^\*\*\* (Add File|Delete File|Update File|Move to|Begin Patch|End Patch|End of File):? ?(.*)$/.exec(line) ?? [];
    if (verb === undefined) {
      if (changes.length > 0) body.push(line);
      continue;
    }
    if (verb === "Move to") {
      const last = changes.at(-1);
      if (last !== undefined)
        changes[changes.length - 1] = { ...last, kind: { type: "update", move_path: path.resolve(cwd, name.trim()) } };
      continue;
    }
    close();
    const type = ({ "Add File": "add", "Delete File": "delete", "Update File": "update" } as const)[verb];
    if (type !== undefined)
      changes.push({ path: path.resolve(cwd, name.trim()), kind: type === "update" ? { type, move_path: null } : { type }, diff: "" });
  }
  close();
  return changes;
}
