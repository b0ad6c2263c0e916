/** Cuts the part of one file, or of one hunk of it, out of a diff's text, to be taken back as it was shown. */
import { parseDiff } from "./parse.ts";

/** Undefined if the diff has no such part. */
export function patchText(diff: string, path: string, hunk?: number): string | undefined {
  const part = diff.split(/^(?=diff --git )/m).find((one) => parseDiff(one)[0]?.path === path);
  if (part === undefined) return undefined;
  if (hunk === undefined) return part;
  const [head, ...hunks] = part.split(/^(?=@@ )/m);
  const wanted = hunks[hunk];
  return head === undefined || wanted === undefined ? undefined : head + wanted;
}
