/** `npm run pack`: the package that users install, as a tarball: the bundle with its own manifest. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleInto, nativeModules } from "./build.ts";
import { buildPageIfOld, pageFolder } from "./build-page.ts";

const root = path.resolve(import.meta.dirname, "..");

/** Creates the tarball in `into` and returns its path. */
export async function pack(into: string): Promise<string> {
  const stage = mkdtempSync(path.join(tmpdir(), "parley-pack-"));
  try {
    await bundleInto(stage);
    await buildPageIfOld();
    cpSync(pageFolder, path.join(stage, "web"), { recursive: true });
    writeTypes(path.join(stage, "types"));
    for (const file of ["LICENSE", "CHANGELOG.md"]) copyFileSync(path.join(root, file), path.join(stage, file));
    cpSync(path.join(root, "man"), path.join(stage, "man"), { recursive: true });
    copyFileSync(path.join(root, "docs", "package.md"), path.join(stage, "README.md"));
    const content = manifest();
    writeFileSync(path.join(stage, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
    const { status, stdout, stderr } = spawnSync("npm", ["pack", "--json", "--pack-destination", stage], { cwd: stage, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
    // npm puts the scope before the name; people look for the program's.
    const tarball = path.join(path.resolve(into), `parley-${content.version}.tgz`);
    copyFileSync(path.join(stage, JSON.parse(stdout)[0].filename), tarball);
    return tarball;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Type declarations of the package's exports, for clients in TypeScript. */
function writeTypes(into: string): void {
  const entries = ["src/client/client.ts", "src/protocol/methods.ts"];
  const config = { extends: "../tsconfig.json", compilerOptions: { ...declarations, outDir: into, rootDir: path.join(root, "src") } };
  const file = path.join(root, "node_modules", `parley-types-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ ...config, include: [], files: entries.map((entry) => path.join(root, entry)) }));
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, "node_modules/.bin/tsc"), "-p", file], { encoding: "utf8" });
  rmSync(file);
  if (status !== 0) throw new Error(`tsc could not write the declarations: ${stdout}`);
}
const declarations = { noEmit: false, incremental: false, declaration: true, emitDeclarationOnly: true };

/** Only the optional packages that the bundle can use: users must not download the checkout's Node binaries. */
function manifest() {
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const { name, version, description, license, config, optionalDependencies, peerDependencies, peerDependenciesMeta } = own;
  return {
    name,
    version,
    description,
    license,
    type: "commonjs",
    // A checkout includes its own Node; the package runs on the one it finds.
    engines: { node: config.runtime },
    bin: { parley: "parley.cjs", "parley-mcp-server": "parley.cjs" },
    man: ["man/parley.1"],
    exports: {
      "./client": { types: "./types/client/client.d.ts", default: "./client.cjs" },
      "./protocol": { types: "./types/protocol/methods.d.ts", default: "./protocol.cjs" },
    },
    ...{ peerDependencies, peerDependenciesMeta },
    optionalDependencies: Object.fromEntries(nativeModules.map((module) => [module, optionalDependencies[module]])),
  };
}

if (import.meta.main) console.log(await pack(root));
