/** Provider keys: stored for their owner only, in the file, the keyring or memory, and removed. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { createProviderKeys } from "./provider-keys.ts";
import type { OpenKeyring, StoreMode } from "./storage.ts";

let home: string;
const file = (): string => path.join(home, "parley", "keys.json");

describe("keys of providers", () => {
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-keys-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const secrets = new Map<string, string>();
  const keyring: OpenKeyring = async (_service, account) => ({
    get: async () => secrets.get(account),
    set: async (secret) => void secrets.set(account, secret),
    remove: async () => secrets.delete(account),
  });
  const none: OpenKeyring = async () => {
    throw new Error("no keyring here");
  };
  const open = (mode: StoreMode, openKeyring: OpenKeyring = none) => createProviderKeys({ codexHome: home, mode: () => mode, openKeyring });

  it("are stored in a file that only its owner can read, and each can be removed", async () => {
    const keys = open("file");
    await keys.save("anthropic", "sk-a");
    await keys.save("groq", "sk-g");
    assert.deepEqual([statSync(file()).mode & 0o777, keys.has("groq"), await keys.get("anthropic")], [0o600, true, "sk-a"]);
    assert.deepEqual([await keys.forget("groq"), await keys.forget("groq"), keys.has("groq")], [true, false, false]);
    assert.deepEqual([await open("file").get("anthropic"), await keys.forget(), await keys.get("anthropic")], ["sk-a", true, undefined]);
  });

  it("are stored only in the keyring if the settings say so, and are listed without opening it", async () => {
    const keys = open("keyring", keyring);
    await keys.save("gemini", "sk-secret");
    assert.deepEqual([open("file").has("gemini"), await keys.get("gemini")], [true, "sk-secret"]);
    assert.ok(!readFileSync(file(), "utf8").includes("sk-secret"));
    const other = mkdtempSync(path.join(tmpdir(), "parley-keys-"));
    const others = createProviderKeys({ codexHome: other, mode: () => "keyring", openKeyring: keyring });
    await others.save("gemini", "of another home");
    assert.equal(await keys.get("gemini"), "sk-secret");
    await others.forget();
    rmSync(other, { recursive: true });
    assert.deepEqual([await keys.forget("gemini"), secrets.size], [true, 0]);
  });

  it("report how to fix a missing keyring, or use the file if the settings allow it", async () => {
    await assert.rejects(
      open("keyring").save("xai", "k"),
      /keyring cannot be used \(no keyring here\); cli_auth_credentials_store = "file"/,
    );
    await open("auto").save("xai", "k");
    assert.equal(await open("auto").get("xai"), "k");
  });

  it("are not written anywhere when they are kept in memory", async () => {
    const keys = open("ephemeral");
    await keys.save("zai", "k");
    assert.deepEqual([keys.has("zai"), await keys.get("zai"), existsSync(file())], [true, "k", false]);
    assert.deepEqual([await keys.forget("zai"), keys.has("zai")], [true, false]);
  });

  it("are the ones that were saved last, in memory or not", async () => {
    let mode: StoreMode = "file";
    const keys = createProviderKeys({ codexHome: home, mode: () => mode, openKeyring: none });
    const saved: unknown[] = [];
    for (const [next, key] of [
      ["file", "first"],
      ["ephemeral", "second"],
      ["file", "third"],
    ] as const) {
      mode = next;
      await keys.save("zai", key);
      saved.push(await keys.get("zai"));
    }
    assert.deepEqual(saved, ["first", "second", "third"]);
  });

  it("of a damaged file are not guessed", async () => {
    mkdirSync(path.dirname(file()));
    for (const text of ["{", "[1]", '{"a":1}']) {
      writeFileSync(file(), text);
      await assert.rejects(async () => open("file").get("a"), /keys\.json does not contain keys by provider/);
      assert.equal(open("file").has("a"), false, "lists are shown all the same");
    }
  });
});
