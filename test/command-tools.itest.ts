/** parley features, execpolicy, sandbox, archive, delete and app-server daemon, and settings after any command, as a user runs them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { atEnd } from "./support/ending.ts";
import { eventually } from "./support/live-server.ts";
import { forcedEngine, launcher, scratch } from "./support/process.ts";

function place(t: TestContext) {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home, ...forcedEngine() };
  const run = (args: readonly string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(launcher, args, { cwd: folder, env, encoding: "utf8", input });
    return { status, stdout, stderr };
  };
  return { folder, home, run };
}

test("features are listed, switched on and off in config.toml, and an unknown one is refused", (t) => {
  const { home, run } = place(t);
  const config = () => readFileSync(path.join(home, "config.toml"), "utf8");
  assert.match(run(["features", "list"]).stdout, /^multi_agent +stable +true$/m);
  assert.deepEqual(run(["features", "disable", "multi_agent"]), {
    status: 0,
    stdout: "Disabled feature `multi_agent` in config.toml.\n",
    stderr: "",
  });
  assert.match(run(["features", "list"]).stdout, /^multi_agent +stable +false$/m);
  assert.equal(run(["features", "enable", "goals"]).status, 0, "a feature of Codex alone, in the file that both read");
  assert.equal(config(), "[features]\nmulti_agent = false\ngoals = true\n");
  const unknown = run(["features", "enable", "nope"]);
  assert.deepEqual([unknown.status, /^error: Unknown feature flag: nope/.test(unknown.stderr)], [1, true]);
  assert.equal(config(), "[features]\nmulti_agent = false\ngoals = true\n");
  const listed: { name: string; enabled: boolean }[] = JSON.parse(run(["features", "list", "--json", "--enable", "multi_agent"]).stdout);
  assert.equal(listed.find(({ name }) => name === "multi_agent")?.enabled, true);
});

test("execpolicy check prints the rules that match and the strictest decision, and keeps the command's own flags", (t) => {
  const { folder, run } = place(t);
  const rules = path.join(folder, "team.rules");
  const prompt = 'prefix_rule(pattern=["git","push"], decision="prompt", justification="ask first")';
  writeFileSync(rules, `prefix_rule(pattern=["git"], decision="allow")\n${prompt}\n`);
  const check = (...args: readonly string[]) => run(["execpolicy", "check", "--rules", rules, ...args]);
  assert.deepEqual(JSON.parse(check("git", "push", "-c", "x").stdout), {
    matchedRules: [
      { prefixRuleMatch: { matchedPrefix: ["git"], decision: "allow" } },
      { prefixRuleMatch: { matchedPrefix: ["git", "push"], decision: "prompt", justification: "ask first" } },
    ],
    decision: "prompt",
  });
  assert.equal(check("cat", "--version").stdout, '{"matchedRules":[]}\n');
  assert.match(check("--pretty", "git", "log").stdout, /^\{\n {2}"matchedRules"/);
  assert.equal(run(["execpolicy", "check", "git"]).status, 2);
  const missing = run(["execpolicy", "check", "-r", path.join(folder, "none.rules"), "git"]);
  assert.deepEqual([missing.status, missing.stdout], [1, ""]);
  writeFileSync(rules, "prefix_rule(pattern=[])\n");
  assert.match(check("git").stderr, /team\.rules:1: pattern must contain strings/);
});

test("sandbox runs a command as confined as the agent's, with its input, output and exit code", (t) => {
  const { folder, run } = place(t);
  const script = "read line; echo got $line; echo oops >&2; touch made; exit 7";
  const confined = run(["sandbox", "-s", "read-only", "--", "sh", "-c", script], "some input\n");
  assert.deepEqual([confined.status, confined.stdout], [7, "got some input\n"]);
  assert.match(confined.stderr, /^oops$/m);
  assert.ok(!existsSync(path.join(folder, "made")), "the folder is read-only");
  mkdirSync(path.join(folder, "deep"));
  assert.equal(run(["sandbox", "-s", "danger-full-access", "-C", "deep", "touch", "made"]).status, 0);
  assert.ok(existsSync(path.join(folder, "deep", "made")));
  assert.equal(run(["sandbox"]).status, 2);
  assert.equal(run(["sandbox", "-P", ":read-only", "-s", "read-only", "ls"]).status, 2);
  assert.match(run(["sandbox", "-P", ":read-only", "--", "touch", "made"]).stderr, /made/);
  const unknown = run(["sandbox", "-P", "nope", "ls"]);
  assert.deepEqual([unknown.status, /nope/.test(unknown.stderr)], [1, true]);
});

test("archive, unarchive and delete take what threads list prints", (t) => {
  const { home, run } = place(t);
  writeFileSync(path.join(home, "config.toml"), 'model_provider = "scripted"\n');
  run(["exec", "--skip-git-repo-check", "hello"]);
  const ids = (...more: readonly string[]): string[] =>
    JSON.parse(run(["threads", "list", "--json", ...more]).stdout).map(({ id }: { id: string }) => id);
  const [id = ""] = ids();
  assert.equal(run(["archive", id.slice(0, 13)]).stdout, `Archived ${id}\n`);
  assert.deepEqual([ids(), ids("--archived")], [[], [id]]);
  assert.equal(run(["unarchive", id]).stdout, `Unarchived ${id}\n`);
  assert.match(run(["delete", id]).stderr, /--yes to delete without a question/);
  assert.equal(run(["delete", "--force", id]).stdout, `Deleted ${id}\n`);
  assert.deepEqual(ids(), []);
});

test("import shows what another agent has, imports it on request, and once", (t) => {
  const { folder, home, run } = place(t);
  mkdirSync(path.join(folder, ".claude"));
  writeFileSync(path.join(folder, ".claude", "CLAUDE.md"), "Use tabs.\n");
  const unasked = run(["import"]);
  assert.deepEqual([unasked.status, /^Migrate .*CLAUDE\.md to .*AGENTS\.md$/m.test(unasked.stdout)], [2, true], unasked.stderr);
  assert.match(run(["import", "--yes"]).stdout, /^Imported .*CLAUDE\.md -> .*AGENTS\.md$/m);
  assert.equal(readFileSync(path.join(home, "AGENTS.md"), "utf8"), "Use tabs.\n");
});

/** A process that has ended stays in the table until its new parent, the system's first process, has noticed. */
function hasEnded(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

test("daemon starts one server in the background, names its version, opens threads for queue, restarts and stops it", async (t) => {
  const { home, run } = place(t);
  writeFileSync(path.join(home, "config.toml"), 'model_provider = "scripted"\n');
  const daemon = (name: string) => {
    const { status, stdout, stderr } = run(["app-server", "daemon", name]);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  atEnd(t, () => void run(["app-server", "daemon", "stop"]));
  const silent = run(["app-server", "daemon", "version"]);
  assert.deepEqual([silent.status, /failed to connect to .*control\.sock/.test(silent.stderr)], [1, true]);
  assert.equal(daemon("stop").status, "notRunning");
  const started = daemon("start");
  assert.deepEqual([started.status, started.backend, started.appServerVersion], ["started", "pid", started.cliVersion]);
  assert.equal(daemon("start").status, "alreadyRunning");
  assert.deepEqual([daemon("version").status, daemon("restart").status], ["running", "restarted"]);
  run(["exec", "--skip-git-repo-check", "hello"]);
  const [{ id }] = JSON.parse(run(["threads", "list", "--json"]).stdout);
  const queued = run(["queue", "--thread", id, "--message", "hello from afar", "--resume"]);
  assert.deepEqual([queued.status, queued.stderr], [0, ""]);
  const wasSaid = () => run(["threads", "show", id]).stdout.includes("hello from afar");
  await eventually(wasSaid, "the daemon's turn with the message that waited");
  assert.equal(daemon("stop").status, "stopped");
  await eventually(() => hasEnded(started.pid), "the end of the first server");
  const alone = run(["queue", "--thread", id, "--message", "hello again", "--resume"]);
  assert.deepEqual([alone.status, /^warning: the message waits, but the thread could not be opened/.test(alone.stderr)], [0, true]);
});

test("-c, --enable and --disable are accepted after every command, and between it and its subcommand", (t) => {
  const { folder, run } = place(t);
  const lines = [
    ["mcp", "--enable", "hooks", "list"],
    ["login", "status", "--enable", "hooks"],
    ["completion", "bash", "-c", "model=x"],
    ["app-server", "generate-ts", "--out", path.join(folder, "types"), "--config=model=x"],
  ];
  for (const line of lines) assert.doesNotMatch(run(line).stderr, /unexpected argument|unrecognized/, line.join(" "));
  assert.match(run(["mcp", "list", "-c", "mcp_servers.x.command=prog"]).stdout, /\bx\b/);
  const broken = run(["login", "status", "-c"]);
  assert.deepEqual(
    [broken.status, /value of '--config' is missing|argument missing|ambiguous/.test(broken.stderr)],
    [2, true],
    broken.stderr,
  );
});
