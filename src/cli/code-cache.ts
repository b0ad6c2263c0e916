/**
 * Runs the bundle's chunks from V8's compiled code, cached between starts. Unlike Node's own compile cache it contains the functions that a
 * start has used and not only those that are compiled eagerly, which is most of the difference between a slow start and a fast one.
 * Anyone who can write the folder can run code here, so it must be ours alone or it is not used (see compile-cache.ts).
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** When to save the code of a first start: by then it has used what starts use, and a server that is killed later still leaves it behind. */
const keepAfterMs = 3000;

type Chunk = { readonly script: Script; readonly file: string };

/**
 * From here on `require` loads the modules in `chunks` from the cache. Their names contain a digest of their content. They import nothing
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
  // A build's trial run uses more than a start does, and on a busy machine it takes longer: what it has used until its end is saved.
  if (process.env["PARLEY_TRIAL_RUN"] !== "1") setTimeout(keep, keepAfterMs).unref();
}

/** Other versions of Node, and other V8 flags, have their own compiled code. */
function cacheFile(cache: string, file: string): string {
  const flags = process.execArgv.filter((flag) => /^--[a-z-]+(?:=\d+)?$/.test(flag));
  return join(cache, [basename(file), process.version, process.arch, ...flags].join("-").slice(0, 200));
}

/** Returns the chunk when its compiled code still needs to be saved. */
function run(module: NodeJS.Module, file: string, cached: string): Chunk | undefined {
  // The wrapper that node:module puts around every module; on the same line, so that positions in stack traces stay right.
  const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "latin1")}\n})`;
  const script = new Script(source, { filename: file, cachedData: readSound(cached) });
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return script.cachedDataRejected === false ? undefined : { script, file: cached };
}

/**
 * V8 runs corrupt code without an error, or crashes. The file contains the code twice, and both copies must agree: comparing takes a tenth of
 * a millisecond, while any digest needs a module that takes three to load.
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

/** Written atomically, so that no start reads half of it. A start that cannot save it still succeeds. */
function write({ script, file }: Chunk): void {
  const draft = `${file}.${process.pid}`;
  try {
    const code = script.createCachedData();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    // No space, or no longer writable.
    rmSync(draft, { force: true });
  }
}
