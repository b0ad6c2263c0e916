/** `npm run build`: bundles the sources into dist/ as CommonJS, one chunk for each part that is loaded on demand. */
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { isFresh, takeStamp, writeStamps } from "../src/cli/built-from.ts";
import { asciiCode } from "./ascii-code.ts";
import { buildPageIfOld } from "./build-page.ts";
import { lazyParts, type Part, serverParts } from "./bundle-parts.ts";
import { lazyBuiltins, lazyChunks, ownHelper } from "./lazy-builtins.ts";
import { plainExports } from "./plain-exports.ts";
import { importCode, importModule, plainImports, wholePaths } from "./plain-imports.ts";
import { warmUp } from "./warm-up.ts";

const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const launcher = process.platform === "win32" ? [process.execPath, path.join(dist, "parley.cjs")] : [path.join(root, "bin", "parley")];

/** Native modules are resolved at run time, where they are installed; everything else is in the bundle. */
export const nativeModules: readonly string[] = ["@lydell/node-pty", "@napi-rs/keyring", "sharp"];
/** Installed by those who need them: the driver of a fleet. */
export const optionalPeers: readonly string[] = ["pg"];

/** An installed package may be started by any Node: an old one must report that in syntax it can run. */
const head = `#!/usr/bin/env node
"use strict";
var found = process.versions.node.split(".").map(Number);
if (found[0] < 24 || (found[0] === 24 && found[1] < 21)) {
  console.error("parley: needs Node 24.21 or later, this is " + process.version);
  process.exit(1);
}`;

/** The build's own inputs, besides the sources. */
const steering = [
  "package.json",
  "package-lock.json",
  "scripts/build.ts",
  "scripts/ascii-code.ts",
  "scripts/bundle-parts.json",
  "scripts/bundle-parts.ts",
  "scripts/lazy-builtins.ts",
  "scripts/plain-exports.ts",
  "scripts/plain-imports.ts",
];

/** The sources of a bundle, as paths relative to the checkout, and which of them run first at every start. */
interface MadeOf {
  readonly first: readonly string[];
  /** Of the chunk that is loaded for a server's first thread. */
  readonly app: readonly string[];
  /** Of every chunk that a server may load. */
  readonly server: readonly string[];
  readonly all: readonly string[];
}

/** Bundles some entries with their dependencies. */
async function bundle(folder: string, input: Readonly<Record<string, string>>, parts: readonly Part[] = []): Promise<MadeOf> {
  const plugins = [lazyBuiltins, lazyChunks(lazyParts), ownHelper, plainExports(lazyParts), plainImports, wholePaths, asciiCode];
  const graph = await rolldown({
    cwd: root,
    input: { ...input },
    platform: "node",
    external: [...nativeModules, ...optionalPeers],
    plugins,
    // What chunks share may be added to a program's exports, and to nothing else.
    preserveEntrySignatures: parts.length === 0 ? "exports-only" : "allow-extension",
  });
  const groups = parts.map(({ name, holds, whole }, i) => ({
    name,
    test: (id: string) => holds(path.relative(root, id).split(path.sep).join("/")),
    includeDependenciesRecursively: whole,
    priority: parts.length - i,
  }));
  const { output } = await graph.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name]-[hash].cjs",
    banner: (chunk) => (chunk.isEntry && chunk.name === "parley" ? head : ""),
    comments: { legal: true, annotation: false, jsdoc: false },
    // Names are kept for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    minifyInternalExports: false,
    codeSplitting: { groups },
  });
  await graph.close();
  const chunks = output.filter((part) => part.type === "chunk");
  const isFirst = (chunk: (typeof chunks)[number]): boolean => chunk.isEntry || chunk.name === parts[0]?.name;
  const app = chunks.filter(({ name }) => name === "app");
  return {
    first: sourcesIn(chunks.filter(isFirst)),
    app: sourcesIn(app),
    server: sourcesIn(reachable(app, chunks)),
    all: sourcesIn(chunks),
  };
}

