import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../usage.ts";
import { run } from "./fleet.ts";

test("a command line that says nothing useful is refused before the engine is asked", async () => {
  const lines: readonly (readonly [readonly string[], RegExp])[] = [
    [["team", "core", "--max-threads", "-1"], /max-threads/],
    [["team", "core", "--max-threads=-1"], /not negative/],
    [["team", "core", "--max-turns", "1.5"], /whole number/],
    [["team"], /name is missing/],
    [["team", "a", "b"], /unexpected argument 'b'/],
    [["team", "--list", "--max-turns", "1"], /changes nothing/],
    [["token", "--team", "core", "--user", "x", "--rights", "all"], /expected look, answer, drive, everything/],
    [["token", "--team", "core"], /--user/],
    [["token", "--admin", "--user", "x"], /--user and --rights are for/],
    [["token", "--admin", "--list"], /exclude each other/],
    [["drain"], /name is missing/],
    [["statsu"], /did you mean 'status'/],
  ];
  for (const [line, reason] of lines)
    await assert.rejects(run(line, { config: [] }), (error) => error instanceof UsageError && reason.test(error.message), line.join(" "));
});
