/** The bundled skills: written to the user's home the first time skills are listed. */
import path from "node:path";
import { readBoundedText } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { isCode } from "../lib/system-error.ts";
import { skillCreator, skillInstaller } from "./bundled-texts.ts";

const bundled: Readonly<Record<string, string>> = { "skill-creator": skillCreator, "skill-installer": skillInstaller };
/** A marker in each text: distinguishes ours from a skill of the same name that another program installed, which is left alone. */
const mark = "<!-- bundled with parley -->";

const maxBytes = 256 * 1024;

/** Resolves when our skills are up to date. A read-only home simply has no bundled skills. */
export async function unpackBundled(systemFolder: string): Promise<void> {
  await Promise.all(Object.entries(bundled).map(([name, text]) => unpack(path.join(systemFolder, name, "SKILL.md"), `${text}\n${mark}\n`)));
}

async function unpack(file: string, text: string): Promise<void> {
  const present = await readBoundedText(file, maxBytes).catch((error: unknown) => (isCode(error, "ENOENT") ? undefined : "not ours"));
  if (present === text || (present !== undefined && !present.includes(mark))) return;
  try {
    replaceFileSync(file, text, { mode: 0o600, sync: "none" });
  } catch {
    // Read-only homes are common in containers; skills from other folders still work.
  }
}
