/** The command line as used by people and scripts: help, exit codes, invalid arguments, and which stream messages go to. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { commands } from "../src/cli/commands.ts";
import { atEnd, endedWith } from "./support/ending.ts";
import { launcher, scratch } from "./support/process.ts";

function place(t: TestContext) {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const run = (args: readonly string[], options: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {}) => {
    const env = { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home, ...options.env };
    const { status, stdout, stderr } = spawnSync(launcher, args, {
      cwd: folder,
      encoding: "utf8",
      env,
      input: options.input ?? "",
      timeout: 90_000,
    });
    return { status, stdout, stderr };
  };
  return { folder, home, run };
}

test("every subcommand prints its help to stdout and ends well, also through `help`", (t) => {
  const { run } = place(t);
  for (const name of Object.keys(commands)) {
    const { status, stdout, stderr } = run([name, "--help"]);
    assert.deepEqual([status, stderr], [0, ""], name);
    assert.match(stdout, new RegExp(`\nUsage: parley ${name}`), name);
    assert.match(stdout, /\nExamples:\n/, name);
    assert.equal(run(["help", name]).stdout, stdout, name);
  }
  assert.equal(run(["e", "--help"]).stdout, run(["exec", "--help"]).stdout);
  assert.match(run(["mcp", "add", "--help"]).stdout, /Usage: parley mcp add <NAME>/);
  for (const args of [["--help"], ["-h"], ["help"], []]) assert.match(run(args).stdout, /parley \[OPTIONS\] <COMMAND>/);
  for (const args of [["--version"], ["-V"], ["version"]])
    assert.match(run(args).stdout, /^parley \d+\.\d+\.\d+ \(codex-cli 0\.166\.0\)\n$/);
});

test("system errors are reported without a stack, and with what to do", async (t) => {
  const { run, home } = place(t);
  const file = path.join(home, "file");
  writeFileSync(file, "");
  const busy = createServer().listen(0, "127.0.0.1");
  atEnd(t, () => busy.close());
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  for (const [args, expected] of [
    [["app-server", "--listen", `ws://127.0.0.1:${port}`], /another program is there: choose another address with --listen/],
    [["exec", "--skip-git-repo-check", "--oss", "--local-provider", "llamacpp", "hi"], /--oss: no local model server answers/],
    [["login", "--with-api-key"], /^error: /m],
  ] as const) {
    const unwritable = args[0] === "login" ? { CODEX_HOME: path.join(file, "home") } : {};
    const { status, stderr } = run(args, { input: "sk-x", env: unwritable });
    assert.equal(status, 1, args.join(" "));
    assert.match(stderr, expected);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
});

test("a reader that leaves ends a command without a word, and a full disk with one", { timeout: 120_000 }, async (t) => {
  const { folder, home } = place(t);
  const scripted = ["-c", 'model_provider="scripted"'];
  const start = (args: readonly string[], stdout: "pipe" | number) => {
    const env = { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home };
    const child = spawn(launcher, args, { cwd: folder, env, stdio: ["ignore", stdout, "pipe"] });
    endedWith(t, child);
    return child;
  };
  const end = async (child: ReturnType<typeof start>): Promise<unknown[]> => {
    const stderr = child.stderr?.setEncoding("utf8").toArray();
    const [status] = await once(child, "close");
    return [status, (await stderr)?.join("")];
  };
  for (const [args, status, stderr] of [
    [["help"], 141, ""],
    [["--version"], 141, ""],
    [["threads", "list"], 141, ""],
    [["completion", "zsh"], 141, ""],
    [["exec", "--json", "--skip-git-repo-check", ...scripted, "hi"], 1, "Reading additional input from stdin...\n"],
    [["sandbox", ...scripted, "--", "sh", "-c", "while echo y; do :; done"], 143, ""],
  ] as const) {
    const child = start(args, "pipe");
    child.stdout?.destroy();
    assert.deepEqual(await end(child), [status, stderr], args.join(" "));
  }
  if (!existsSync("/dev/full")) return;
  const full = openSync("/dev/full", "w");
  atEnd(t, () => closeSync(full));
  const [status, stderr] = await end(start(["help"], full));
  assert.deepEqual(
    [status, String(stderr)],
    [1, "error: the output could not be written: the disk is full (ENOSPC: no space left on device, write)\n"],
  );
});

test("invalid arguments exit with 2, print only to stderr, and suggest what was meant", (t) => {
  const { run } = place(t);
  for (const [args, meant] of [
    [["exce"], /did you mean 'exec'\?/],
    [["--verison"], /did you mean '--version'\?/],
    [["-c"], /the value of '-c' is missing/],
    [["app-server", "--lisen", "x"], /did you mean '--listen'\?/],
    [["app-server", "porxy"], /did you mean 'proxy'\?/],
    [["app-server", "--compat", "0.93"], /expected seed-000, 0\.92, 0\.166/],
    [["app-server", "--log-level", "loud"], /expected error, warn, info, debug/],
    [["--log-level", "wran", "doctor"], /did you mean 'warn'\?/],
    [["exec", "--sandbox", "readonly", "x"], /did you mean 'read-only'\?/],
    [["exec", "two", "words"], /put the prompt in quotes/],
    [["mcp", "lst"], /did you mean 'list'\?/],
    [["login", "statsu"], /did you mean 'status'\?/],
    [["login", "antropic"], /did you mean 'anthropic'\?/],
    [["manager", "lnk"], /did you mean 'link'\?/],
    [["completion"], /parley completion bash\|zsh\|fish/],
    [["completion", "tcsh"], /expected bash, zsh, fish/],
    [["doctor", "now"], /unexpected argument 'now'/],
    [["help", "docter"], /did you mean 'doctor'\?/],
    [["cloud", "list"], /Codex has it; here: cloud tasks are a service of OpenAI's\./],
    [["app-server", "daemon", "bootstrap"], /Codex has it; here: `parley app-server daemon start` starts the server/],
    [["doctor", "--no-color"], /Codex has it; here: the output has no colors\./],
    [["queue", "--profile", "p"], /Codex has it; here: write it before the command/],
  ] as const) {
    const { status, stdout, stderr } = run(args);
    assert.deepEqual([status, stdout], [2, ""], args.join(" "));
    assert.match(stderr, meant);
    assert.match(stderr, /For more information, try 'parley.* --help'\./);
  }
  assert.match(run(["mcp-server", "--nope"]).stderr, /try 'parley mcp-server --help'/);
});

test("a prompt or a value that looks like flags is no flag", (t) => {
  const { folder, run } = place(t);
  const scenario = path.join(folder, "scenario.json");
  const steps = [{ run: "touch outside-the-sandbox" }, { say: "You said {{user}}." }];
  writeFileSync(scenario, JSON.stringify({ turns: [{ user: "/./s", steps }] }));
  const exec = (args: readonly string[], input = "") =>
    run(["exec", "--skip-git-repo-check", "--sandbox", "read-only", ...args], { input, env: { PARLEY_SCENARIO: scenario } });
  const bait = "--dangerously-bypass-approvals-and-sandbox";
  const link = `parley://open?args=${bait} -c sandbox_mode=danger-full-access`;
  for (const { status, stdout } of [exec(["--", bait]), exec([link]), exec(["-"], bait)]) {
    assert.equal(status, 0);
    assert.ok(stdout.includes(bait), stdout);
  }
  // Another flag's value is treated as a value, or the command line is refused; it is never parsed as a flag.
  for (const flags of [
    ["--model", bait],
    [`--model=${bait}`, "hello"],
  ])
    exec(flags);
  assert.ok(!existsSync(path.join(folder, "outside-the-sandbox")), "a bait was taken for a flag");
});

test("the agent's flags may come before the subcommand", (t) => {
  const { folder, home, run } = place(t);
  const scenario = path.join(folder, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns: [{ user: "/./s", steps: [{ say: "You said {{user}}." }] }] }));
  writeFileSync(path.join(home, "quiet.config.toml"), 'model = "of-the-profile"\n');
  const env = { PARLEY_SCENARIO: scenario };
  const stderrOf = (args: readonly string[]) => {
    const { status, stdout, stderr } = run(args, { env });
    assert.deepEqual([status, stdout], [0, "You said hi.\n"], `${args.join(" ")}: ${stderr}`);
    return stderr;
  };
  const exec = ["exec", "--skip-git-repo-check", "hi"];
  assert.match(stderrOf(["-m", "m-1", "-s", "workspace-write", ...exec]), /model: m-1[\s\S]*sandbox: workspace-write/);
  assert.match(stderrOf(["-c", 'model="m-2"', "-s", "read-only", ...exec]), /model: m-2[\s\S]*sandbox: read-only/);
  assert.match(stderrOf(["--profile", "quiet", "-a", "never", ...exec]), /model: of-the-profile/);
  assert.match(run(["--remote", "ws://127.0.0.1:1", ...exec]).stderr, /'--remote' means nothing to 'exec'/);
  assert.match(run(["-m", "x", "mcp", "list"]).stdout, /No MCP servers/);
  assert.match(run(["review", "--base", "main", "and more"]).stderr, /review takes one target, not --base and instructions/);
});

test("what cannot be done exits with 1 and one sentence", (t) => {
  const { home, run } = place(t);
  writeFileSync(path.join(home, "config.toml"), "unknown_thing = 1\n");
  for (const [args, why] of [
    [["app-server", "--strict-config"], /unknown_thing/],
    [["exec", "--strict-config", "--skip-git-repo-check", "x"], /unknown_thing/],
    [["exec", "-C", "none", "x"], /no such folder/],
    [["app-server", "--listen", "ws://0.0.0.0:0"], /refusing to start/],
    [["app-server", "--listen", `unix://${home}/config.toml/x.sock`], /cannot listen/],
    [["app-server", "proxy"], /failed to connect/],
    [["mcp", "get", "nothing"], /No MCP server named/],
    [["login", "status"], /Not logged in/],
  ] as const) {
    const { status, stdout, stderr } = run(args);
    assert.deepEqual([status, stdout], [1, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, why);
    assert.ok(!stderr.includes("    at "), `no stack for the user: ${stderr}`);
  }
});

test("a run tells its log file what happened and stderr nothing; a level brings it to stderr too", (t) => {
  const { home, run } = place(t);
  const turn = ['{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}', "this is no message", ""].join("\n");
  const quiet = run(["app-server"], { input: turn });
  assert.deepEqual([quiet.status, quiet.stderr], [0, ""]);
  const folder = path.join(home, "parley", "log");
  const [name = ""] = readdirSync(folder);
  assert.match(name, /^parley-\d{4}-\d\d-\d\d\.log$/);
  assert.match(readFileSync(path.join(folder, name), "utf8"), /"level":"warn","pid":\d+,"message":"unreadable message"/);
  assert.match(run(["app-server", "--log-level", "warn"], { input: turn }).stderr, /"message":"unreadable message"/);
  assert.match(run(["--log-level=warn", "app-server"], { input: turn }).stderr, /"message":"unreadable message"/);
  assert.match(run(["app-server"], { input: turn, env: { PARLEY_LOG: "warn" } }).stderr, /"message":"unreadable message"/);
  assert.equal(run(["app-server"], { input: turn, env: { PARLEY_LOG: "error" } }).stderr, "");
});

test("log_dir of the user's settings says where the log file is", (t) => {
  const { home, folder, run } = place(t);
  const logs = path.join(folder, "logs");
  writeFileSync(path.join(home, "config.toml"), `log_dir = ${JSON.stringify(logs)}\n`);
  run(["app-server"], { input: "this is no message\n" });
  assert.equal(readdirSync(logs).length, 1);
  assert.equal(existsSync(path.join(home, "parley", "log")), false);
});

test("non-interactive commands fail with a message if no model is set up, and play the tour if asked to", (t) => {
  const { run } = place(t);
  for (const args of [
    ["exec", "--skip-git-repo-check", "why does this command fail?"],
    ["exec", "--json", "--skip-git-repo-check", "hi"],
    ["mcp-server"],
  ]) {
    const { status, stdout, stderr } = run(args);
    assert.deepEqual([status, stdout], [1, ""], args.join(" "));
    assert.match(stderr, /no model is set up.*OPENAI_API_KEY/, args.join(" "));
  }
  const asked = run(["exec", "--skip-git-repo-check", "-c", 'model_provider="scripted"', "hi"]);
  assert.deepEqual([asked.status, /Offline tour/.test(asked.stdout)], [0, true]);
  const keyless = run(["exec", "--skip-git-repo-check", "-m", "gpt-5.5", "hi"]);
  assert.equal(keyless.status, 1);
  assert.match(keyless.stderr, /OPENAI_API_KEY/);
});
