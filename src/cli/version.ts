/** `parley --version`. */
import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;

export async function run(): Promise<number> {
  process.stdout.write(`parley ${version}\n`);
  return 0;
}
