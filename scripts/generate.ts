/** `npm run generate`: regenerates schema/, docs/protocol.md, docs/security.md, docs/config.md, man/parley.1 and the model facts. `--check` only checks them. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundleFile, jsonSchemaFiles } from "../src/cli/app-server/generate/json-schema.ts";
import { typescriptFiles } from "../src/cli/app-server/generate/typescript.ts";
import { renderConfigDoc } from "./generate-config-doc.ts";
import { manPage } from "./man-page.ts";
import { managerFiles } from "./manager-client.ts";
import { factsFile, readSnapshot } from "./models/facts.ts";
import { protocolDocument } from "./protocol-document.ts";
import { securityDocument } from "./security-document.ts";

const root = path.resolve(import.meta.dirname, "..");
const options = { experimental: true };
const generated = new Map<string, string>([
  ["docs/config.md", renderConfigDoc()],
  ["docs/protocol.md", protocolDocument(root)],
  ["docs/security.md", securityDocument(root)],
  [`schema/${bundleFile}`, jsonSchemaFiles(options).get(bundleFile) ?? ""],
  ["man/parley.1", await manPage()],
  ["src/models/facts.json", factsFile(readSnapshot())],
  ...managerFiles(),
  ...[...typescriptFiles(options)].map(([file, text]): [string, string] => [`schema/typescript/${file}`, text]),
]);
const present = globSync(["schema/**/*.ts", "schema/**/*.json"], { cwd: root }).map((file) => file.split(path.sep).join("/"));
const leftOver = present.filter((file) => !generated.has(file));
const stale = [...generated].filter(
  ([file, text]) => !existsSync(path.join(root, file)) || readFileSync(path.join(root, file), "utf8") !== text,
);

if (process.argv.includes("--check")) {
  for (const file of [...stale.map(([name]) => name), ...leftOver].slice(0, 20))
    console.error(`not fresh: ${file} (run: npm run generate)`);
  process.exitCode = stale.length + leftOver.length === 0 ? 0 : 1;
} else {
  for (const file of leftOver) rmSync(path.join(root, file));
  for (const [file, text] of stale) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  console.log(`${generated.size} files, ${stale.length} written, ${leftOver.length} removed`);
}
