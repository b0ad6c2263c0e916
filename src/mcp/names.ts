/** The names under which the model calls tools of MCP servers. */
import { fingerprint } from "./clean.ts";

/** The limits of every provider: letters, digits, `_` and `-`, at most 64 characters. */
const maxLength = 64;
const safe = (text: string): string => text.replace(/[^a-zA-Z0-9_-]/g, "_");

/**
 * `mcp__<server>__<tool>` for each pair, in order. Names that collide or had to be shortened get a unique suffix: one tool must never be
 * called instead of another.
 */
export function toolNames(pairs: readonly (readonly [server: string, tool: string])[]): string[] {
  const plain = pairs.map(([server, tool]) => `mcp__${safe(server)}__${safe(tool)}`);
  const count = new Map<string, number>();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  return plain.map((name, i) => {
    if (count.get(name) === 1 && name.length <= maxLength) return name;
    const mark = `_${safe(fingerprint(pairs[i])).slice(0, 8)}`;
    return name.slice(0, maxLength - mark.length) + mark;
  });
}
