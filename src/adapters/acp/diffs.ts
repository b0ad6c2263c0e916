/** A patch's changes as the editor shows them: the old and the new text of each file. */
import type { Diff } from "@agentclientprotocol/sdk/unstable";
import type { FileUpdateChange } from "../../protocol/item.ts";

/** The text of a file, or undefined where there is none to read. */
export type ReadText = (path: string) => Promise<string | undefined>;

/**
 * Whole texts where the file fits the patch, be it before or after it was applied (an edit that needs no approval may be done by the time
 * the file is read); else the changed parts alone.
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

/** The first changed line, for editors that follow the agent. */
export function firstLine(diff: string): number | null {
  const line = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff)?.[1];
  return line === undefined ? null : Number(line);
}
