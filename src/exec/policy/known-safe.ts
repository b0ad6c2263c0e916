/** Commands that run unasked even when everything untrusted is asked about: a closed list of readers, without any option. */
import path from "node:path";
import { findRealPath } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";
import { findProgram } from "../../lib/program.ts";

const programs = new Set(["cat", "head", "tail", "ls", "pwd", "wc", "nl", "stat", "whoami", "uname", "true", "false"]);

/** How programs are looked up: the PATH, the folder, and the folders whose content is not to be trusted. */
export interface Lookup {
  readonly searchPath: string | undefined;
  readonly cwd: string;
  readonly workspace: readonly string[];
}

export function isKnownSafe(argv: readonly string[], lookup: Lookup): boolean {
  const [program = "", ...rest] = argv;
  return (
    programs.has(program) &&
    rest.every((word) => /^[\x20-\x7e]+$/.test(word) && !word.startsWith("-")) &&
    isOutsideWorkspace(program, lookup)
  );
}

/** Whether running the bare name starts a program that commands of the workspace did not put there. */
export function isOutsideWorkspace(program: string, { searchPath, cwd, workspace }: Lookup): boolean {
  const file = findProgram(program, searchPath, cwd);
  if (file === undefined) return false;
  const real = findRealPath(file) ?? file;
  // The whole disk is no workspace that anybody could have put a program into.
  const folders = [...workspace, cwd].flatMap((folder) => [folder, findRealPath(folder) ?? folder]).filter((folder) => folder !== "/");
  return !isInsideAny(file, folders) && !isInsideAny(real, folders);
}

/** Whether the file is the one that its bare name leads to. */
export function isOnPath(file: string, { searchPath, cwd }: Lookup): boolean {
  const found = findProgram(path.basename(file), searchPath, cwd);
  return found !== undefined && (found === file || findRealPath(found) === findRealPath(file));
}
