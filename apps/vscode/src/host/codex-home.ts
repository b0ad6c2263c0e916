/** The Codex home of the server that this window starts: what is shared with terminals is in it. */
import { homedir } from "node:os";
import path from "node:path";

/** `settings` are the variables that the extension gives its server. */
export function codexHomeOf(settings: Readonly<Record<string, string>>, env: Readonly<Record<string, string | undefined>>): string {
  return path.resolve(settings["CODEX_HOME"] || env["CODEX_HOME"] || path.join(homedir(), ".codex"));
}
