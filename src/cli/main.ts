/** The entry point of every Parley process: makes sure that the right code runs, from V8's cache if there is one, and runs it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh, type NewerSources } from "./built-from.ts";
import { runFromCache } from "./code-cache.ts";
import { cacheFolder, keepCompiledCode } from "./compile-cache.ts";

/**
 * A bundle that is older than its sources hands over to them. This module shares nothing with the rest: the bundler would put it into one
 * file with the shared code, and that file would then be compiled before the cache is open.
 */
async function start(): Promise<void> {
  const here = import.meta.dirname;
  if (import.meta.filename.endsWith(".ts")) {
    keepCompiledCode(join(here, "../../node_modules/.cache/parley"));
    return await (await import("./command-line.ts")).runCommandLine();
  }
  const sources = join(here, "../src");
  if (!isFresh(here, "door")) return await import(pathToFileURL(join(sources, "cli/main.ts")).href);
  const cache = cacheFolder(join(here, ".cache"));
  if (cache !== undefined) runFromCache(join(here, "chunks"), cache);
  const newer: NewerSources = (...parts) => (parts.every((part) => isFresh(here, part)) ? undefined : sources);
  await (await import("./command-line.ts")).runCommandLine({ newer, keepModules: () => keepCompiledCode(join(here, ".cache")) });
}

void start();
