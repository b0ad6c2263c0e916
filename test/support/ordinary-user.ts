/** Runs tests with an ordinary user's rights, where root would bypass the failure. */
import { chownSync } from "node:fs";

const nobody = 65534;

/** Runs `work` with an ordinary user's rights; that user owns `folders` meanwhile. Does nothing unless run as root. */
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
