/**
 * Runs the bundle's chunks from V8's compiled code, cached between starts. Unlike Node's own compile cache it contains the functions that a
 * start has used and not only those that are compiled eagerly, which is most of the difference between a slow start and a fast one.
 * Anyone who can write the folder can run code here, so it must be ours alone or it is not used (see compile-cache.ts).
 */
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  // A build's trial run uses more than a start does, and on a busy machine it takes longer: what it has used until its end is saved.
  if (process.env["PARLEY_TRIAL_RUN"] === "1") setBaselineCompiler("off");
  else setTimeout(keep, keepAfterMs).unref();
  process.once("exit", () => {
    if (process.env["PARLEY_TRIAL_RUN"] === "1") setBaselineCompiler("on");
    keep();
  });
}

/**
 * V8 notes in the cached code what it has compiled to machine code, and every later process compiles that at its first call. After a trial
 * run's turns that is a tenth of the processor time of each start. The code is saved under the same flags as it will be loaded with.
 */
function setBaselineCompiler(state: "on" | "off"): void {
  if (process.arch !== "x64" && process.arch !== "arm64") return; // on by default nowhere else
  process.getBuiltinModule("node:v8").setFlagsFromString(state === "on" ? "--sparkplug" : "--no-sparkplug");
}

/** Other versions of Node, and other V8 flags, have their own compiled code. */
function cacheFile(cache: string, file: string): string {
  const flags = process.execArgv.filter((flag) => /^--[a-z-]+(?:=\d+)?$/.test(flag));
  return join(cache, [basename(file), process.version, process.arch, ...flags].join("-").slice(0, 200));
}

/** Returns the chunk when its compiled code still needs to be saved. */
function run(module: NodeJS.Module, file: string, cached: string): Chunk | undefined {
  const room = Buffer.allocUnsafeSlow(Math.max(textLength(sizeOf(file)), codeLength(sizeOf(cached))));
  const text = wrapped(file, room);
  const cachedData = readSound(cached, room);
  const script = new Script(text, { filename: file, cachedData });
  giveBack(room);
  script.runInThisContext()(module.exports, requireOf(module, dirname(file)), module, file, dirname(file));
  return script.cachedDataRejected === false ? undefined : { script, file: cached };
}

/** Whole paths of other chunks: for relative ones Node tries patterns of packages' names first, which it compiles at each start. */
const requireOf = (module: NodeJS.Module, folder: string) => (name: string) =>
  module.require(name.startsWith("./") ? folder + name.slice(1) : name);

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** At once, and not when the young space is next cleared: a server that then waits for its client would keep it. */
const giveBack = (unused: Buffer<ArrayBuffer>): unknown => unused.buffer.transfer(0);

/** The wrapper that node:module puts around every module; on the same line, so that positions in stack traces stay right. */
const head = "(function (exports, require, module, __filename, __dirname) { ";
const tail = "\n})";
/** Node keeps a string of this length outside V8's heap. */
const outsideBytes = 1024 * 1024;
/** Smaller chunks are not worth that many blanks. */
const largeBytes = 256 * 1024;

/**
 * The text of a large chunk is filled up with blanks until it stays outside the heap: it is needed only for what is not compiled yet, and in the
 * young space, of which it would take half, it makes V8 clear that space while a client waits.
 */
function textLength(size: number): number {
  const length = head.length + size + tail.length;
  return length < largeBytes ? length : Math.max(length, outsideBytes);
}

/** `room`: memory for the text and then for the code, since memory that is new to the process costs as much as what is read into it. */
function wrapped(file: string, room: Buffer): string {
  const fd = openSync(file, "r");
  try {
    const { size } = fstatSync(fd);
    const bytes = room.subarray(0, textLength(size));
    let end = bytes.write(head, "latin1");
    for (let read = -1; read !== 0; end += read) read = readSync(fd, bytes, end, head.length + size - end, null);
    return bytes.fill(" ", end + bytes.write(tail, end, "latin1")).toString("latin1");
  } finally {
    closeSync(fd);
  }
}

/** A file contains the code twice. */
const codeLength = (size: number): number => Math.floor(size / 2);

/**
 * V8 runs corrupt code without an error, or crashes. The file contains the code twice, and both copies must agree: comparing takes a tenth of
 * a millisecond, while any digest needs a module that takes three to load. The second copy is read in pieces, into memory that is in use already.
 */
function readSound(file: string, room: Buffer): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    const length = codeLength(fstatSync(fd).size);
    const code = room.subarray(0, length); // shorter where another process has just written a longer one
    return readSync(fd, code, 0, length, 0) === length && isRepeated(code, fd) ? code : undefined;
  } catch {
    return undefined; // none yet, or cut off in the middle
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether the rest of the file is the same once more. */
function isRepeated(code: Buffer, fd: number): boolean {
  const piece = Buffer.allocUnsafeSlow(Math.min(code.length, pieceBytes));
  for (let from = 0; from < code.length; from += piece.length) {
    const bytes = Math.min(piece.length, code.length - from);
    if (readSync(fd, piece, 0, bytes, code.length + from) !== bytes) return false;
    if (code.compare(piece, 0, bytes, from, from + bytes) !== 0) return false;
  }
  return code.length > 0;
}
const pieceBytes = 128 * 1024;

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
