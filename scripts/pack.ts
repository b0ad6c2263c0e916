/** `npm run pack`: the package that users install, as a tarball: the bundle with a manifest of its own. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleInto, nativeModules } from "./build.ts";

const root = path.resolve(import.meta.dirname, "..");

/** Makes the tarball in `into` and returns its path. */
export async function pack(into: string): Promise<string> {
  const stage = mkdtempSync(path.join(tmpdir(), "parley-pack-"));
  try {
    await bundleInto(stage);
    for (const file of ["README.md", "LICENSE", "CHANGELOG.md"]) copyFileSync(path.join(root, file), path.join(stage, file));
    const content = manifest();
    writeFileSync(path.join(stage, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
    const { status, stderr } = spawnSync("npm", ["pack", "--pack-destination", path.resolve(into)], { cwd: stage, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
    return path.join(into, `${content.name}-${content.version}.tgz`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Of the optional packages only those that the bundle can use: the checkout's Node binaries are not for users to download. */
function manifest() {
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const { name, version, description, license, engines, optionalDependencies } = own;
  return {
    name,
    version,
    description,
    license,
    type: "commonjs",
    engines,
    bin: { parley: "parley.cjs" },
    exports: { "./client": "./client.cjs", "./protocol": "./protocol.cjs" },
    optionalDependencies: Object.fromEntries(nativeModules.map((module) => [module, optionalDependencies[module]])),
  };
}

if (import.meta.main) console.log(await pack(root));
