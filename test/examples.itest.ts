/** Every example runs as its page says, offline, and is short. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { launcher, root, scratch } from "./support/process.ts";

const examples = path.join(root, "examples");

function run(t: TestContext, args: readonly string[], scenario?: string) {
  const folder = scratch(t);
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, "hello.txt"), "hello\n");
  const git = (...args: string[]) => spawnSync("git", args, { cwd: workspace });
  git("init", "-q");
  git("add", ".");
  const { PATH } = process.env;
  return spawnSync(process.execPath, args, {
    cwd: workspace,
    encoding: "utf8",
    timeout: 60_000,
    env: {
      PATH,
      HOME: folder,
      CODEX_HOME: path.join(folder, "home"),
      PARLEY_BIN: launcher,
      ...(scenario === undefined ? {} : { PARLEY_SCENARIO: path.join(examples, "scripted", scenario) }),
    },
  });
}
const program = (name: string): string => path.join(examples, name);

test("each is a single file of under 60 lines, and its page names it", () => {
  const page = readFileSync(path.join(examples, "README.md"), "utf8");
  const programs = readdirSync(examples).filter((name) => name.endsWith(".ts"));
  assert.equal(programs.length, 5);
  for (const name of programs) {
    assert.ok(readFileSync(program(name), "utf8").split("\n").length < 60, `${name} is too long`);
    assert.ok(page.includes(`](${name})`) && page.includes(`examples/${name}`), `${name} is not on the page`);
  }
});

test("the bot approves what its rule allows", (t) => {
  const { status, stdout, stderr } = run(t, [program("approve-by-rule.ts"), "list the files"], "approve-a-command.yaml");
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^accept: .*ls -la/m);
  assert.match(stdout, /hello\.txt/);
});

test("the reviewer fails the step for a serious finding", (t) => {
  const { status, stdout, stderr } = run(t, [program("ci-reviewer.ts")], "review.yaml");
  assert.match(stdout, /The key is printed/, stderr);
  assert.match(stderr, /1 serious findings/);
  assert.equal(status, 1);
});

test("the dashboard shows a thread at work and at rest", (t) => {
  const { status, stdout, stderr } = run(t, [program("dashboard.ts"), "--demo"], "hello.yaml");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /active .*a greeting/);
  assert.match(stdout, /idle .*a greeting/);
});

test("the client's tests pass", (t) => {
  const { status, stdout } = run(t, ["--test", program("client-test.ts")]);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /pass 2/);
});

test("the MCP host calls both tools and is asked", (t) => {
  const { status, stdout, stderr } = run(t, [program("mcp-host.ts"), "list the files"], "approve-a-command.yaml");
  assert.equal(status, 0, stderr);
  assert.match(stderr, /tools: codex, codex-reply/);
  assert.match(stderr, /asked: .*ls -la/);
  assert.match(stdout, /hello\.txt[\s\S]*Both commands ran/);
});
