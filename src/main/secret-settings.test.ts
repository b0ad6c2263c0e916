import assert from "node:assert/strict";
import { homedir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { secretFilesIn, secretSettings } from "./secret-settings.ts";

test("secret files named in settings are found, keys themselves and other files are not", () => {
  const settings = {
    model_instructions_file: "/etc/base.md",
    model_providers: {
      own: {
        credential_file: "/etc/own/credentials.json",
        env_key: "OWN_KEY",
        options: { keyFilename: "~/keys/own.json", apiKey: "sk-1" },
      },
      other: { options: { private_key_path: "key.pem", "client-private-key": "/etc/tls/client.key", token_file: "" } },
    },
    otel: { exporter: { "otlp-http": { tls: { "client-private-key": "-----BEGIN KEY-----\nx" } } } },
    list: [{ "token-file": "/run/secrets/token" }],
  };
  assert.deepEqual(secretFilesIn(settings, "/home/u/.codex"), [
    "/etc/own/credentials.json",
    path.join(homedir(), "keys/own.json"),
    "/home/u/.codex/key.pem",
    "/etc/tls/client.key",
    "/run/secrets/token",
  ]);
});

test("unreadable settings keep the previous result", () => {
  let settings: () => unknown = () => ({ token_file: "/a" });
  const files = secretSettings(() => settings(), "/");
  assert.deepEqual(files(), ["/a"]);
  settings = () => {
    throw new Error("torn");
  };
  assert.deepEqual(files(), ["/a"]);
});
