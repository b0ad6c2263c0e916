/** Whether a path was ignored before a repository's rule files changed: what was ignored was not kept, and must not be taken for new. */
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { foldersBetween } from "../lib/paths.ts";
import { isIgnored, type Rules } from "./ignore-rules.ts";

const maxRuleBytes = 1024 * 1024;

/** `texts`: the earlier content of each `.gitignore` that has changed, by its folder; "" where there was none. */
export async function wasIgnored(file: string, top: string, texts: ReadonlyMap<string, string>): Promise<boolean> {
  const { default: ignore } = await import("ignore");
  const rules: Rules[] = [];
  const way = [...foldersBetween(top, file), file];
  for (const [i, step] of way.entries()) {
    const folder = path.dirname(step);
    const text = texts.get(folder) ?? textIn(folder);
    if (text !== "") rules.push({ base: folder, rules: ignore({ allowRelativePaths: false }).add(text) });
    if (isIgnored(step, i < way.length - 1, rules)) return true;
  }
  return false;
}

function textIn(folder: string): string {
  try {
    return readBoundedTextSync(path.join(folder, ".gitignore"), maxRuleBytes, { links: "refuse" });
  } catch {
    return "";
  }
}
