/** Adds a skill of the user on the engine's machine: a folder below its home with one file of instructions. */
import { posix, win32 } from "node:path";
import { errorMessage } from "../lib/error-text.ts";
import type { Actor } from "../sessions/records.ts";
import type { Manager } from "./manager.ts";
import { failure, invalid } from "./problems.ts";
import { isMissing } from "./routes/session-diff.ts";

export interface NewSkill {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
}

/** Returns the file. Throws a Problem if the name is invalid or taken. */
export async function addSkill(manager: Manager, by: Actor, { name, description, instructions }: NewSkill): Promise<string> {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw invalid([{ path: "name", message: "expected lower-case letters, digits and single hyphens, such as release-notes" }]);
  const home = manager.link.codexHome;
  if (home === null) throw failure(501, "method_not_supported", "This engine does not say where its home is.");
  // The engine may be on a machine of another kind.
  const { join } = /^[A-Za-z]:\\/.test(home) ? win32 : posix;
  const folder = join(home, "skills", name);
  if (await exists(manager, folder)) throw failure(409, "duplicate_name", `There is already a skill named ${name}.`);
  manager.audit.write({ type: "skill_added", by, summary: name });
  await manager.link.call("fs/createDirectory", { path: folder, recursive: true });
  const file = join(folder, "SKILL.md");
  const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description.replaceAll(/\s+/g, " ").trim())}\n---\n\n${instructions.trim()}\n`;
  await manager.link.call("fs/writeFile", { path: file, dataBase64: Buffer.from(text).toString("base64") });
  await manager.link.call("skills/list", { cwds: [manager.engine.cwd], forceReload: true }).catch((error: unknown) => {
    manager.warn("the skills could not be read again", { error: errorMessage(error) });
  });
  return file;
}

async function exists(manager: Manager, path: string): Promise<boolean> {
  try {
    await manager.link.call("fs/getMetadata", { path });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
