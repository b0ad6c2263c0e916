import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { parseToml } from "../lib/toml.ts";
import { createConfigStore } from "./load.ts";

const mine = `# my settings
model = "m" # the usual one
# short answers
model_verbosity = "low" # really

# only here
[projects."/a b/c"] # a project
trust_level = "trusted" # by hand

[mcp_servers.docs] # documents
command = "docs" # the program
args = [
  "-y", # yes
  # the port
  "4000",
] # end of args

# what I try
[features] # flags
skills = true # keep
# the end
`;
const home = mkdtempSync(path.join(tmpdir(), "parley-many-"));
const file = path.join(home, "config.toml");
/** Each comment of a text with the key or header on its line. No value of these tests contains a #. */
const comments = (text: string): string[] =>
  text.split("\n").flatMap((line) => {
    const [before = "", comment] = line.split("#");
    const owner = /^(\[.*\]|\w+) ?(?:=|$)/.exec(before.trim())?.[1] ?? "";
    return comment === undefined ? [] : [`${owner} #${comment}`];
  });

const text = fc.stringMatching(/^[a-z"\\ ü\n]{0,6}$/);
/** Only values are changed, so each comment must stay on its exact line. */
const changes = fc.oneof(
  fc.tuple(fc.constantFrom("model", "review_model", "instructions", "mcp_servers.docs.command", "mcp_servers.docs.cwd"), text),
  fc.tuple(fc.constant("model_verbosity"), fc.constantFrom("low", "medium", "high")),
  fc.tuple(fc.constantFrom('projects."/a b/c".trust_level', 'projects."/new".trust_level'), fc.constantFrom("trusted", "untrusted")),
  fc.tuple(fc.constantFrom("features.skills", "features.unified_exec", "hide_agent_reasoning"), fc.boolean()),
  fc.tuple(fc.constant("mcp_servers.docs.args"), fc.tuple(text, text)),
  fc.tuple(fc.constantFrom("review_model", "mcp_servers.docs.cwd", "features.unified_exec"), fc.constant(null)),
  fc.tuple(fc.constant("shell_environment_policy.set"), fc.dictionary(fc.constantFrom("A", "B", "c.d"), text, { noNullPrototype: true })),
);

describe("a thousand writes into one file", () => {
  after(() => rmSync(home, { recursive: true, force: true }));

  it("leave every comment on its line and read back as written", () => {
    const store = createConfigStore({ codexHome: home, env: {}, systemDir: path.join(home, "etc") });
    writeFileSync(file, mine);
    let writes = 0;
    fc.assert(
      fc.property(changes, ([keyPath, value]) => {
        const { status } = store.write([{ keyPath, value, mergeStrategy: "replace" }]);
        writes++;
        const text = readFileSync(file, "utf8");
        assert.equal(status, "ok");
        assert.deepEqual(comments(text), comments(mine));
        const parts = keyPath.match(/"[^"]*"|[^.]+/g)?.map((part) => part.replaceAll('"', "")) ?? [];
        const read = parts.reduce<unknown>(
          (table, part) => (typeof table === "object" && table !== null ? Reflect.get(table, part) : undefined),
          parseToml(text),
        );
        const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
        assert.deepEqual(read ?? (isEmpty ? {} : null), value);
      }),
      { numRuns: 1000, endOnFailure: true },
    );
    assert.equal(writes, 1000);
    assert.deepEqual(readdirSync(home), ["config.toml"]);
  });
});
