/** Where every process of Parley begins: sees to it that the right code is run, from V8's cache where there is one, and runs it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh } from "./built-from.ts";
import { keepCompiledCode } from "./compile-cache.ts";

/**
 * A bundle that is older than its sources steps aside for them. This module shares nothing with the rest: the bundler would put it into
 * one file with what it shares, and that file would then be compiled before the cache is open.
 */
async function start(): Promise<void> {
  const here = import.meta.dirname;
  const isBundle = !import.meta.filename.endsWith(".ts");
  const isOld = isBundle && !isFresh(here);
  keepCompiledCode(join(here, !isBundle ? "../../node_modules/.cache/parley" : isOld ? "../node_modules/.cache/parley" : ".cache"));
  if (isOld) await import(pathToFileURL(join(here, "../src/cli/main.ts")).href);
  else await (await import("./command-line.ts")).runCommandLine();
}

void start();
