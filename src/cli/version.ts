/** `parley --version`. */
import manifest from "../../package.json" with { type: "json" };
import { codexVersion } from "../protocol/codex-version.ts";
import { calledAs } from "./called-as.ts";
import { toStdout } from "./usage.ts";

export const version: string = manifest.version;

/** Programs that start `codex` parse the Codex version that they need from the first line. */
export async function run(): Promise<number> {
  toStdout(calledAs() === "codex" ? `codex-cli ${codexVersion}\n` : `parley ${version} (codex-cli ${codexVersion})\n`);
  return 0;
}
