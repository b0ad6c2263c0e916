import assert from "node:assert/strict";
import { test } from "node:test";
import { mcpSettingOf, wordsOf } from "./mcp-setting.ts";

const setting = (source: string, variables = "", name = "docs"): unknown => mcpSettingOf({ name, source, variables }, ["taken"]);

test("a command line becomes a command with arguments and environment, an address a url", () => {
  assert.deepEqual(setting('npx -y "@some/mcp server" --flag=a\\ b', "KEY=a=b\n\n TOKEN= x "), {
    command: "npx",
    args: ["-y", "@some/mcp server", "--flag=a b"],
    env: { KEY: "a=b", TOKEN: " x " },
  });
  assert.deepEqual(setting(" https://mcp.example.com/x "), { url: "https://mcp.example.com/x" });
});

test("what is wrong is said in words", () => {
  assert.match(String(setting("npx", "", "a b")), /A name has letters/);
  assert.match(String(setting("npx", "", "taken")), /already a server named taken/);
  assert.match(String(setting('npx "x')), /quotation mark is not closed/);
  assert.match(String(setting("npx", "nonsense")), /Not NAME=value: nonsense/);
  assert.match(String(setting("https://x.example", "A=1")), /An address has no environment/);
  assert.match(String(setting("https://[")), /cannot be read/);
  assert.match(String(setting("  ")), /needed/);
});

test("words are split as a shell splits them", () => {
  assert.deepEqual(wordsOf(`a 'b "c' "d\\"e" f\\g ''`), ["a", 'b "c', 'd"e', "fg", ""]);
});
