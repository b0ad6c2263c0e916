import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { CommandAction } from "../protocol/item.ts";
import { commandActions } from "./command-actions.ts";
import { loadShellParser, understand } from "./command-line.ts";
import { commandRisk } from "./command-risk.ts";
import { quoteCommand } from "./quote.ts";
import type { ShellParser } from "./simple-commands.ts";

describe("commands are classified", () => {
  let parser: ShellParser;
  before(async () => {
    parser = await loadShellParser();
  });
  const actions = (script: string): CommandAction[] => commandActions(understand(["/bin/bash", "-lc", script], parser), "/ws");
  const brief = (script: string): string =>
    actions(script)
      .map((a) =>
        [a.type, ...("name" in a ? [a.name] : []), ...("query" in a ? [a.query] : []), ...("path" in a ? [a.path] : [])].join(" "),
      )
      .join(" + ");

  // What Codex 0.166 returns for the same lines, except for `head -5` and `tail -20`, which it does not know.
  const table: readonly (readonly [string, string])[] = [
    ...([
      ["ls", "listFiles "],
      ["ls -la", "listFiles "],
      ["ls -la src", "listFiles src"],
      ["ls src lib", "listFiles src"],
      ["ls /etc/apt", "listFiles apt"],
    ] as const),
    ...([
      ["ls node_modules/x/dist", "listFiles x"],
      ["tree src", "listFiles src"],
      ["du -sh .", "listFiles ."],
      ["eza", "listFiles "],
    ] as const),
    ...([
      ["cat src/a.txt", "read a.txt /ws/src/a.txt"],
      ["cat -n notes.txt", "read notes.txt /ws/notes.txt"],
      ["cat a.txt b.txt", "unknown"],
      ["cat", "unknown"],
    ] as const),
    ...([
      ["head -n 5 n.txt", "read n.txt /ws/n.txt"],
      ["head -5 n.txt", "read n.txt /ws/n.txt"],
      ["tail -n +3 n.txt", "read n.txt /ws/n.txt"],
      ["head -c 10 n.txt", "unknown"],
    ] as const),
    ...([
      ["sed -n '1,20p' n.txt", "read n.txt /ws/n.txt"],
      ["sed -i s/a/b/ n.txt", "unknown"],
      ["nl -ba n.txt", "read n.txt /ws/n.txt"],
      ["awk '{print}' n.txt", "read n.txt /ws/n.txt"],
    ] as const),
    ...([
      ["cat n.txt | wc -l", "read n.txt /ws/n.txt"],
      ["cat n.txt | grep x", "read n.txt /ws/n.txt + search x "],
      ["cat src/../n.txt", "read n.txt /ws/n.txt"],
    ] as const),
    ...([
      ["rg foo", "search foo "],
      ["rg -n 'foo bar' src", "search foo bar src"],
      ["rg --files src", "listFiles src"],
      ["rg -e foo src", "search foo src"],
    ] as const),
    ...([
      ["rg -A 3 foo src/a.txt", "search foo a.txt"],
      ["rg -n foo -g '*.ts' src", "search foo src"],
      ["grep -rn foo src | head -20", "search foo src"],
    ] as const),
    ...([
      ["git grep foo src", "search foo src"],
      ["grep -n x -E a.txt", "search x a.txt"],
      ["git ls-files", "listFiles "],
      ["git status", "unknown"],
      ["fd foo src", "search foo src"],
      ["fd", "listFiles "],
    ] as const),
    ...([
      ["find . -name '*.ts'", "search *.ts ."],
      ["find src", "listFiles src"],
      ["find . -delete", "unknown"],
      ["find . -exec rm x ';'", "unknown"],
    ] as const),
    ...([
      ["cd src && ls", "listFiles "],
      ["cd src && cat a.txt", "read a.txt /ws/src/a.txt"],
      ["echo hi && ls", "listFiles "],
      ["ls || true", "listFiles "],
    ] as const),
    ...([
      ["ls && pwd", "unknown"],
      ["cat *.txt", "unknown"],
      ["ls 2>/dev/null", "unknown"],
      ["bash -c 'cat x'", "unknown"],
      ["xargs ls", "unknown"],
    ] as const),
  ];
  for (const [script, expected] of table) test(script, () => assert.equal(brief(script), expected));

  test("each action has its command, an unknown one the whole script", () => {
    assert.deepEqual(
      actions("cat 'my file' | head -n 3").map((a) => a.command),
      ["cat 'my file'"],
    );
    assert.deepEqual(
      actions("cat x | sed -n 1,5p").map((a) => a.command),
      ["cat x | sed -n 1,5p"],
    );
    assert.deepEqual(actions("touch a && sleep 1"), [{ type: "unknown", command: "touch a && sleep 1" }]);
    assert.deepEqual(commandActions(understand(["touch", "a b"], parser), "/"), [{ type: "unknown", command: "touch 'a b'" }]);
  });

  test("lines are quoted as by the real server", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["touch x", "bash -lc 'touch x'"],
      ["echo it's", 'bash -lc "echo it\'s"'],
      ["ls", "bash -lc ls"],
      ["echo a^b", "bash -lc 'echo a''^b'"],
      ['echo "it\'s \\$x"', `bash -lc "echo \\"it's \\\\"'$x"'`],
      ["echo 'back\\slash'", "bash -lc \"echo 'back\\\\slash'\""],
    ];
    for (const [script, expected] of cases) assert.equal(quoteCommand(["bash", "-lc", script]), expected);
  });

  test("risk: reads are low, writes medium, deletes and network high", () => {
    const risk = (script: string): string => {
      const line = understand(["bash", "-lc", script], parser);
      return commandRisk(line, commandActions(line, "/ws"));
    };
    for (const script of ["ls", "cat x | grep y", "git status", "git log", "pwd && ls"]) assert.equal(risk(script), "low", script);
    for (const script of ["touch x", "echo x > y", "npm test", "make", "git add x"]) assert.equal(risk(script), "medium", script);
    for (const script of ["rm x", "curl x", "git push", "npm install", "echo $(rm x)", "sudo ls", "find . -delete", "env rm x"])
      assert.equal(risk(script), "high", script);
  });
});
