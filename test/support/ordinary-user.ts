/** Lets a test that root could not fail run with an ordinary user's rights. */
import { chownSync } from "node:fs";

const nobody = 65534;

/** Runs `work` with the rights of an ordinary user; `folders` are theirs meanwhile. For anybody but root it changes nothing. */
export async function asOrdinaryUser(folders: readonly string[], work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  for (const folder of folders) chownSync(folder, nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
