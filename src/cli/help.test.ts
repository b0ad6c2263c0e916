import assert from "node:assert/strict";
import { test } from "node:test";
import { flags as acp } from "./acp.ts";
import { flags as appServer } from "./app-server.ts";
import { commands } from "./commands.ts";
import { flags as debug } from "./debug.ts";
import { flags as doctor } from "./doctor.ts";
import { execFlags } from "./exec-flags.ts";
import { flags as generate } from "./generate.ts";
import { allFlags, type Help, renderHelp, wrapped } from "./help-text.ts";
import { helpFor, helps } from "./helps.ts";
import { flags as hooks } from "./hooks.ts";
import { flags as login, logoutFlags } from "./login.ts";
import { flags as manager } from "./manager.ts";
import { flags as mcp } from "./mcp.ts";
import { flags as mcpServer } from "./mcp-server.ts";
import { flags as proxy } from "./proxy.ts";
import { flags as threads } from "./threads.ts";
import { flags as trust } from "./trust.ts";
import { flags as tui } from "./tui.ts";
import { readFlags, UsageError, unknownSubcommand } from "./usage.ts";

type Options = Readonly<Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>>;

/** What each subcommand really takes. */
const taken: Readonly<Record<string, Options>> = {
  tui,
  resume: tui,
  fork: tui,
  "app-server": appServer,
  "app-server proxy": proxy,
  "app-server generate-ts": generate,
  "app-server generate-json-schema": generate,
  exec: execFlags,
  review: execFlags,
  "mcp-server": mcpServer,
  manager,
  acp,
  login,
  logout: logoutFlags,
  ...Object.fromEntries(Object.entries(mcp).map(([word, options]) => [`mcp ${word}`, options])),
  mcp: {},
  ...Object.fromEntries(Object.entries(threads).map(([word, options]) => [`threads ${word}`, options])),
  threads: {},
  doctor,
  trust,
  hooks,
  debug: {},
  "debug bundle": debug,
  tour: {},
  completion: {},
  version: {},
  help: {},
};

async function everyHelp(): Promise<readonly (readonly [string, Help])[]> {
  const walk = (name: string, help: Help): (readonly [string, Help])[] => [
    [name, help],
    ...Object.entries(help.commands ?? {}).flatMap(([word, inner]) => walk(`${name} ${word}`, inner)),
  ];
  return (await Promise.all(Object.entries(helps).map(async ([name, load]) => walk(name, await load())))).flat();
}

test("every subcommand has help with a summary and an example", async () => {
  assert.deepEqual(Object.keys(helps).toSorted(), Object.keys(commands).toSorted());
  for (const [name, help] of await everyHelp()) {
    assert.ok(help.summary.length > 5 && help.examples.length > 0, name);
    for (const [line] of help.examples) assert.match(line, /\bparley\b/, name);
  }
});

test("help names every flag that is taken, and no other, with its short form and whether it has a value", async () => {
  for (const [name, help] of await everyHelp()) {
    const told = allFlags(help).map((flag) => [flag.name, flag.short, flag.value === undefined ? "boolean" : "string"]);
    const options = taken[name];
    assert.ok(options !== undefined, `parley ${name} is missing in the table of this test`);
    const real = Object.entries(options).map(([flag, { type, short }]) => [flag, short, type]);
    assert.deepEqual(told.toSorted(), real.toSorted(), `parley ${name}`);
  }
});

test("help fits narrow and wide terminals", async () => {
  for (const [name, help] of await everyHelp())
    for (const width of [60, 110]) {
      const text = renderHelp(`parley ${name}`, help, width);
      const tooWide = text
        .split(/\n\n(?=Examples:|Addresses:|In Zed)/)[0]
        ?.split("\n")
        .filter((line) => line.length > width && !/^(Usage:| {7})/.test(line));
      assert.deepEqual(tooWide, [], `parley ${name} at ${width}`);
      assert.match(text, /\nUsage: parley /);
      assert.match(text, /\nExit codes: 0 /);
    }
});

test("the deepest subcommand that is named answers", async () => {
  assert.equal((await helpFor(["mcp", "add", "x", "--help"]))?.name, "parley mcp add");
  assert.equal((await helpFor(["mcp", "nonsense"]))?.name, "parley mcp");
  assert.equal((await helpFor(["constructor"]))?.name, undefined);
});

test("a wrong flag or subcommand names the one that was meant, and nothing when none is near", () => {
  const message = (words: readonly string[]): string => {
    try {
      readFlags(words, appServer);
    } catch (error) {
      assert.ok(error instanceof UsageError);
      return error.message;
    }
    return "taken";
  };
  assert.equal(message(["--lisen", "x"]), "unexpected argument '--lisen' found; did you mean '--listen'?");
  assert.equal(message(["--log_level", "x"]), "unexpected argument '--log_level' found; did you mean '--log-level'?");
  assert.equal(message(["--frobnicate"]), "unexpected argument '--frobnicate' found");
  assert.equal(message(["-x"]), "unexpected argument '-x' found");
  assert.match(message(["--listen"]), /--listen.*argument missing/);
  assert.equal(unknownSubcommand("lits", ["list", "show"]).message, "unrecognized subcommand 'lits'; did you mean 'list'?");
});

test("lines are broken at spaces only", () => {
  assert.equal(wrapped("one two three", 8, ""), "one two\nthree");
  assert.equal(wrapped("averylongword x", 4, "  "), "  averylongword\n  x");
});
