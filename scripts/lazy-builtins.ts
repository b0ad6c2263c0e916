/** Bundler plugins: what startup does not need is loaded on first use; node:crypto alone costs 10 ms. */
import type { Plugin } from "rolldown";

export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  renderChunk: (code, chunk) => makeBuiltinsLazy(code, chunk.isEntry ? neededAtOnce : []),
};

/**
 * What an entry needs at each start. Node has loaded nearly all of it by then, and compiles the entry's own code each time: a getter costs more
 * than the module.
 */
const neededAtOnce: readonly string[] = ["node:fs", "node:module", "node:path", "node:vm"];

export const ownHelper: Plugin = { name: "own-helper", renderChunk: (code) => makeHelperOwn(code) };

/** For chunks with these names. Safe because no module here has side effects when it is imported. */
export const lazyChunks = (names: readonly string[]): Plugin => ({
  name: "lazy-chunks",
  renderChunk: (code) => names.reduce(makeChunkLazy, code),
});

/**
 * The bundler writes `let node_x = require("node:x");`, with a second line where the default export is used, and only reads members of
 * `node_x`. The bundler's own helpers are then needed in few chunks.
 */
export function makeBuiltinsLazy(code: string, except: readonly string[] = []): string {
  const load = /^let (node_\w+) = require\("(node:[\w/]+)"\);\n(?:\1 = [\w.]+\.__toESM\(\1(?:, 1)?\);\n)?/gm;
  const lazy = code.replace(
    load,
    (statement, variable: string, name: string) =>
      // Declared, and once more on each side of the second line: any further use is of the module as a whole.
      (except.includes(name) ? undefined : lazyObject(code, { variable, name, ownUses: statement.includes("__toESM") ? 3 : 1 })) ??
      statement,
  );
  return lazy.includes("require_rolldown_runtime.") ? lazy : lazy.replace(/^const require_rolldown_runtime = require\(.*\);\n/m, "");
}

/** The same for `const require_x = require("./x-digest.cjs");`. */
export function makeChunkLazy(code: string, chunk: string): string {
  const load = new RegExp(`^const (require_${chunk}) = require\\("([^"]+)"\\);\\n`, "m");
  return code.replace(load, (statement, variable: string, name: string) => lazyObject(code, { variable, name, ownUses: 1 }) ?? statement);
}

/**
 * The bundler keeps its helpers in a chunk of their own. What starts load needs only this one of them, and each file costs a start most of a
 * millisecond: chunks that need no other have it in themselves.
 */
export function makeHelperOwn(code: string): string {
  const load = /^const require_rolldown_runtime = require\(.*\);\n/m;
  const others = [...code.matchAll(/\brequire_rolldown_runtime\b(?!\.__exportAll\b)/g)].length - 1;
  return others === 0 ? code.replace(load, () => `const require_rolldown_runtime = { __exportAll: ${exportAll} };\n`) : code;
}
const exportAll = `(all, noSymbols) => {
  const target = {};
  for (const name in all) Object.defineProperty(target, name, { get: all[name], enumerable: true });
  return noSymbols ? target : Object.defineProperty(target, Symbol.toStringTag, { value: "Module" });
}`;

/** An object with a getter for each member in use, which is replaced by the member itself when read. Undefined if the whole module is used. */
function lazyObject(code: string, of: { readonly variable: string; readonly name: string; readonly ownUses: number }): string | undefined {
  const { variable, name, ownUses } = of;
  const uses = [...code.matchAll(new RegExp(`\\b${variable}\\b(?!\\.[\\w$])`, "g"))].length;
  if (uses > ownUses) return undefined;
  const members = new Set([...code.matchAll(new RegExp(`\\b${variable}\\.([\\w$]+)`, "g"))].map(([, member]) => member));
  const getters = [...members].map((member) => {
    const value = member === "default" ? "" : `.${member}`;
    return `get ${member}() { const value = require("${name}")${value}; Object.defineProperty(this, "${member}", { value }); return value; }`;
  });
  return `const ${variable} = { ${getters.join(", ")} };\n`;
}
