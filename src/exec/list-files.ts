/** Lists the files below a folder, hidden ones too, without what `.gitignore` and `.ignore` leave out and without our own leases. */
import { spawn } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { withSlashes } from "../lib/paths.ts";
import { foldersAbove, isIgnored, isNeverListed, type Rules, repositoryOf, rulesBelow, rulesReader } from "./ignore-rules.ts";

/** Calls `take` with each path, relative to `root` and with `/`, until it returns false. Never rejects: what cannot be read is left out. */
export type ListFiles = (root: string, signal: AbortSignal, take: (file: string) => boolean) => Promise<void>;

const timeoutMs = 20_000;

/** The folder is ripgrep's working directory, never an argument, so that no name can be taken for an option. */
export const listWithRipgrep =
  (program: string): ListFiles =>
  async (root, signal, take) => {
    const isFolder = (await stat(root).catch(() => undefined))?.isDirectory() ?? false;
    if (!isFolder || signal.aborted) return;
    const args = ["--files", "--hidden", "--null", "--no-config", "--no-messages", "--color=never", "--glob=!.git", "--glob=!.parley-*"];
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      env: { LC_ALL: "C.UTF-8" },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    child.on("error", () => resolve());
    child.on("close", () => resolve());
    let rest = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      const names = (rest + text).split("\0");
      rest = names.pop() ?? "";
      for (const name of names) {
        if (take(withSlashes(name.replace(/^\.[/\\]/, "")))) continue;
        child.stdout.destroy();
        child.kill("SIGKILL");
        return;
      }
    });
    await promise;
  };

/** Without ripgrep. Links are not followed. */
export const walkFiles: ListFiles = async (root, signal, take) => {
  const repository = repositoryOf(root);
  const readRules = await rulesReader(repository !== undefined);
  const deadline = Date.now() + timeoutMs;
  const todo: { folder: string; rules: readonly Rules[] }[] = [{ folder: root, rules: foldersAbove(root, repository).flatMap(readRules) }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (signal.aborted || Date.now() > deadline) return;
    const rules = [...next.rules, ...readRules(next.folder)];
    const entries = await readdir(next.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const whole = path.join(next.folder, entry.name);
      if (isNeverListed(entry.name) || isIgnored(whole, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) todo.push({ folder: whole, rules: rulesBelow(whole, rules) });
      else if (entry.isFile() && !take(withSlashes(path.relative(root, whole)))) return;
    }
  }
};
