/**
 * Runs the chunks of the bundle from V8's compiled code, kept between starts. Unlike Node's own compile cache it holds the functions that a
 * start has used and not only those that are compiled at once, which is most of the difference between a slow start and a fast one.
 * Whoever can write the folder can run code here, so it is ours alone or not used (see compile-cache.ts).
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** When the code of a first start is kept: by then it has used what starts use, and a server that is killed in the end leaves it behind. */
const keepAfterMs = 3000;

type Chunk = { readonly script: Script; readonly file: string };

/**
 * From here on `require` takes the modules in `chunks` from the cache. Their names carry a digest of what they hold. They import nothing by
 * themselves: import.cjs, which the ordinary loader runs, does it for them.
 */
export function runFromCache(chunks: string, cache: string): void {
  const { extensions } = createRequire(chunks);
  const ordinary = extensions[".js"];
  const fresh: Chunk[] = [];
  extensions[".cjs"] = (module, file) => {
    if (dirname(file) !== chunks || basename(file) === "import.cjs") return ordinary(module, file);
    const chunk = run(module, file, cacheFile(cache, file));
    if (chunk !== undefined) fresh.push(chunk);
  };
  const keep = (): void => {
    for (const chunk of fresh.splice(0)) write(chunk);
  };
  process.once("exit", keep);
  setTimeout(keep, keepAfterMs).unref();
}

/** Other versions of Node, and other flags for V8, have compiled code of their own. */
function cacheFile(cache: string, file: string): string {
  const flags = process.execArgv.filter((flag) => /^--[a-z-]+(?:=\d+)?$/.test(flag));
  return join(cache, [basename(file), process.version, process.arch, ...flags].join("-").slice(0, 200));
}

/** Returns the chunk when its compiled code is still to be kept. */
function run(module: NodeJS.Module, file: string, cached: string): Chunk | undefined {
  // What node:module puts around every module; on one line with it, so that positions in stack traces stay right.
  const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "latin1")}\n})`;
  const script = new Script(source, { filename: file, cachedData: readSound(cached) });
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return script.cachedDataRejected === false ? undefined : { script, file: cached };
}

/**
 * V8 runs damaged code without a word, or dies of it. The file holds the code twice, and both must agree: comparing takes a tenth of a
 * millisecond, while any digest needs a module that takes three to load.
 */
function readSound(file: string): Buffer | undefined {
  let twice: Buffer;
  try {
    twice = readFileSync(file);
  } catch {
    return undefined;
  }
  const code = twice.subarray(0, twice.length / 2);
  return twice.length > 0 && twice.subarray(code.length).equals(code) ? code : undefined;
}

/** In one step, so that no start reads half of it. A start that cannot leave it behind was a good start all the same. */
function write({ script, file }: Chunk): void {
  const draft = `${file}.${process.pid}`;
  try {
    const code = script.createCachedData();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    // No room, or no right to write any more.
    rmSync(draft, { force: true });
  }
}
