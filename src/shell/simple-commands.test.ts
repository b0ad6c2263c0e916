import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { loadShellParser, understand } from "./command-line.ts";
import { quoteCommand } from "./quote.ts";
import type { ShellParser } from "./simple-commands.ts";

describe("parsing scripts", () => {
  let parser: ShellParser;
  let folder: string;
  before(async () => {
    parser = await loadShellParser();
    // Files for patterns to match, so that a pattern that is treated as a plain word is noticed.
    folder = mkdtempSync(path.join(tmpdir(), "parley-words-"));
    for (const name of ["a", "b", "ab", "a b", "x=1", "-n", "[", "^", "!", "#", "a,b", "~"]) writeFileSync(path.join(folder, name), "");
    mkdirSync(path.join(folder, "dir"));
  });
  after(() => rmSync(folder, { recursive: true }));

  const commands = (script: string, shell = "bash"): readonly (readonly string[])[] | undefined =>
    understand([shell, "-lc", script], parser).commands;

  test("words, quotes and separators", () => {
    assert.deepEqual(commands("ls -la 'a b' \"c d\" e\\ f"), [["ls", "-la", "a b", "c d", "e f"]]);
    assert.deepEqual(commands("ls && cat x || pwd; wc -l | sort\ntrue"), [["ls"], ["cat", "x"], ["pwd"], ["wc", "-l"], ["sort"], ["true"]]);
    assert.deepEqual(commands("echo \"a\\$b\" 'c$d' \\;"), [["echo", "a$b", "c$d", ";"]]);
    assert.deepEqual(commands("  git status ;\n"), [["git", "status"]]);
    assert.deepEqual(commands("echo ''"), [["echo", ""]]);
  });

  test("anything that a shell would expand is opaque", () => {
    const scripts = [
      ...[
        "echo $HOME",
        "echo $(x)",
        "echo `x`",
        'echo "$x"',
        "cat <(x)",
        "ls *",
        "ls a?",
        "ls [ab]",
        "ls ~",
        "ls a=~/b",
        "echo {a,b}",
        "echo a{1..3}",
      ],
      ...[
        "ls > x",
        "ls 2>&1",
        "cat < x",
        "cat <<EOF\nx\nEOF",
        "cat <<< x",
        "A=1 ls",
        "A=1",
        "a=b ls",
        "ls &",
        "(ls)",
        "{ ls; }",
        "! ls",
        "time ls",
      ],
      ...[
        "if true; then ls; fi",
        "for i in a; do ls; done",
        "f() { ls; }",
        "coproc ls",
        "[[ a ]]",
        "((1))",
        "ls # comment",
        "# comment",
        "ls\\\n x",
        "",
      ],
      ...[
        "ls |& cat",
        "echo $'a'",
        'echo $"a"',
        "echo !x",
        "ls\r",
        "ls\u00a0x",
        "\u00e4",
        "=ls",
        "ls =x",
        "'a b'",
        "'if'",
        "%1",
        "ls;;",
        "ls; ; ls",
        "'unclosed",
      ],
      ...["\x1b[2K ls", "case x in x) ls;; esac", "while true; do ls; done", "a+=1", "a[0]=1", "function f { ls; }", "echo a#b"],
    ];
    for (const script of scripts) assert.equal(commands(script), undefined, JSON.stringify(script));
  });

  test("limits make a script opaque", () => {
    assert.equal(commands(Array.from({ length: 65 }, () => "ls").join(";")), undefined);
    assert.equal(commands(`echo ${"a".repeat(40_000)}`), undefined);
    assert.equal(commands(Array.from({ length: 64 }, () => "ls").join(";"))?.length, 64);
  });

  test("shells in shells are parsed if plain, and only real shells", () => {
    assert.deepEqual(commands("bash -c 'touch x'"), [["touch", "x"]]);
    assert.deepEqual(commands("ls && sh -c 'a && b'"), [["ls"], ["a"], ["b"]]);
    assert.equal(commands("bash -c 'touch $x'"), undefined);
    let deep = "touch x";
    for (let i = 0; i < 4; i++) deep = quoteCommand(["bash", "-c", deep]);
    assert.equal(commands(deep), undefined, "too deep");
    assert.deepEqual(commands("./bash -c ls"), [["./bash", "-c", "ls"]]);
    assert.deepEqual(commands("bash -x -c ls"), [["bash", "-x", "-c", "ls"]]);
    assert.deepEqual(understand(["bash", "-lc", "ls", "arg0"], parser).commands, [["bash", "-lc", "ls", "arg0"]]);
    assert.deepEqual(understand(["ls", "$x", "*"], parser).commands, [["ls", "$x", "*"]], "no shell, no expansion");
    assert.equal(commands("echo HEAD^", "zsh"), undefined, "a pattern for some zsh users");
  });

  /** Runs scripts made of calls of `p`, which prints its arguments, in one bash; NUL after each argument, a mark after each call. */
  const run = (scripts: readonly string[]): string[] => {
    const prelude =
      'p() { printf "%s\\0" "$@"; printf "\\1\\0"; }; command_not_found_handle() { p "$@"; }; export -f p command_not_found_handle; cd "$1"; shift; for s in "$@"; do bash -c "$s" </dev/null 2>/dev/null; printf "\\2\\0"; done';
    const { stdout } = spawnSync("bash", ["-c", prelude, "bash", folder, ...scripts], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: "/h" },
    });
    return stdout.split("\x02\0").slice(0, -1);
  };
  const word = fc.array(
    fc.constantFrom(
      ...[
        "a",
        "b",
        "ab",
        "-n",
        "x=1",
        ".",
        "/",
        ",",
        ":",
        "@",
        "%",
        "+",
        "^",
        "=",
        " ",
        " ",
        "'",
        "'",
        '"',
        '"',
        "\\",
        "\\",
        "$",
        "`",
        "*",
        "?",
        "[",
      ],
      ...[
        "]",
        "{",
        "}",
        "~",
        "!",
        "#",
        "(",
        ")",
        "<",
        ">",
        "&",
        "|",
        ";",
        "\n",
        "\t",
        "\r",
        "$x",
        "$(a)",
        "${x}",
        "\\\n",
        "'a b'",
        '"a b"',
        "ä",
        "\u00a0",
      ],
    ),
    { maxLength: 7 },
  );
  const line = fc.array(fc.tuple(word, fc.constantFrom(";", " && ", "|", "\n", " ; ")), { minLength: 1, maxLength: 3 });

  test("property: what is called plain is exactly what bash runs", {
    skip: spawnSync("bash", ["-c", ":"]).status === 0 ? false : "needs bash",
  }, () => {
    let understood = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 40, maxLength: 40 }), (lines) => {
        const scripts = lines
          .map((parts) => parts.map(([args, end]) => `p ${args.join("")}${end}`).join(""))
          .filter((script) => !script.includes("|"));
        const plain = scripts.flatMap((script) => {
          const parsed = commands(script);
          return parsed === undefined || parsed.some(([name = ""]) => /^[.:[]$|\//.test(name)) ? [] : [{ script, parsed }];
        });
        understood += plain.length;
        const outputs = run(plain.map(({ script }) => script));
        for (const [i, { script, parsed }] of plain.entries()) {
          // Other names are not found, and a bash function prints them with their arguments; printf prints one empty argument for none.
          const commands = parsed.map((argv) => (argv[0] === "p" ? argv.slice(1) : argv)).map((argv) => (argv.length === 0 ? [""] : argv));
          const expected = commands.map((argv) => `${argv.join("\0")}\0\x01\0`).join("");
          assert.equal(outputs[i], expected, `${JSON.stringify(script)} was read as ${JSON.stringify(parsed)}`);
        }
      }),
      { numRuns: 25 },
    );
    assert.ok(understood > 50, `only ${understood} scripts were plain`);
  });

  test("property: quoting is undone by bash and by our own parser", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab '\"\\$`!^*?[]{}~#&|;<>()=%,ä\n".split("")), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 20, maxLength: 20 }), (lists) => {
        const outputs = run(lists.map((argv) => `p ${quoteCommand(argv)}`));
        for (const [i, argv] of lists.entries())
          assert.equal(outputs[i], `${argv.map((w) => `${w}\0`).join("")}\x01\0`, quoteCommand(argv));
      }),
      { numRuns: 15 },
    );
  });
});
