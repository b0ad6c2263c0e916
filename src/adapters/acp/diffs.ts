/** Converts a patch's changes into the old and new text of each file, as the editor displays them. */
import type { Diff } from "@agentclientprotocol/sdk/unstable";
import type { FileUpdateChange } from "../../protocol/item.ts";

/** A file's text, or undefined if the file cannot be read. */
export type ReadText = (path: string) => Promise<string | undefined>;

/**
 * Full texts if the patch matches the file, either before or after it was applied (an edit without approval may already be applied when the
 * file is read); otherwise only the changed parts.
 */
export async function diffFrom({ path, kind, diff }: FileUpdateChange, read: ReadText): Promise<Diff> {
  if (kind.type === "add") return { path, oldText: null, newText: diff };
  if (kind.type === "delete") return { path, oldText: diff, newText: "" };
  const target = kind.move_path ?? path;
  const { applyPatch, parsePatch, reversePatch } = await import("diff");
  const [patch] = parsePatch(diff);
  if (patch === undefined) return { path: target, oldText: null, newText: "" };
  const now = (await read(path)) ?? (target === path ? undefined : await read(target));
  if (now !== undefined) {
    const after = applyPatch(now, patch);
    if (after !== false) return { path: target, oldText: now, newText: after };
    const before = applyPatch(now, reversePatch(patch));
    if (before !== false) return { path: target, oldText: before, newText: now };
  }
  const side = (gone: string): string =>
    patch.hunks
      .map(({ lines }) =>
        lines
          .filter((line) => !line.startsWith(gone) && !line.startsWith("\\"))
          .map((line) => `${line.slice(1)}\n`)
          .join(""),
      )
      .join("");
  return { path: target, oldText: side("+"), newText: side("-") };
}

/** The first changed line, for editors that follow the agent's position. */
export function firstLine(diff: string): number | null {
  const line = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff)?.[1];
  return line === undefined ? null : Number(line);
}
