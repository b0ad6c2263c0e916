/** The id of this home that a provider is sent; made from the one that Codex keeps in the home. */
import path from "node:path";
import type { ProviderConfig } from "../core/ports/config.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { createFileSync } from "../lib/durable-write.ts";
import { randomUuid } from "../lib/random.ts";
import { type InstallationId, idFrom } from "./turn-metadata.ts";

/** Read once, with the first request. Undefined where the home cannot be written. */
export function installationIdFor(home: string, { baseUrl }: ProviderConfig): InstallationId {
  let known: { readonly id: string | undefined } | undefined;
  return () => {
    known ??= { id: idForProvider(idOfHome(home), baseUrl) };
    return known.id;
  };
}

const idForProvider = (id: string | undefined, baseUrl: string): string | undefined =>
  id === undefined ? undefined : idFrom(`${id} ${baseUrl}`);

function idOfHome(home: string): string | undefined {
  const file = path.join(home, "installation_id");
  const read = (): string | undefined => {
    try {
      return readBoundedTextSync(file, 1024).trim() || undefined;
    } catch {
      return undefined;
    }
  };
  const found = read();
  if (found !== undefined) return found;
  try {
    const id = randomUuid();
    createFileSync(file, id, { sync: "none" });
    return id;
  } catch {
    return read(); // another process was first, or nothing can be written here
  }
}
