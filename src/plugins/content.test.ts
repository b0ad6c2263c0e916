import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { isUnchanged, readContent } from "./content.ts";

describe("a plugin's content", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "parley-content-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };

  test("has the digest that Codex 0.166 shows for its hooks", () => {
    write(".codex-plugin/plugin.json", '{"name":"demo"}\n');
    write("hooks/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\${CLAUDE_PLUGIN_ROOT}/stop.sh"}]}]}}\n`);
    assert.equal(readContent(root).digest, "sha256:02f0a82010c64045e5dd13993381a051b3c67e88b356fbad44b9588bc93360d7");
    mkdirSync(path.join(root, "empty"));
    assert.equal(readContent(root).digest, "sha256:9d53ff4be092faca1fa430ee95f9e0e6dfcb66710aeae736ff7b0c87b27e2c43");
    rmSync(path.join(root, "empty"), { recursive: true });
    // Names in byte order, each folder with its contents before the next name.
    for (const [name, text] of Object.entries({ "a/b": "1", "a.b": "2", "a-": "3", é: "4", Z: "5" })) write(name, `${text}\n`);
    assert.equal(readContent(root).digest, "sha256:226cc84c9e21c529650bb9398249eba9f4e75cd3e0ba85764e5c5ac66ce45eed");
  });

  test("is read again when a file or a folder has changed", () => {
    write("a/b", "1");
    const content = readContent(root);
    assert.equal(isUnchanged(root, content), true);
    write("a/c", "");
    assert.equal(isUnchanged(root, content), false);
    const second = readContent(root);
    write("a/b", "2");
    assert.equal(isUnchanged(root, second), false);
  });

  test("is refused when there is too much of it, or anything but files and folders", () => {
    write("a/b", "12345");
    write("c", "678");
    const limits = { entries: 4, bytes: 8 };
    assert.match(readContent(root, limits).digest, /^sha256:/);
    assert.throws(() => readContent(root, { ...limits, bytes: 7 }), /more than 7 bytes/);
    assert.throws(() => readContent(root, { ...limits, entries: 3 }), /more than 3 files and folders/);
    for (let i = 0, name = "deep"; i < 40; i++, name += "/d") mkdirSync(path.join(root, name));
    assert.throws(() => readContent(root), /more than 32 deep/);
    rmSync(path.join(root, "deep"), { recursive: true });
    symlinkSync("a", path.join(root, "link"));
    assert.throws(() => readContent(root), /link is neither a file nor a folder/);
  });
});
