/** Bundler plugin: `import()` in a chunk goes through one small module, since code that V8 runs from our own cache cannot import by itself. */
import type { Plugin } from "rolldown";

/** The one chunk that the ordinary loader runs. */
export const importModule = "import.cjs";
export const importCode = "module.exports = (specifier) => import(specifier);\n";

export const plainImports: Plugin = {
  name: "plain-imports",
  renderChunk: (code, chunk) => (chunk.isEntry ? code : withPlainImports(code)),
};

/** The entry names its chunks by their whole paths, for the reason that code-cache.ts gives. */
export const wholePaths: Plugin = {
  name: "whole-paths",
  renderChunk: (code, chunk) =>
    chunk.isEntry && chunk.name === "parley" ? code.replaceAll('require("./', 'require(__dirname + "/') : code,
};

/** Node's built-in modules are loaded with require, which for node:http takes a twentieth of the time. */
export function withPlainImports(code: string): string {
  return code
    .replace(/\bimport\((["'`])(node:[\w/]+)\1\)/g, 'Promise.resolve().then(() => require("$2"))')
    .replace(/\bimport\(/g, `require("./${importModule}")(`);
}
