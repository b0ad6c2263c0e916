/** Bundler plugin: what a chunk exports is one object with values. With a getter for each, as the bundler writes them, starts take longer, and so does each use. */
import type { Plugin } from "rolldown";

/** `lazy`: the chunks that others load on first use, and so never while they themselves are loading. */
export const plainExports = (lazy: readonly string[]): Plugin => ({
  name: "plain-exports",
  renderChunk: (code, chunk, _options, { chunks }) => (isInCycle(chunk.fileName, chunks, lazy) ? code : withPlainExports(code)),
});

/** Chunks that load each other see each other's exports only where the object stays the same. */
export function isInCycle(
  start: string,
  chunks: Readonly<Record<string, { readonly name: string; readonly imports: readonly string[] }>>,
  lazy: readonly string[],
): boolean {
  const found = new Set<string>();
  const follow = (file: string): void => {
    for (const next of chunks[file]?.imports ?? []) {
      if (found.has(next) || lazy.includes(chunks[next]?.name ?? "")) continue;
      found.add(next);
      follow(next);
    }
  };
  follow(start);
  return found.has(start);
}

const getter =
  /^Object\.defineProperty\(exports, "([\w$]+)", \{\n {2}enumerable: true,\n {2}get: function \(\) \{\n {4}return ([\w$]+);\n {2}\}\n\}\);\n?/gm;

const ownExports = /^(?:Object\.defineProperty\(exports\b|(?:module\.)?exports\b)/m;

/** All getters come last, when every value is there. A variable that may change later keeps its getter. */
export function withPlainExports(code: string): string {
  const members = [...code.matchAll(getter)].map(([, name = "", local = ""]) =>
    isFixed(code, local) ? `${name}: ${local}` : `get ${name}() { return ${local}; }`,
  );
  const rest = code.replace(getter, "");
  if (members.length === 0 || ownExports.test(rest)) return code;
  return `${rest}\nmodule.exports = { ${members.join(", ")} };\n`;
}

const isFixed = (code: string, local: string): boolean =>
  new RegExp(`^(?:const|(?:async )?function\\*?|class|var(?= [\\w$]+ = class\\b)) ${RegExp.escape(local)}(?![\\w$])`, "m").test(code);
