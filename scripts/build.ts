/** `npm run build`: bundles the sources into dist/ as CommonJS, one chunk for each thing that is loaded on demand. */
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { isFresh, takeStamp } from "../src/cli/built-from.ts";
import { buildPageIfOld } from "./build-page.ts";
import { lazyBuiltins } from "./lazy-builtins.ts";

const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const stampFile = path.join(dist, "stamp.json");

/** Native modules are found at run time, where they are installed; everything else is in the bundle. */
export const nativeModules: readonly string[] = ["@lydell/node-pty", "@napi-rs/keyring", "sharp"];

/** An installed package may be started by any Node: an old one must say so in words it can run. */
const head = `#!/usr/bin/env node
"use strict";
var found = process.versions.node.split(".").map(Number);
if (found[0] < 24 || (found[0] === 24 && found[1] < 21)) {
  console.error("parley: needs Node 24.21 or later, this is " + process.version);
  process.exit(1);
}`;

/** What steers the build, beside the sources. */
const steering = ["package.json", "package-lock.json", "scripts/build.ts", "scripts/lazy-builtins.ts"];

/** Modules that share a chunk with all they need at once, the first needed first: every further file costs most of a millisecond at the start. */
type Wholes = Readonly<Record<string, readonly string[]>>;
const wholes: Wholes = {
  door: ["src/cli/command-line.ts", "src/cli/app-server.ts"],
  app: ["src/cli/own-app.ts", "src/main/listen.ts"],
};

/** Bundles some entries with what they need. Returns the modules in it. */
async function bundle(folder: string, input: Readonly<Record<string, string>>, wholes: Wholes = {}): Promise<readonly string[]> {
  const graph = await rolldown({ cwd: root, input: { ...input }, platform: "node", external: [...nativeModules], plugins: [lazyBuiltins] });
  const groups = Object.entries(wholes).map(([name, files], i) => ({
    name,
    test: (id: string) => files.some((file) => id === path.join(root, file)),
    priority: 100 - i,
  }));
  const { output } = await graph.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name]-[hash].cjs",
    banner: (chunk) => (chunk.isEntry && chunk.name === "parley" ? head : ""),
    comments: { legal: true, annotation: false, jsdoc: false },
    // Names stay, for the sake of stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    minifyInternalExports: false,
    codeSplitting: { groups },
  });
  await graph.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** React's own checks are for its developers, and so is the inspector that the terminal library would look for. */
const noInspector = { name: "no-inspector", load: (id: string) => (/[\\/]ink[\\/]build[\\/]devtools\.js$/.test(id) ? "export {};" : null) };

/** The terminal client, in one file: its layout engine is waited for while it is loaded, which only ES modules can do. */
async function bundleTui(folder: string): Promise<readonly string[]> {
  const graph = await rolldown({
    cwd: root,
    input: { tui: "src/tui/run.ts" },
    platform: "node",
    external: ["typebox/schema"], // checks are interpreted where it is missing: a terminal has few to make
    plugins: [noInspector],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await graph.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", codeSplitting: false });
  await graph.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** Writes the bundle into a folder that is made for it. Returns the sources that it is made of, as paths from the checkout. */
export async function bundleInto(folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const modules = [
    ...(await bundle(folder, { parley: "src/cli/main.ts" }, wholes)),
    ...(await bundle(folder, { client: "src/client/client.ts", protocol: "src/protocol/methods.ts" })),
    ...(await bundleTui(folder)),
  ];
  chmodSync(path.join(folder, "parley.cjs"), 0o755);
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
  return modules.map((id) => path.relative(root, id)).filter((file) => file.startsWith(`src${path.sep}`));
}

/**
 * Replaces dist/ under the feet of running servers: chunks carry a digest in their names and the older ones stay for a day, since a
 * server loads them when it needs them; the entries change last.
 */
export async function build(): Promise<void> {
  // Taken before the sources are read: what changes meanwhile makes the bundle old, never wrong.
  const stamp = takeStamp(root, [...globSync("src/**/*.{ts,tsx,json,md}", { cwd: root }), ...steering]);
  const next = path.join(dist, `.next-${process.pid}`);
  try {
    const used = new Set([...(await bundleInto(next)), ...steering]);
    mkdirSync(path.join(dist, "chunks"), { recursive: true });
    const chunks = readdirSync(path.join(next, "chunks"));
    for (const chunk of chunks) renameSync(path.join(next, "chunks", chunk), path.join(dist, "chunks", chunk));
    for (const file of readdirSync(next).filter((name) => name !== "chunks")) renameSync(path.join(next, file), path.join(dist, file));
    writeFileSync(stampFile, JSON.stringify(Object.fromEntries(Object.entries(stamp).filter(([file]) => used.has(file)))));
    dropOldChunks(new Set(chunks));
    await buildPageIfOld();
    rmSync(path.join(dist, ".cache"), { recursive: true, force: true }); // compiled code of chunks that no longer exist
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
  if (!existsSync(stampFile) || !isFresh(dist)) await build();
  else await buildPageIfOld();
}

if (import.meta.main) await build();
