/** Reads files that hold a secret: whoever else could read one could come in as its owner. Serves the listeners' flags and the manager. */
import { readFileSync, type Stats, statSync } from "node:fs";
import { noteSecretFiles } from "../home/secret-files.ts";
import { errorMessage } from "../lib/error-text.ts";
import { codexHome, StartError } from "./usage.ts";

/** The letters of base64 that hold 128 bits. */
export const minTokenLength = 22;

/** The file's content without white space around it, which editors and `echo` add. Refused when it is empty or others may read it. */
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

/** Keeps commands of every server with this home from reading the file. For files with secrets that are read in another way, too. */
export function hideSecretFile(file: string): void {
  try {
    noteSecretFiles(codexHome(), [file]);
  } catch (error) {
    throw new StartError(`cannot keep commands from reading ${file}: ${errorMessage(error)}`);
  }
}

/** A service's secret may be root's and readable by the service's group; one's own is nobody else's. Pipes hold nothing that stays. */
const othersBits = ({ uid }: Stats): number => (uid === 0 && process.getuid?.() !== 0 ? 0o037 : 0o077);
