/** `npm run sbom`: the list of everything that the published package needs, in CycloneDX, generated from the lockfile alone. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const file = path.join(root, "dist", "sbom.cdx.json");
const flags = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--omit", "dev"];
const { status, stdout, stderr, error } = spawnSync("npm", flags, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
if (status !== 0) throw new Error(`npm sbom failed: ${error?.message ?? stderr}`);
const bom: { metadata: { component: { name: string } }; components: readonly object[] } = JSON.parse(stdout);
bom.metadata.component.name = "parley";
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`);
console.log(`${path.relative(root, file)}: ${bom.components.length} components`);
