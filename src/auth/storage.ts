/** Stores the account: in auth.json readable by its owner only, in the system's keyring, or in memory. */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import path from "node:path";
import { readBoundedText } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { type AuthData, authDataFrom } from "./auth-data.ts";

export type StoreMode = "file" | "keyring" | "auto" | "ephemeral";

export interface AuthStorage {
  /** Undefined if nobody is signed in. Throws RpcError if the stored data is invalid. */
  load(): Promise<AuthData | undefined>;
  save(data: AuthData): Promise<void>;
  /** Returns whether there was anything to remove. */
  clear(): Promise<boolean>;
}

/** One secret in the system's keyring. Every call may fail if there is no keyring. */
export interface KeyringEntry {
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
  remove(): Promise<boolean>;
}
export type OpenKeyring = (service: string, account: string) => Promise<KeyringEntry>;

export function createStorage(mode: StoreMode, codexHome: string, openKeyring: OpenKeyring = systemKeyring): AuthStorage {
  const file = fileStorage(path.join(codexHome, "auth.json"));
  if (mode === "file") return file;
  if (mode === "ephemeral") return memoryStorage();
  const keyring = keyringStorage(codexHome, openKeyring);
  return mode === "keyring" ? keyring : keyringOrFile(keyring, file);
}

const maxBytes = 1024 * 1024;

function fileStorage(file: string): AuthStorage {
  return {
    async load() {
      const text = await readBoundedText(file, maxBytes).catch(absent);
      return text === undefined ? undefined : parsed(text, file);
    },
    async save(data) {
      replaceFileSync(file, JSON.stringify(data, undefined, 2), { mode: 0o600 });
    },
    async clear() {
      const was = lstatSync(file, { throwIfNoEntry: false });
      await rm(file, { force: true });
      return was !== undefined;
    },
  };
}

function memoryStorage(): AuthStorage {
  let held: AuthData | undefined;
  return {
    load: async () => held,
    async save(data) {
      held = data;
    },
    async clear() {
      const was = held !== undefined;
      held = undefined;
      return was;
    },
  };
}

/** The names under which other programs of this home store the same secret. */
const service = "Codex Auth";
const accountName = async (codexHome: string): Promise<string> => `cli|${await homeMark(codexHome)}`;

/** Tells the entries of one home from those of another in the same keyring. */
export async function homeMark(codexHome: string): Promise<string> {
  const real = await realpath(codexHome).catch(() => codexHome);
  return createHash("sha256").update(real).digest("hex").slice(0, 16);
}

function keyringStorage(codexHome: string, open: OpenKeyring): AuthStorage {
  const setting = "cli_auth_credentials_store";
  return {
    async load() {
      const text = await withKeyring(open(service, await accountName(codexHome)), setting, (entry) => entry.get());
      return text === undefined ? undefined : parsed(text, "the system's keyring");
    },
    async save(data) {
      await withKeyring(open(service, await accountName(codexHome)), setting, (entry) => entry.set(JSON.stringify(data)));
      await rm(path.join(codexHome, "auth.json"), { force: true });
    },
    clear: async () => withKeyring(open(service, await accountName(codexHome)), setting, (entry) => entry.remove()),
  };
}

/** Uses one entry. An error names the setting that avoids the keyring: many machines have none. */
export async function withKeyring<T>(opened: Promise<KeyringEntry>, setting: string, use: (entry: KeyringEntry) => Promise<T>): Promise<T> {
  try {
    return await use(await opened);
  } catch (error) {
    throw invalidRequest(
      `the system's keyring cannot be used (${errorMessage(error)}); ${setting} = "file" in config.toml keeps secrets in a file that only its owner can read`,
    );
  }
}

/** The keyring if there is one; otherwise the file, without a warning, because headless machines have no keyring. */
function keyringOrFile(keyring: AuthStorage, file: AuthStorage): AuthStorage {
  return {
    load: async () => (await keyring.load().catch(() => undefined)) ?? file.load(),
    save: (data) => keyring.save(data).catch(() => file.save(data)),
    async clear() {
      const inKeyring = await keyring.clear().catch(() => false);
      return (await file.clear()) || inKeyring;
    },
  };
}

export async function systemKeyring(serviceName: string, account: string): Promise<KeyringEntry> {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  const entry = new AsyncEntry(serviceName, account);
  return {
    get: async () => (await entry.getPassword()) ?? undefined,
    set: (secret) => entry.setPassword(secret),
    remove: () => entry.deletePassword(),
  };
}

function parsed(text: string, where: string): AuthData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest(`${where} is not valid JSON; sign out and in again`);
  }
  const data = authDataFrom(value);
  if (data === undefined) throw invalidRequest(`${where} does not contain an account in a known format; sign out and in again`);
  return data;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw invalidRequest(`the account cannot be read: ${error.message}`);
}
