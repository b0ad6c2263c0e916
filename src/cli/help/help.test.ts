import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { help as appServer } from "../app-server/help.ts";
import { commands } from "../commands.ts";
import { readFlags, UsageError, unknownSubcommand } from "../usage.ts";
import { helpFor, helps } from "./helps.ts";
import { allFlags, type Help, renderHelp, wrapped } from "./text.ts";

async function everyHelp(): Promise<readonly (readonly [string, Help])[]> {
  const walk = (name: string, help: Help): (readonly [string, Help])[] => [
    [name, help],
    ...Object.entries(help.commands ?? {}).flatMap(([subcommand, inner]) => walk(`${name} ${subcommand}`, inner)),
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

test("each name and letter denotes one flag of a subcommand, and only flags with a value have choices", async () => {
  for (const [name, help] of await everyHelp()) {
    const rows = allFlags(help);
    const spellings = rows.flatMap((row) => [row.name, ...(row.short === undefined ? [] : [row.short])]);
    assert.equal(new Set(spellings).size, spellings.length, `parley ${name}`);
    for (const row of rows) assert.ok((row.choices === undefined && row.many === undefined) || row.value !== undefined, `--${row.name}`);
  }
});

/** Where the flags that subcommands share are used. */
const shared = ["agent-flags", "listen-flags", "local-overrides", "own-app", "leading-flags"].map((name) => `${name}.ts`);

test("every flag in the help is used by its subcommand", async () => {
  const cli = path.join(import.meta.dirname, "..");
  const own = (command: string): readonly string[] => {
    const home =
      { resume: "tui", fork: "tui", review: "exec", logout: "login", archive: "threads", unarchive: "threads", delete: "threads" }[
        command
      ] ?? command;
    return globSync([`${home}.ts`, `${home}/**/*.ts`], { cwd: cli, exclude: ["**/help.ts", "**/*.test.ts"] });
  };
  for (const [name, help] of await everyHelp()) {
    const files = [...own(name.split(" ")[0] ?? ""), ...shared];
    const code = files.map((file) => readFileSync(path.join(cli, file), "utf8")).join("\n");
    for (const row of allFlags(help)) {
      if (row.text.startsWith("Accepted for compatibility with") || unused.includes(row.name)) continue;
      // As a property, in brackets, or destructured.
      assert.ok(new RegExp(`(?:\\.|"|\\{ |, )${row.name}\\b`).test(code), `parley ${name} --${row.name}`);
    }
  }
});

/** The help of these flags also says what happens without them. */
const unused = ["include-plan-tool", "no-browser"];

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

test("the help of the deepest named subcommand is printed", async () => {
  assert.equal((await helpFor(["mcp", "add", "x", "--help"]))?.name, "parley mcp add");
  assert.equal((await helpFor(["mcp", "nonsense"]))?.name, "parley mcp");
  assert.equal((await helpFor(["constructor"]))?.name, undefined);
});

test("a misspelt flag or subcommand suggests the similar one, or nothing when none is similar", () => {
  const message = (args: readonly string[]): string => {
    try {
      readFlags(args, appServer);
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

test("lines are wrapped at spaces only", () => {
  assert.equal(wrapped("one two three", 8, ""), "one two\nthree");
  assert.equal(wrapped("averylongword x", 4, "  "), "  averylongword\n  x");
});
