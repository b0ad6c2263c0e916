/** Syntax highlighting, loaded when the first code block is shown: one engine, one theme of CSS variables, languages one by one. */
import type { HighlighterCore, LanguageInput } from "shiki/core";

export interface ColorSpan {
  readonly text: string;
  readonly color: string | null;
  readonly italic: boolean;
}
export type ColorLines = readonly (readonly ColorSpan[])[];

/** Names people and models use, and the grammar for each. A name that is not here is shown without colours. */
const languages: Readonly<Record<string, () => Promise<LanguageInput>>> = {
  typescript: () => import("shiki/langs/typescript.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  dockerfile: () => import("shiki/langs/dockerfile.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
};
const aliases: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "tsx",
  py: "python",
  rs: "rust",
  kt: "kotlin",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  h: "c",
  cs: "csharp",
  rb: "ruby",
  yml: "yaml",
  sh: "shellscript",
  bash: "shellscript",
  zsh: "shellscript",
  shell: "shellscript",
  console: "shellscript",
  md: "markdown",
  jsonc: "json",
  json5: "json",
  htm: "html",
  xml: "html",
  vue: "html",
  svelte: "html",
  patch: "diff",
  makefile: "make",
};

/** Above this many characters highlighting is not worth its cost. */
const maxLength = 60_000;

let core: Promise<HighlighterCore> | undefined;
const loaded = new Map<string, Promise<boolean>>();

export function languageOf(name: string): string | undefined {
  const plain =
    name
      .trim()
      .toLowerCase()
      .split(/[\s{:,]/)[0] ?? "";
  const full = aliases[plain] ?? plain;
  return Object.hasOwn(languages, full) ? full : undefined;
}

export const languageOfPath = (path: string): string | undefined => {
  const file = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? "";
  return file === "dockerfile" || file === "makefile"
    ? languageOf(file)
    : languageOf(file.includes(".") ? (file.split(".").at(-1) ?? "") : "");
};

export async function colorize(code: string, language: string): Promise<ColorLines | undefined> {
  if (code.length > maxLength) return undefined;
  core ??= loadCore();
  const highlighter = await core;
  let ready = loaded.get(language);
  if (ready === undefined) {
    ready = loadLanguage(highlighter, language);
    loaded.set(language, ready);
  }
  if (!(await ready)) return undefined;
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: "variables",
    tokenizeMaxLineLength: 2000,
    tokenizeTimeLimit: 2000,
  });
  return tokens.map((line) => line.map((t) => ({ text: t.content, color: t.color ?? null, italic: ((t.fontStyle ?? 0) & 1) !== 0 })));
}

async function loadCore(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  const theme = createCssVariablesTheme({ name: "variables", variablePrefix: "--code-", fontStyle: true });
  return createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
}

async function loadLanguage(highlighter: HighlighterCore, language: string): Promise<boolean> {
  const load = languages[language];
  if (load === undefined) return false;
  try {
    await highlighter.loadLanguage(await load());
    return true;
  } catch {
    // Without its grammar the code is shown without colours.
    return false;
  }
}
