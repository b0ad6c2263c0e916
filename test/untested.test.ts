/** Every method, tool, config key, hook event and screen needs a test that names it, and every hook event needs code that runs it. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Keys } from "../src/config/key.ts";
import { configKeys } from "../src/config/keys.ts";
import { hookEventNames } from "../src/core/ports/hooks.ts";
import { jsonSchema } from "../src/lib/schema.ts";
import { ManagedHooksRequirements } from "../src/protocol/config-requirements.ts";
import { clientRequests, serverRequests } from "../src/protocol/methods.ts";

/** What had no test when its rule was introduced. The lists may only get shorter. */
const untestedYet = {
  methods: [],
  tools: [],
  keys: ["sparse_paths"],
};

const root = path.resolve(import.meta.dirname, "..");
const textsOf = (patterns: readonly string[]): readonly string[] =>
  globSync(patterns, { cwd: root })
    .filter((file) => path.basename(file) !== path.basename(import.meta.filename))
    .map((file) => readFileSync(path.join(root, file), "utf8"));

/** Tests of the handlers, not of the tables, which name every method. */
const answers = textsOf([
  "test/{scenarios,faults,live,support,tui}/**/*.ts",
  "test/*.itest.ts",
  "src/{client,server,manager,sessions,adapters,cli}/**/*.test.ts",
]);
const allTests = textsOf(["test/**/*.ts", "src/**/*.test.ts", "apps/*/src/**/*.test.{ts,tsx}"]);
const sources = (patterns: readonly string[]): string =>
  globSync(patterns, { cwd: root })
    .filter((file) => !/\.test\.ts$/.test(file))
    .map((file) => readFileSync(path.join(root, file), "utf8"))
    .join("\n");

const unnamed = (names: Iterable<string>, texts: readonly string[], spelt: (name: string) => RegExp): string[] =>
  [...new Set(names)].filter((name) => !texts.some((text) => spelt(name).test(text))).sort();
const quoted = (name: string): RegExp => new RegExp(`"${name}"`);
/** Also after a written `\n`, as in the text of a config file. */
const whole = (name: string): RegExp => new RegExp(`(?:\\b|\\\\n)${name}\\b`);

/** The keys that have an effect here, at every depth. */
function* usedKeys(keys: Keys): Generator<string> {
  for (const [name, key] of Object.entries(keys)) {
    if (key.unused !== undefined || key.foreign === true) continue;
    yield name;
    const inner = key.kind === "named" ? key.of : key;
    if (inner.kind === "table") yield* usedKeys(inner.keys);
  }
}

test("each method is named by a test of what answers it", () => {
  const methods = Object.keys({ ...clientRequests, ...serverRequests });
  assert.deepEqual(unnamed([...methods, "thread/planted"], answers, quoted), [...untestedYet.methods, "thread/planted"]);
});

test("each tool is named by a test", () => {
  const names = [...sources(["src/tools/**/*.ts"]).matchAll(/\bname: "([a-z_]+)"/g)].map(([, name = ""]) => name);
  assert.ok(names.includes("apply_patch"), "the tools are found");
  assert.deepEqual(unnamed([...names, "tool_planted"], allTests, whole), [...untestedYet.tools, "tool_planted"]);
});

test("each config key that has an effect is named by a test", () => {
  const events = new Set(Object.values(hookEventNames));
  const keys = [...usedKeys(configKeys)].filter((name) => !events.has(name));
  assert.deepEqual(unnamed([...keys, "zz_planted"], allTests, whole), [...untestedYet.keys, "zz_planted"]);
});

test("each place of the page is visited by the test of every screen", () => {
  const router = sources(["apps/web/src/state/router.ts"]);
  const screens = textsOf(["test/web/screens.itest.ts"]).join("");
  // The first segment of each path that addressOf() returns: "/inbox", "/s", "/settings".
  const addresses = [...router.matchAll(/^ {6}return ["`](\/[a-z]*)/gm)].map(([, address = ""]) => address);
  assert.ok(addresses.includes("/inbox") && addresses.includes("/settings"), "the addresses are found");
  const visited = (address: string): boolean => new RegExp(`["\`]${address}["/\`]`).test(screens);
  assert.deepEqual(
    [...addresses, "/planted"].filter((address) => !visited(address)),
    ["/planted"],
  );
});

test("each hook event is run by core, can be set by the administrator, is documented, and is tried by a scenario", () => {
  const code = sources(["src/core/**/*.ts"]);
  const scenarios = textsOf(["test/scenarios/**/*.ts"]);
  const [page = ""] = textsOf(["docs/hooks.md"]);
  const managed = jsonSchema(ManagedHooksRequirements());
  for (const [event, name] of Object.entries(hookEventNames)) {
    assert.ok(new RegExp(`\\bevent:[^\\n]*"${event}"`).test(code), `no place of src/core runs the hooks of ${name}`);
    assert.ok(quoted(name).test(JSON.stringify(managed)), `ManagedHooksRequirements of src/protocol/config-requirements.ts lacks ${name}`);
    assert.ok(whole(name).test(page), `docs/hooks.md does not tell of ${name}`);
    assert.ok(
      scenarios.some((text) => whole(name).test(text) || whole(event).test(text)),
      `no scenario names ${name}`,
    );
  }
});
