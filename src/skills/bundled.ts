/** The skills that come along: written into the user's home the first time skills are asked for. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { skillCreator, skillInstaller } from "./bundled-texts.ts";

const bundled: Readonly<Record<string, string>> = { "skill-creator": skillCreator, "skill-installer": skillInstaller };
/** In the text of each: tells ours from a skill of the same name that another program put there, which is left alone. */
const mark = "<!-- bundled with parley -->";

/** Resolves when what is ours is up to date. A home that cannot be written simply has no bundled skills. */
export async function unpackBundled(systemFolder: string): Promise<void> {
  await Promise.all(Object.entries(bundled).map(([name, text]) => unpack(path.join(systemFolder, name, "SKILL.md"), `${text}\n${mark}\n`)));
}

async function unpack(file: string, text: string): Promise<void> {
  const present = await readFile(file, "utf8").catch(() => undefined);
  if (present === text || (present !== undefined && !present.includes(mark))) return;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  } catch {
    // Read-only homes are common in containers; skills of other places still work.
  }
}
