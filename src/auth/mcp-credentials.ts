/** Stores the credentials of MCP servers: in a file readable by its owner only, or in the system's keyring. */
import { createHash } from "node:crypto";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { type Infer, named, number, object, optional, parse, record, string } from "../lib/schema.ts";
import { type OpenKeyring, systemKeyring, withKeyring } from "./storage.ts";

const Tokens = () =>
  object({
    access_token: string(),
    token_type: string(),
    refresh_token: optional(string()),
    id_token: optional(string()),
    scope: optional(string()),
    expires_in: optional(number()),
  });
const Registration = () => object({ client_id: string(), client_secret: optional(string()) });

const Entry = named("McpCredential", () =>
  object({
    url: string(),
    tokens: optional(Tokens()),
    /** Our client registration with the server's issuer. */
    client: optional(Registration()),
    /** The keyring entry that contains both instead. */
    keyring: optional(string()),
  }),
);
type Entry = Infer<typeof Entry>;
/** In the formats that the MCP library expects; its additional keys are preserved. */
export interface McpCredential {
  readonly tokens: Entry["tokens"] | undefined;
  readonly client: Entry["client"] | undefined;
}

export interface McpCredentials {
  /** Cheap, does not open the keyring: whether credentials are stored for this server at this address. */
  has(name: string, url: string): boolean;
  load(name: string, url: string): Promise<McpCredential | undefined>;
  save(name: string, url: string, credential: McpCredential): Promise<void>;
  remove(name: string, url: string): Promise<boolean>;
}

const service = "Parley MCP";
const setting = "mcp_oauth_credentials_store";

export function createMcpCredentials(
  codexHome: string,
  mode: () => "auto" | "file" | "keyring",
  openKeyring: OpenKeyring = systemKeyring,
): McpCredentials {
  const file = path.join(codexHome, "parley", "mcp-credentials.json");
  /** Another address is another server: tokens must not be sent to it. */
  const keyOf = (name: string, url: string): string => `${name}|${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
  const accountOf = (key: string): string => `${createHash("sha256").update(codexHome).digest("hex").slice(0, 16)}|${key}`;

  return {
    has: (name, url) => Object.hasOwn(readEntries(file), keyOf(name, url)),
    async load(name, url) {
      const entry = readEntries(file)[keyOf(name, url)];
      if (entry === undefined) return undefined;
      if (entry.keyring === undefined) return { tokens: entry.tokens, client: entry.client };
      const text = await withKeyring(openKeyring(service, entry.keyring), setting, (kept) => kept.get());
      const kept = text === undefined ? undefined : parse(Entry, JSON.parse(text));
      return kept === undefined ? undefined : { tokens: kept.tokens, client: kept.client };
    },
    async save(name, url, { tokens, client }) {
      const key = keyOf(name, url);
      const whole: Entry = { url, ...(tokens === undefined ? {} : { tokens }), ...(client === undefined ? {} : { client }) };
      const entry = mode() === "file" ? whole : await inKeyring(accountOf(key), whole, mode() === "keyring", openKeyring);
      writeEntries(file, { ...readEntries(file), [key]: entry });
    },
    async remove(name, url) {
      const { [keyOf(name, url)]: entry, ...rest } = readEntries(file);
      if (entry === undefined) return false;
      if (entry.keyring !== undefined) await (await openKeyring(service, entry.keyring)).remove().catch(() => false);
      writeEntries(file, rest);
      return true;
    },
  };
}

/** Returns what to store in the file: a pointer, or with `auto` the whole entry if there is no keyring. */
async function inKeyring(account: string, whole: Entry, must: boolean, open: OpenKeyring): Promise<Entry> {
  try {
    await withKeyring(open(service, account), setting, (kept) => kept.set(JSON.stringify(whole)));
    return { url: whole.url, keyring: account };
  } catch (error) {
    if (must) throw error;
    return whole;
  }
}

const maxBytes = 4 * 1024 * 1024;
const Entries = named("McpCredentialFile", () => record(Entry()));

/** An unreadable file counts as empty: the user signs in again. */
function readEntries(file: string): Readonly<Record<string, Entry>> {
  try {
    return parse(Entries, JSON.parse(readBoundedTextSync(file, maxBytes))) ?? {};
  } catch {
    return {};
  }
}

const writeEntries = (file: string, entries: Readonly<Record<string, Entry>>): void =>
  replaceFileSync(file, `${JSON.stringify(entries, undefined, 2)}\n`, { mode: 0o600 });
