import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptOf } from "./shown-script.ts";

test("the shell around a script is removed, and named", () => {
  assert.deepEqual(scriptOf("/bin/bash -lc 'ls -la'"), { script: "ls -la", shell: "/bin/bash -lc" });
  assert.deepEqual(scriptOf(`bash -lc "echo \\"hi\\""`), { script: 'echo "hi"', shell: "bash -lc" });
  assert.deepEqual(scriptOf("/bin/zsh -c 'it'\\''s'"), { script: "it's", shell: "/bin/zsh -c" });
});

test("anything more complex stays unchanged", () => {
  for (const command of ["ls -la", "bash script.sh", "bash -lc 'a' b", "bash -lc 'a'; rm x", 'sh -c "$(evil)"', "bash -lc 'unclosed"])
    assert.deepEqual(scriptOf(command), { script: command, shell: undefined });
});
