/** The real Codex of a version, from npm, for tests in which it reads what Parley wrote and vice versa. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** The path of its program, or the reason for skipping a test. PARLEY_CODEX_DIR may contain a folder for each version, made by `npm install`. */
export function codexProgram(version: string): { readonly program: string } | { readonly skip: string } {
  const [, minor = ""] = version.split(".");
  const given = process.env["PARLEY_CODEX_DIR"];
  const folders = given === undefined ? [] : [path.join(given, version), path.join(given, minor)];
  const cache = path.join(process.env["PARLEY_TEST_CACHE"] ?? os.tmpdir(), "parley-codex", version);
  for (const folder of [...folders, cache]) if (existsSync(programIn(folder))) return { program: programIn(folder) };
  mkdirSync(cache, { recursive: true });
  const args = ["install", "--prefix", cache, "--no-audit", "--no-fund", "--no-save", `@openai/codex@${version}`];
  const { status, stderr } = spawnSync("npm", args, { encoding: "utf8", timeout: 300_000 });
  if (existsSync(programIn(cache))) return { program: programIn(cache) };
  const why = stderr?.split("\n").find((line) => line.includes("npm error")) ?? `npm ended with ${status}`;
  return { skip: `Codex ${version} cannot be installed here (${why.trim()}); set PARLEY_CODEX_DIR to a folder that has it` };
}

const programIn = (folder: string): string => path.join(folder, "node_modules", ".bin", "codex");
