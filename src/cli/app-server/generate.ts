/** `parley app-server generate-ts` and `generate-json-schema`: bindings for authors of clients. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readFlags, refuseMore, UsageError } from "../usage.ts";
import type { Options } from "./generate/definitions.ts";
import type { Files } from "./generate/typescript.ts";
import { help } from "./help.ts";

/** One TypeScript file per type, with an index. */
export async function generateTs(outDir: string, options: Options): Promise<void> {
  const { typescriptFiles } = await import("./generate/typescript.ts");
  write(outDir, typescriptFiles(options));
}

/** One JSON Schema file per type, and a bundle of all. */
export async function generateJsonSchema(outDir: string, options: Options): Promise<void> {
  const { jsonSchemaFiles } = await import("./generate/json-schema.ts");
  write(outDir, jsonSchemaFiles(options));
}

function write(outDir: string, files: Files): void {
  for (const [name, text] of files) {
    const file = path.join(outDir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The arguments after `app-server`: the generator and its flags. */
export async function run(args: readonly string[]): Promise<number> {
  const [tool, ...rest] = args;
  const { values, positionals } = readFlags(rest, help.commands["generate-ts"]);
  refuseMore(positionals);
  if (values.out === undefined) throw new UsageError("the following required arguments were not provided: --out <DIR>");
  const options = { experimental: values.experimental === true };
  if (tool === "generate-ts") await generateTs(values.out, options);
  else if (tool === "generate-json-schema") await generateJsonSchema(values.out, options);
  else throw new UsageError(`unrecognized subcommand '${tool ?? ""}'`);
  return 0;
}
