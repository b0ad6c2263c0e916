/** A folder with a git repository, for tests of what is done with repositories. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

export interface RepositoryPlace {
  readonly root: string;
  readonly ws: string;
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): string;
  gitIn(cwd: string, ...args: string[]): string;
  file(name: string, text: string | Uint8Array): void;
  read(name: string): string | undefined;
  /** A program on the PATH of the place. */
  program(name: string, script: string): string;
}

/** `ws` is a repository without commits; the user's own settings are those of the place. */
export function repositoryPlace(t: Pick<TestContext, "after">): RepositoryPlace {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "repository-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [ws, bin] = [path.join(root, "ws"), path.join(root, "bin")];
  mkdirSync(ws);
  mkdirSync(bin);
  writeFileSync(
    path.join(root, ".gitconfig"),
    "[user]\n\tname = Test Person\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n",
  );
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const gitIn = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" });
  gitIn(ws, "init", "-q");
  return {
    ...{ root, ws, env, gitIn },
    git: (...args) => gitIn(ws, ...args),
    file(name, content) {
      mkdirSync(path.dirname(path.join(ws, name)), { recursive: true });
      writeFileSync(path.join(ws, name), content);
    },
    read: (name) => (existsSync(path.join(ws, name)) ? readFileSync(path.join(ws, name), "utf8") : undefined),
    program(name, script) {
      const file = path.join(bin, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
      return file;
    },
  };
}
