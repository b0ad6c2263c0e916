/** Fails when a file imports from a folder its own folder may not see, when a file is too long, or when a test's hook reaches other files. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const edge = ["core/ports", "protocol", "lib"];
const door = ["client", "rpc", "protocol", "lib"];
const mayImport: Record<string, readonly string[]> = {
  lib: [],
  protocol: ["lib"],
  rpc: ["protocol/errors.ts", "lib"],
  client: ["rpc", "protocol", "lib"],
  core: ["protocol", "lib"],
  models: edge,
  exec: edge,
  store: edge,
  tools: edge,
  skills: edge,
  config: edge,
  auth: edge,
  mcp: [...edge, "rpc"],
  server: ["core", "rpc", "protocol", "lib"],
  adapters: door,
  tui: door,
  manager: door,
  main: [...["server", "models", "exec", "store", "tools", "skills", "config", "auth", "mcp", "core", "adapters/v1"], ...door],
  cli: ["main", "client", "tui", "manager", "adapters", "rpc", "protocol", "lib"],
};
/** Types that every edge may name beside the ports. */
const portTypes = ["core/settings.ts"];
const maxLines = 500;
const problems: string[] = [];

for (const file of globSync("src/**/*.{ts,tsx}")) {
  const text = readFileSync(file, "utf8");
  const folder = file.split(path.sep)[1] ?? "";
  const allowed = mayImport[folder];
  if (allowed === undefined) problems.push(`${file}: folder ${folder} has no row in mayImport`);
  if (text.split("\n").length > maxLines) problems.push(`${file}: more than ${maxLines} lines`);
  if (file.endsWith(".test.ts")) continue;
  for (const [, target] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)) {
    const into = path
      .relative("src", path.join(path.dirname(file), target ?? ""))
      .split(path.sep)
      .join("/");
    if (into.startsWith(`${folder}/`) || into.startsWith("../")) continue;
    if (
      ![...(allowed ?? []), ...(allowed === edge || folder === "mcp" ? portTypes : [])].some((a) => into === a || into.startsWith(`${a}/`))
    )
      problems.push(`${file}: ${folder} may not import ${into}`);
  }
}
// Such tests share one process: a hook outside of describe() would run around the tests of every file.
for (const file of globSync(["src/**/*.test.{ts,tsx}", "apps/*/src/**/*.test.{ts,tsx}", "test/scenarios/**/*.test.ts"]))
  if (/^(?:before|after)Each\(/m.test(readFileSync(file, "utf8")))
    problems.push(`${file}: put beforeEach and afterEach inside a describe()`);
/** The extension: what knows no editor stands in `host`, the editor's own face in `editor`, the page's screens in `panel`. */
const shared = ["src/client", "src/protocol", "src/lib", "apps/web/src"];
const extensionMayImport: Readonly<Record<string, readonly string[]>> = {
  host: shared,
  editor: [...shared, "apps/vscode/src/host"],
  panel: [...shared, "apps/vscode/src/host/port.ts"],
};
for (const file of globSync("apps/vscode/src/**/*.{ts,tsx}")) {
  const text = readFileSync(file, "utf8");
  const folder = file.split(path.sep)[3] ?? "";
  const allowed = extensionMayImport[folder];
  if (allowed === undefined) problems.push(`${file}: folder ${folder} has no row in extensionMayImport`);
  if (text.split("\n").length > maxLines) problems.push(`${file}: more than ${maxLines} lines`);
  if (folder !== "editor" && /from "vscode"/.test(text)) problems.push(`${file}: only apps/vscode/src/editor may import vscode`);
  if (file.endsWith(".test.ts")) continue;
  for (const [, target] of text.matchAll(/(?:from|import\(|import) ?"(\.[^"]+)"/g)) {
    const into = path
      .join(path.dirname(file), target ?? "")
      .split(path.sep)
      .join("/");
    if (into.startsWith(`apps/vscode/src/${folder}/`)) continue;
    if (!allowed?.some((a) => into === a || into.startsWith(`${a}/`))) problems.push(`${file}: ${folder} may not import ${into}`);
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
