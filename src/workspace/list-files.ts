/**
 * Lists the files below a folder, including hidden ones, without those that `.gitignore` and `.ignore` exclude and without our own leases.
 */
import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { entriesOf } from "../lib/bounded-folder.ts";
import { withSlashes } from "../lib/paths.ts";
import { boundedProgram } from "./bounded-program.ts";
import { foldersAbove, isIgnored, isNeverListed, type Rules, repositoryOf, rulesBelow, rulesReader } from "./ignore-rules.ts";

/** Calls `take` with each path, relative to `root` and with `/`, until it returns false. Never rejects: unreadable entries are skipped. */
export type ListFiles = (root: string, signal: AbortSignal, take: (file: string) => boolean) => Promise<void>;

const timeoutMs = 20_000;
/** If ripgrep prints nothing for this long, it is blocked on input that never comes: a rule file that is a pipe. */
const silenceMs = 3_000;

/**
 * If ripgrep fails because a rule file is a pipe or endless, our own walker continues, which does not read such files. The folder is
 * ripgrep's working directory, never an argument, so that no name can be parsed as an option.
 */
export const listWithRipgrep =
  (program: string): ListFiles =>
  async (root, signal, take) => {
    const isFolder = (await stat(root).catch(() => undefined))?.isDirectory() ?? false;
    if (!isFolder || signal.aborted) return;
    const listed = new Set<string>();
    let isWanted = true;
    const isComplete = await runRipgrep(program, root, signal, (file) => {
      listed.add(file);
      isWanted = take(file);
      return isWanted;
    });
    if (!isComplete && isWanted && !signal.aborted) await walkFiles(root, signal, (file) => listed.has(file) || take(file));
  };

/** Whether it finished by itself. */
async function runRipgrep(program: string, root: string, signal: AbortSignal, take: (file: string) => boolean): Promise<boolean> {
  const args = ["--files", "--hidden", "--null", "--no-config", "--no-messages", "--color=never", "--glob=!.git", "--glob=!.parley-*"];
  const [bounded, boundedArgs] = boundedProgram(program, args);
  const child = spawn(bounded, boundedArgs, {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    env: { LC_ALL: "C.UTF-8" },
  });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const silence = setTimeout(() => child.kill("SIGKILL"), silenceMs);
  child.on("error", () => resolve(false));
  // 1: nothing was found; 2: something could not be read.
  child.on("close", (code) => resolve(code !== null && code <= 2));
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    silence.refresh();
    const names = (rest + text).split("\0");
    rest = names.pop() ?? "";
    for (const name of names) {
      if (take(withSlashes(name.replace(/^\.[/\\]/, "")))) continue;
      child.stdout.destroy();
      child.kill("SIGKILL");
      return;
    }
  });
  try {
    return await promise;
  } finally {
    clearTimeout(silence);
  }
}

/** Without ripgrep. Links are not followed. */
export const walkFiles: ListFiles = async (root, signal, take) => {
  const repository = repositoryOf(root);
  const readRules = await rulesReader(repository !== undefined);
  const deadline = Date.now() + timeoutMs;
  const todo: { folder: string; rules: readonly Rules[] }[] = [{ folder: root, rules: foldersAbove(root, repository).flatMap(readRules) }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (signal.aborted || Date.now() > deadline) return;
    const rules = [...next.rules, ...readRules(next.folder)];
    for await (const entry of entriesOf(next.folder)) {
      if (signal.aborted || Date.now() > deadline) return;
      const whole = path.join(next.folder, entry.name);
      if (isNeverListed(entry.name) || isIgnored(whole, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) todo.push({ folder: whole, rules: rulesBelow(whole, rules) });
      else if (entry.isFile() && !take(withSlashes(path.relative(root, whole)))) return;
    }
  }
};
