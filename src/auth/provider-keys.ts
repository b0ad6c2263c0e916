/**
 * Stores the keys of model providers other than OpenAI: in a file readable by its owner only, in the system's keyring, or in memory.
 * Separate from auth.json, because other programs that share that file drop unknown keys.
 */
import path from "node:path";
import { isMissing, readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { parseJson } from "../lib/parse-json.ts";
import { named, nullable, parse, record, string } from "../lib/schema.ts";
import { isCode } from "../lib/system-error.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { homeMark, type KeyringEntry, type OpenKeyring, type StoreMode, systemKeyring, withKeyring } from "./storage.ts";

export interface ProviderKeys {
  /** Whether a key is stored, without opening the keyring. */
  has(provider: string): boolean;
  get(provider: string): Promise<string | undefined>;
  save(provider: string, key: string): Promise<void>;
  /** Removes one key, or all of them. Returns whether there was any. */
  forget(provider?: string): Promise<boolean>;
}

export interface ProviderKeysOptions {
  readonly codexHome: string;
  readonly mode: () => StoreMode;
  readonly openKeyring?: OpenKeyring | undefined;
}

/** null: the key is in the keyring. */
const Stored = named("StoredProviderKeys", () => record(nullable(string())));
type Stored = Readonly<Record<string, string | null>>;

const service = "Parley Provider Keys";
const maxBytes = 1024 * 1024;
const maxKeys = 256;

export function createProviderKeys({ codexHome, mode, openKeyring = systemKeyring }: ProviderKeysOptions): ProviderKeys {
  const file = path.join(codexHome, "parley", "keys.json");
  const inMemory = new Map<string, string>();
  const write = (keys: Stored): void => replaceFileSync(file, JSON.stringify(keys, undefined, 2), { mode: 0o600 });

  const entryOf = async <T>(provider: string, use: (entry: KeyringEntry) => Promise<T>): Promise<T> =>
    withKeyring(openKeyring(service, `${await homeMark(codexHome)}|${provider}`), "cli_auth_credentials_store", use);

  /** True if the key was stored in the keyring. */
  async function inKeyring(provider: string, key: string): Promise<boolean> {
    const wanted = mode();
    if (wanted === "file") return false;
    try {
      await entryOf(provider, (entry) => entry.set(key));
      return true;
    } catch (error) {
      if (wanted === "auto") return false; // headless machines have none
      throw error;
    }
  }

  return {
    has(provider) {
      if (inMemory.has(provider)) return true;
      try {
        return Object.hasOwn(read(file), provider);
      } catch {
        return false; // the file's error is reported when the key is needed
      }
    },
    async get(provider) {
      const newest = inMemory.get(provider);
      if (newest !== undefined) return newest;
      const stored = read(file)[provider];
      return stored === null ? await entryOf(provider, (entry) => entry.get()) : stored;
    },
    async save(provider, key) {
      if (mode() === "ephemeral") {
        inMemory.set(provider, key);
        return;
      }
      const before = read(file);
      if (!Object.hasOwn(before, provider) && Object.keys(before).length >= maxKeys)
        throw invalidRequest(`${maxKeys} keys are stored already; remove one with \`parley logout PROVIDER\``);
      const isHidden = await inKeyring(provider, key);
      write({ ...before, [provider]: isHidden ? null : key });
      inMemory.delete(provider);
    },
    async forget(provider) {
      const before = read(file);
      const gone = Object.keys(before).filter((id) => provider === undefined || id === provider);
      for (const id of gone) if (before[id] === null) await entryOf(id, (entry) => entry.remove()).catch(() => false);
      if (gone.length > 0) write(Object.fromEntries(Object.entries(before).filter(([id]) => !gone.includes(id))));
      const wasInMemory = provider === undefined ? inMemory.size > 0 : inMemory.delete(provider);
      if (provider === undefined) inMemory.clear();
      return gone.length > 0 || wasInMemory;
    },
  };
}

function read(file: string): Stored {
  let text: string;
  try {
    if (isMissing(file)) return {};
    text = readBoundedTextSync(file, maxBytes);
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return {};
    throw invalidRequest(`the stored keys cannot be read: ${errorMessage(error)}`);
  }
  const keys = parse(Stored, parseJson(text));
  if (keys === undefined) throw invalidRequest(`${file} does not contain keys by provider; remove it and log in again`);
  return keys;
}
