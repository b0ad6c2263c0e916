/** Brings edits into those buffers of the editor that have unsaved changes: the server edits the file, and saving such a buffer would undo that. */
import { errorMessage } from "../../lib/error-text.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";

export interface Buffers {
  /** Rejects if the editor cannot read the file. */
  readBuffer(wanted: { readonly path: string }): Promise<string>;
  /** Replaces the text in the editor, which saves it. */
  writeBuffer(path: string, text: string): Promise<void>;
  /** The text on disk, undefined if it cannot be read. */
  readSaved(path: string): Promise<string | undefined>;
}

/** Call when the change is in the file. Returns what people must know: that the editor's text and the file's have come apart. */
export async function mergeIntoBuffer({ path, kind, diff }: FileUpdateChange, buffers: Buffers): Promise<string | undefined> {
  if (kind.type !== "update" || (kind.move_path ?? path) !== path) return undefined;
  const [saved, shown] = await Promise.all([buffers.readSaved(path), buffers.readBuffer({ path }).catch(() => undefined)]);
  if (saved === undefined || shown === undefined || shown === saved) return undefined;
  const { applyPatch, parsePatch, reversePatch } = await import("diff");
  const [patch] = parsePatch(diff);
  // A buffer without unsaved changes may still show the old text: the editor loads the new one by itself.
  if (patch === undefined || shown === applyPatch(saved, reversePatch(patch))) return undefined;
  const merged = applyPatch(shown, patch);
  if (merged === false) return `${path} has unsaved changes that the edit does not fit; the edit is in the saved file.`;
  try {
    await buffers.writeBuffer(path, merged);
    return undefined;
  } catch (error) {
    return `${path} has unsaved changes, and the editor did not take the edit: ${errorMessage(error)}. It is in the saved file.`;
  }
}
