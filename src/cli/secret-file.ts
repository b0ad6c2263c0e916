/** Reads files that contain a secret: anyone else who could read one could sign in as its owner. Serves the listeners' flags and the manager. */
import { readFileSync, type Stats, statSync } from "node:fs";
import { noteSecretFiles } from "../home/secret-files.ts";
import { errorMessage } from "../lib/error-text.ts";
import { codexHome, StartError } from "./usage.ts";

/** The number of base64 characters that encode 128 bits. */
export const minTokenLength = 22;

/** The file's content without the surrounding white space that editors and `echo` add. Refused when empty or readable by others. */
export function readSecretFile(file: string): string {
  let text: string;
  let found: Stats;
  try {
    text = readFileSync(file, "utf8").trim();
    found = statSync(file);
  } catch (error) {
    throw new StartError(`failed to read websocket auth secret ${file}: ${errorMessage(error)}`);
  }
  if (text === "") throw new StartError(`websocket auth secret ${file} must not be empty`);
  if (found.isFile() && process.platform !== "win32" && (found.mode & othersBits(found)) !== 0)
    throw new StartError(
      `${file} holds a secret and has mode ${(found.mode & 0o777).toString(8)}: others can read it. Run: chmod 600 ${file}`,
    );
  hideSecretFile(file);
  return text;
}

/** Keeps commands of every server with this home from reading the file. Also for secret files that are read in another way. */
export function hideSecretFile(file: string): void {
  try {
    noteSecretFiles(codexHome(), [file]);
  } catch (error) {
    throw new StartError(`cannot keep commands from reading ${file}: ${errorMessage(error)}`);
  }
}

/** A service's secret may belong to root and be readable by the service's group; a user's must be private. Pipes store nothing. */
const othersBits = ({ uid }: Stats): number => (uid === 0 && process.getuid?.() !== 0 ? 0o037 : 0o077);
