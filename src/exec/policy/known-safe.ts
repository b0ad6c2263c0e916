/**
 * Commands that run without approval even if everything untrusted needs it: a fixed list of programs that only read, without any option.
 */
import path from "node:path";
import { findRealPath } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";
import { findProgram } from "../../lib/program.ts";

const programs = new Set(["cat", "head", "tail", "ls", "pwd", "wc", "nl", "stat", "whoami", "uname", "true", "false"]);

/** How programs are looked up: the PATH, the working folder, and the folders whose content is not trusted. */
export interface Lookup {
  readonly searchPath: string | undefined;
  readonly cwd: string;
  readonly workspace: readonly string[];
}

export function isKnownSafe(argv: readonly string[], lookup: Lookup): boolean {
  const [program = "", ...rest] = argv;
  return (
    programs.has(program) && rest.every((arg) => /^[\x20-\x7e]+$/.test(arg) && !arg.startsWith("-")) && isOutsideWorkspace(program, lookup)
  );
}

/** Whether the bare name starts a program that was not put there by commands in the workspace. */
export function isOutsideWorkspace(program: string, { searchPath, cwd, workspace }: Lookup): boolean {
  const file = findProgram(program, searchPath, cwd);
  if (file === undefined) return false;
  const real = findRealPath(file) ?? file;
  // A workspace of the whole disk does not make every program untrusted.
  const folders = [...workspace, cwd].flatMap((folder) => [folder, findRealPath(folder) ?? folder]).filter((folder) => folder !== "/");
  return !isInsideAny(file, folders) && !isInsideAny(real, folders);
}

/** Whether the bare name resolves to this file. */
export function isOnPath(file: string, { searchPath, cwd }: Lookup): boolean {
  const found = findProgram(path.basename(file), searchPath, cwd);
  return found !== undefined && (found === file || findRealPath(found) === findRealPath(file));
}
