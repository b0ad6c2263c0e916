/** Collects the files that the result of login files depends on. For the capture of snapshots. */
import path from "node:path";
import { findLstat, findRealPath } from "../../lib/file-status.ts";
import { PatternValues } from "./pattern-values.ts";
import type { WatchedPaths } from "./watched-files.ts";

/** Their files change without looking different. */
const kernelTrees = /^\/(?:proc|sys|dev)(?:\/|$)/;
const systemFolders = new Set(["/bin", "/usr/bin"]);

/** Whose programs are those that the system has for everybody. */
export const isSystemFolder = (folder: string): boolean => systemFolders.has(folder);

/** One path that cannot be watched makes the whole unsound. */
export class Watch implements WatchedPaths {
  readonly paths = new Set<string>();
  readonly listed = new Set<string>();
  readonly patterns: PatternValues;
  readonly home: string;
  readonly #cwd: string;
  /** All values that PATH has had. */
  readonly #searchPaths: Set<string>;
  isSound = true;

  constructor({ cwd, home, env }: { readonly cwd: string; readonly home: string; readonly env: Readonly<Record<string, string>> }) {
    this.#cwd = cwd;
    this.home = home;
    this.patterns = new PatternValues(env);
    this.#searchPaths = new Set([env["PATH"] ?? ""]);
  }

  add(file: string, into: "paths" | "listed" = "paths"): void {
    const absolute = path.resolve(this.#cwd, file);
    // Behind a link, the folder above is another one than the text says.
    if ((absolute !== "/dev/null" && kernelTrees.test(absolute)) || file.split("/").includes("..")) this.isSound = false;
    this[into].add(absolute);
  }

  /** It may be in force for only a part of the commands that follow: all that were ever set count. */
  addSearchPath(value: string, isAppended: boolean): void {
    for (const before of isAppended ? [...this.#searchPaths] : [""]) this.#searchPaths.add(before + value);
  }

  /** A program of the system, unless there is another one of its name in an earlier folder. */
  searchFor(program: string): void {
    for (const searchPath of this.#searchPaths)
      for (const folder of searchPath.split(":")) {
        const place = path.resolve(this.#cwd, folder);
        if (isSystemFolder(findRealPath(place) ?? place)) break;
        // One look at a folder serves all programs that are searched in it.
        this.add(place, "listed");
        if (findLstat(path.join(place, program)) !== undefined) this.isSound = false;
      }
  }
}
