/** Lists the files below a folder, hidden ones too, without what `.gitignore` and `.ignore` leave out. */
import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Ignore } from "ignore";
import { withSlashes } from "../lib/paths.ts";

/** Calls `take` with each path, relative to `root` and with `/`, until it returns false. Never rejects: what cannot be read is left out. */
export type ListFiles = (root: string, signal: AbortSignal, take: (file: string) => boolean) => Promise<void>;

const timeoutMs = 20_000;

/** The folder is ripgrep's working directory, never an argument, so that no name can be taken for an option. */
export const listWithRipgrep =
  (program: string): ListFiles =>
  async (root, signal, take) => {
    const isFolder = (await stat(root).catch(() => undefined))?.isDirectory() ?? false;
    if (!isFolder || signal.aborted) return;
    const args = ["--files", "--hidden", "--null", "--no-config", "--no-messages", "--color=never", "--glob=!.git"];
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

interface Rules {
  /** The folder that the patterns are written for. */
  readonly base: string;
  readonly rules: Ignore;
}

/** Without ripgrep. `.gitignore` counts only inside a repository, as with ripgrep. Links are not followed. */
export const walkFiles: ListFiles = async (root, signal, take) => {
  const { default: ignore } = await import("ignore");
  const repository = await repositoryOf(root);
  const readRules = async (folder: string): Promise<Rules[]> => {
    const names = repository === undefined ? [".ignore"] : [".gitignore", ".ignore"];
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8").catch(() => "")));
    return texts.filter((text) => text !== "").map((text) => ({ base: folder, rules: ignore({ allowRelativePaths: false }).add(text) }));
  };
  const above: Rules[] = [];
  if (repository !== undefined) for (const folder of foldersBetween(repository, root)) above.push(...(await readRules(folder)));
  const deadline = Date.now() + timeoutMs;
  const todo: { folder: string; rules: readonly Rules[] }[] = [{ folder: root, rules: above }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (signal.aborted || Date.now() > deadline) return;
    const rules = [...next.rules, ...(await readRules(next.folder))];
    const entries = await readdir(next.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const whole = path.join(next.folder, entry.name);
      if (entry.name === ".git" || isIgnored(whole, entry.isDirectory(), rules)) continue;
      // A file of rules that was overruled for a folder would still call everything in it ignored.
      if (entry.isDirectory()) todo.push({ folder: whole, rules: rules.filter((own) => !verdictOn(whole, true, own).ignored) });
      else if (entry.isFile() && !take(withSlashes(path.relative(root, whole)))) return;
    }
  }
};

/** The nearest file that says something about the path decides. */
function isIgnored(whole: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const own of rules.toReversed()) {
    const verdict = verdictOn(whole, isFolder, own);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

const verdictOn = (whole: string, isFolder: boolean, { base, rules }: Rules): { ignored: boolean; unignored: boolean } =>
  rules.test(withSlashes(path.relative(base, whole)) + (isFolder ? "/" : ""));

async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await stat(path.join(at, ".git")).catch(() => undefined)) !== undefined) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** From `top` down to the folder above `bottom`. */
function foldersBetween(top: string, bottom: string): string[] {
  const folders: string[] = [];
  for (let at = bottom; at !== top; at = path.dirname(at)) folders.unshift(path.dirname(at));
  return folders;
}
