/** `npm run build`: bundles the sources into dist/ as CommonJS, one chunk for each thing that is loaded on demand. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { takeStamp } from "../src/cli/built-from.ts";

const root = path.resolve(import.meta.dirname, "..");
export const dist: string = path.join(root, "dist");

/** Native modules are found at run time, where they are installed; everything else is in the bundle. */
const external = ["@lydell/node-pty", "@napi-rs/keyring", "sharp"];

export async function build(): Promise<void> {
  const stamp = takeStamp(root);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { mode: 0o755 });
  const bundle = await rolldown({
    cwd: root,
    input: { parley: "src/cli/main.ts", client: "src/client/client.ts" },
    platform: "node",
    external,
    treeshake: { moduleSideEffects: false },
  });
  await bundle.write({
    dir: dist,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    minify: false,
    sourcemap: false,
  });
  await bundle.close();
  writeFileSync(path.join(dist, "package.json"), '{ "type": "commonjs" }\n');
  writeFileSync(path.join(dist, "stamp.json"), stamp);
}

if (import.meta.main) await build();
