/** What commands may read in the server's own home: a short list of entries meant for them, and never a secret. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../lib/paths.ts";
import { setOf } from "../../lib/set-of.ts";

/** Long tool results, of which the model gets a part and the path of the rest. */
const outputs = path.join("parley", "outputs");

/** Instructions and scripts that prompts refer the model to. Everything else in the home is private to the server. */
const openEntries = setOf("AGENTS.md AGENTS.override.md agents memories plugins prompts rules skills vendor_imports");

/** Names that the server keeps in its home; used if the home is also the user's home, so that only these are hidden. */
const ownEntries = setOf(
  `parley auth.json .credentials.json config.toml sessions archived_sessions log history.jsonl hooks.json shell_snapshots
   thread-writer-locks .tmp auth.lock installation_id internal_storage.json models_cache.json session_index.jsonl
   version.json .personality_migration .sandbox_migration`,
);
const ownPatterns = [/^auth\.json/, /^\.credentials/, /^config\.toml/, /\.sqlite(-wal|-shm|-journal)?$/, /^state_\d/, /^logs_\d/];

const isOwn = (name: string): boolean => ownEntries.has(name) || ownPatterns.some((pattern) => pattern.test(name));

/** Whether a writable root would expose the server's own home: the home itself, or an entry that the server reads or writes. */
export function isServerOwned(real: string, codexHome: string): boolean {
  if (!isInside(real, codexHome)) return false;
  const [first] = path.relative(codexHome, real).split(path.sep);
  return first === undefined || first === "" || openEntries.has(first) || isOwn(first);
}

/**
 * The entries of the home that commands may read. They are listed one by one, so that a secret that is written or replaced while a command
 * runs stays hidden: a mask over a single file would be lost when a rename replaces the file.
 */
export function readableEntries(codexHome: string, userHome: string | undefined): string[] {
  let names: string[];
  try {
    names = readdirSync(codexHome);
  } catch {
    return [];
  }
  const isUserHome = userHome !== undefined && isInside(userHome, codexHome);
  const shown = names.filter((name) => (isUserHome ? !isOwn(name) : openEntries.has(name)));
  return existsSync(path.join(codexHome, outputs)) ? [...shown, outputs] : shown;
}
