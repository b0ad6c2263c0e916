/** Bundler plugin: Node's own modules are loaded at their first use and not at the start, where node:crypto alone costs 5 ms. */
import type { Plugin } from "rolldown";

export const lazyBuiltins: Plugin = { name: "lazy-builtins", renderChunk: (code) => makeBuiltinsLazy(code) };

/**
 * The bundler writes `let node_x = require("node:x");`, with a second line where the default export is used, and reads members of
 * `node_x` alone. The variable becomes an object with a getter for each member in use, which turns into the member itself when read. The bundler's own helpers are then needed in few chunks.
 */
export function makeBuiltinsLazy(code: string): string {
  const load = /^let (node_\w+) = require\("(node:[\w/]+)"\);\n(?:\1 = [\w.]+\.__toESM\(\1(?:, 1)?\);\n)?/gm;
  const lazy = code.replace(load, (statement, variable: string, name: string) => {
    const members = new Set([...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, "g"))].map(([, member]) => member));
    const uses = [...code.matchAll(new RegExp(`\\b${variable}\\b(?!\\.\\w)`, "g"))].length;
    // Declared, and once more on each side of the second line: any further use is of the module as a whole.
    if (uses > (statement.includes("__toESM") ? 3 : 1)) return statement;
    const getters = [...members].map((member) => {
      const value = member === "default" ? "" : `.${member}`;
      return `get ${member}() { const value = require("${name}")${value}; Object.defineProperty(this, "${member}", { value }); return value; }`;
    });
    return `const ${variable} = { ${getters.join(", ")} };\n`;
  });
  return lazy.includes("require_rolldown_runtime.") ? lazy : lazy.replace(/^const require_rolldown_runtime = require\(.*\);\n/m, "");
}