/** These chunks and all that they load, at once or later. What the first one loads later are other subcommands. */
function reachable(from: readonly OutputChunk[], chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const found = new Set(from);
  for (const chunk of found) {
    const names = new Set([...chunk.imports, ...(chunk.name === "door" ? [] : chunk.dynamicImports)]);
    for (const next of chunks.filter(({ fileName }) => names.has(fileName))) found.add(next);
  }
  return [...found];
}

const sourcesIn = (chunks: readonly { readonly moduleIds: readonly string[] }[]): readonly string[] =>
  chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => path.relative(root, id)).filter((file) => file.startsWith(`src${path.sep}`)));

/** React's own checks are for its developers, and so is the inspector that the terminal library would load. */
const noInspector = { name: "no-inspector", load: (id: string) => (/[\\/]ink[\\/]build[\\/]devtools\.js$/.test(id) ? "export {};" : null) };

/** The terminal client, in one file: its layout engine is awaited while it is loaded, which only ES modules can do. */
async function bundleTui(folder: string): Promise<readonly string[]> {
  const graph = await rolldown({
    cwd: root,
    input: { tui: "src/tui/run.ts" },
    platform: "node",
    external: ["typebox/schema"], // without it checks are interpreted: a terminal makes few
    plugins: [noInspector],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await graph.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", codeSplitting: false });
  await graph.close();
  return sourcesIn(output.filter((part) => part.type === "chunk"));
}

/** Writes the bundle into a newly created folder. */
export async function bundleInto(folder: string): Promise<MadeOf> {
  mkdirSync(folder, { recursive: true });
  const { first, app, server, all } = await bundle(folder, { parley: "src/cli/main.ts" }, serverParts());
  const library = await bundle(folder, { client: "src/client/client.ts", protocol: "src/protocol/methods.ts" });
  const tui = await bundleTui(folder);
  chmodSync(path.join(folder, "parley.cjs"), 0o755);
  writeFileSync(path.join(folder, "chunks", importModule), importCode);
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
  return { first, app, server, all: [...all, ...library.all, ...tui] };
}

/**
 * Replaces dist/ while servers run from it: chunks have a digest in their names and the older ones stay for a day, since a server loads
 * them on demand; the entries change last.
 */
export async function build(): Promise<void> {
  // Taken before the sources are read: a change in between makes the bundle stale, never wrong.
  const stamp = takeStamp(root, [...globSync("src/**/*.{ts,tsx,json,md}", { cwd: root }), ...steering]);
  const next = path.join(dist, `.next-${process.pid}`);
  try {
    const { first, server, all } = await bundleInto(next);
    mkdirSync(path.join(dist, "chunks"), { recursive: true });
    const chunks = readdirSync(path.join(next, "chunks"));
    for (const chunk of chunks) renameSync(path.join(next, "chunks", chunk), path.join(dist, "chunks", chunk));
    for (const file of readdirSync(next).filter((name) => name !== "chunks")) renameSync(path.join(next, file), path.join(dist, file));
    const stampOf = (files: ReadonlySet<string>) => Object.fromEntries(Object.entries(stamp).filter(([file]) => files.has(file)));
    const door = new Set(first);
    const asked = new Set([...server, ...steering]).difference(door);
    writeStamps(dist, { door: stampOf(door), server: stampOf(asked), rest: stampOf(new Set(all).difference(door).difference(asked)) });
    dropOldChunks(new Set(chunks));
    rmSync(path.join(dist, ".cache"), { recursive: true, force: true }); // compiled code of chunks that no longer exist
    await warmUp(launcher, path.join(next, "home"));
    await buildPageIfOld();
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

function dropOldChunks(current: ReadonlySet<string>): void {
  const yesterday = Date.now() - 24 * 3600 * 1000;
  for (const chunk of readdirSync(path.join(dist, "chunks"))) {
    const file = path.join(dist, "chunks", chunk);
    if (!current.has(chunk) && statSync(file).mtimeMs < yesterday) rmSync(file);
  }
}

export async function buildIfOld(): Promise<void> {
  const isBuilt = existsSync(path.join(dist, "parley.cjs")) && existsSync(path.join(dist, "rest.digests.json"));
  if (!isBuilt || !(["door", "server", "rest"] as const).every((part) => isFresh(dist, part))) await build();
  else await buildPageIfOld();
}

if (import.meta.main) await build();
