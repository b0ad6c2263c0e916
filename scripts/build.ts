/** `npm run build`: bundles the sources into dist/ as CommonJS, one chunk for each thing that is loaded on demand. */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { isFresh, takeStamp } from "../src/cli/built-from.ts";

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

/** Writes the bundle into a folder that is made for it. */
export async function bundleInto(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input: { parley: "src/cli/main.ts", client: "src/client/client.ts", protocol: "src/protocol/methods.ts" },
    platform: "node",
    external: [...nativeModules],
  });
  await bundle.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunks/[name]-[hash].cjs",
    banner: (chunk) => (chunk.isEntry && chunk.name === "parley" ? head : ""),
  });
  await bundle.close();
  chmodSync(path.join(folder, "parley.cjs"), 0o755);
  writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

/**
 * Replaces dist/ under the feet of running servers: chunks carry a digest in their names and the older ones stay for a day, since a
 * server loads them when it needs them; the entries change last.
 */
export async function build(): Promise<void> {
  const stamp = takeStamp(root); // before the sources are read: what changes meanwhile makes the bundle old, never wrong
  const next = path.join(dist, `.next-${process.pid}`);
  try {
    await bundleInto(next);
    mkdirSync(path.join(dist, "chunks"), { recursive: true });
    const chunks = readdirSync(path.join(next, "chunks"));
    for (const chunk of chunks) renameSync(path.join(next, "chunks", chunk), path.join(dist, "chunks", chunk));
    for (const file of readdirSync(next).filter((name) => name !== "chunks")) renameSync(path.join(next, file), path.join(dist, file));
    writeFileSync(stampFile, stamp);
    dropOldChunks(new Set(chunks));
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
}

if (import.meta.main) await build();
