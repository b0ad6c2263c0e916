/**
 * The first hour of a newcomer: the README's commands from a clean checkout, then what goes wrong in that hour. CI also runs it on a machine with
 * nothing installed. What other tests show already is only named, in `shownElsewhere`.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { builtInProviderIds, localProviderIds } from "../src/models/providers.ts";
import { requirements } from "./requirements.ts";
import { atEnd, endedWith } from "./support/ending.ts";
import { MockProvider, refuse } from "./support/model-mocks/server.ts";
import { launcher, root, scratch } from "./support/process.ts";

/** Each promise of the first hour, and the tests that hold it: a file and the beginning of a title, or the id of a requirement. */
const shownElsewhere: Readonly<Record<string, readonly string[]>> = {
  "nothing invents results": [
    "test/command-line.itest.ts > non-interactive commands fail with a message if no model is set up",
    "src/manager/messages.test.ts > if no model is configured the page gets the tour",
    "acp.signIn",
    "model.newerKinds",
  ],
  "a model is set up everywhere": [
    "test/settings-commands.itest.ts > a provider is set up with a key that is tried first",
    "test/tui/commands.itest.ts > /login shows who refused a key",
    "test/web/starting.itest.ts > a model of any provider is set up",
    "apps/vscode/test/panel.itest.ts > says that no model is set up, and its button leads to where one is",
  ],
  "questions reach people": ["questions.everyMode", "questions.planOnly", "test/web/starting.itest.ts > in plan mode it may ask"],
  "commands of the documents work": [
    "test/docs.itest.ts > commands that keep running start and print where they listen",
    "test/docs.itest.ts > what is not run here is named with the place where it is",
    "test/examples.itest.ts > each is a single file of under 60 lines",
    "test/pack.itest.ts > the tarball installs into an empty folder and runs there",
  ],
  "sessions are found again": ["exec.resume", "exec.resumeProvider", "test/tui/commands.itest.ts > /new, /rename, /resume, /fork"],
  "errors are words": [
    "test/command-line.itest.ts > system errors are reported without a stack, and with what to do",
    "exec.files",
    "test/network.itest.ts > an own authority behind a proxy: SSL_CERT_FILE",
    "test/network.itest.ts > a proxy that cannot be used is named",
    "test/faults/every-writer.itest.ts > programs",
    "test/settings-commands.itest.ts > the doctor names what is broken and how to mend it",
    "test/settings-commands.itest.ts > doctor tries the key",
    "test/settings-commands.itest.ts > doctor names proxies that are not used, and rights and room of the home",
  ],
  "one meaning everywhere": [
    "acp.undo",
    "test/tui/commands.itest.ts > esc esc goes back to an earlier message and /undo",
    "exec.signals",
    "test/tui/plain.itest.ts > TERM=dumb: messages and an approval are plain lines",
    "turn.steerFollowed",
  ],
  "editors over ACP": ["acp.sameMode", "acp.editorFiles", "acp.organize", "acp.signIn", "acp.commands"],
  "help names everything": [
    "test/man-page.test.ts > every subcommand and every flag is in the man page",
    "src/cli/help/help.test.ts > every flag in the help is used by its subcommand",
  ],
};

test("each promise of the first hour that is not played here has its test", () => {
  for (const [promise, tests] of Object.entries(shownElsewhere))
    for (const named of tests) {
      const [file = "", title] = named.split(" > ");
      if (title === undefined) assert.ok(Object.hasOwn(requirements, file), `${promise}: no requirement ${file}`);
      else assert.ok(readFileSync(path.join(root, file), "utf8").includes(`"${title}`), `${promise}: no test ${named}`);
    }
});

/** A newcomer's account: nothing but the system's programs, an empty home, an empty folder. */
function place(t: TestContext, program = launcher) {
  const folder = scratch(t);
  const work = path.join(folder, "work");
  mkdirSync(work);
  spawnSync("git", ["init", "-q", work]);
  const home = path.join(folder, ".codex");
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder };
  const run = async (args: readonly string[], input = "", more: Readonly<Record<string, string>> = {}) => {
    const child = spawn(program, args, { cwd: work, env: { ...env, ...more } });
    endedWith(t, child);
    child.stdin.on("error", () => {}); // it may end without reading
    child.stdin.end(input);
    const texts = [child.stdout, child.stderr].map(async (out) => (await out.setEncoding("utf8").toArray()).join(""));
    const [[status], stdout = "", stderr = ""] = await Promise.all([once(child, "close"), ...texts]);
    assert.doesNotMatch(stderr, /\n {4}at /, `${args.join(" ")}: a stack is no answer`);
    return { status: Number(status), stdout, stderr };
  };
  return { folder, work, home, env, run };
}

/** The files of this checkout as a fresh clone has them: no build, no leftovers; the packages are those that `npm ci` brought. */
function cleanCheckout(t: TestContext): string {
  const clone = path.join(scratch(t), "parley");
  const { stdout, status } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const isOwn = (name: string): boolean => !["node_modules", "dist", ".git"].includes(name);
  const names = status === 0 ? stdout.split("\0").filter((name) => name !== "") : readdirSync(root).filter(isOwn);
  for (const name of names)
    if (existsSync(path.join(root, name))) cpSync(path.join(root, name), path.join(clone, name), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
  return clone;
}

test("the README's commands work in a clean checkout", { timeout: 240_000 }, async (t) => {
  const clone = cleanCheckout(t);
  const { folder, env } = place(t);
  const socket = path.join(folder, "s");
  const readme = readFileSync(path.join(clone, "README.md"), "utf8");
  const lines = [...readme.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, text = ""]) => text.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
  /** Starts a command of the README, on another address than the usual one, and returns its output up to what is waited for. */
  const start = async (line: string, until: RegExp, more = ""): Promise<{ child: ChildProcess; text: string }> => {
    assert.ok(lines.includes(line), `the README has no line: ${line}`);
    const command = `exec ${line.replace("npm ci && ", "")} ${more}`
      .replace("unix:///run/user/1000/parley.sock", `unix://${socket}`)
      .replace("ws://127.0.0.1:4500", "ws://127.0.0.1:0");
    // A group of its own: what npm starts is ended with it.
    const child = spawn("/bin/sh", ["-c", command], { cwd: clone, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    endedWith(t, child);
    atEnd(t, () => signalGroup(child, "SIGKILL"));
    return { child, text: await printed(child, until, line) };
  };
  const anywhere = "--no-open --listen 127.0.0.1:0";
  const first = start("npm ci && npm start", /Sign in with this link, once: http:\S+\n/, `-- ${anywhere}`);
  const [, , served] = await Promise.all([
    first,
    start("bin/parley app-server --listen ws://127.0.0.1:4500", /listening on: ws:\S+\n/),
    start("bin/parley app-server --listen unix:///run/user/1000/parley.sock", /listening on: unix:\S+\n/),
  ]);
  const stdio = spawn(path.join(clone, "bin/parley"), ["app-server"], { cwd: folder, env });
  endedWith(t, stdio);
  stdio.stdin.write('{"id":1,"method":"initialize","params":{"clientInfo":{"name":"t","version":"1"}}}\n');
  await printed(stdio, /"id":1,"result":\{"userAgent"/, "bin/parley app-server");
  const [, address = ""] = /once: http:\/\/([\d.:]+)\//.exec((await first).text) ?? [];
  await start("bin/parley manager link", new RegExp(`http://${address}/#sign-in=\\S+`), `--listen ${address}`);
  const closed = once((await first).child, "close");
  signalGroup((await first).child, "SIGINT"); // as Ctrl+C does
  await closed;
  const connected = "bin/parley manager --connect unix:///run/user/1000/parley.sock";
  (await start(connected, /is running at http/, anywhere)).child.kill("SIGTERM");
  served.child.kill("SIGTERM");
  const played = ["npm ci && npm start", "bin/parley app-server", "bin/parley manager link", connected];
  const rest = lines.filter((line) => !played.includes(line) && !line.includes("--listen"));
  assert.deepEqual(rest, ["npm ci && npm test", "bin/parley manager"], "the first is this run, the second what npm start does");
});

test("without a model nothing is invented, wherever a program asks", async (t) => {
  const { work, home, run } = place(t);
  writeFileSync(path.join(work, "schema.json"), '{"type":"object"}');
  const asked = [
    ["exec", "apply the patch from issue 12"],
    ["exec", "--json", "hello"],
    ["exec", "-o", "last.txt", "hello"],
    ["exec", "--output-schema", "schema.json", "hello"],
    ["exec", "review", "--uncommitted"],
    ["review", "--uncommitted"],
    ["exec", "-m", "no-such-model", "hello"],
    ["mcp-server"],
  ];
  await Promise.all(
    asked.map(async (args) => {
      const { status, stdout, stderr } = await run(args);
      assert.equal(status, 1, args.join(" "));
      assert.doesNotMatch(stdout, /tour/i, args.join(" "));
      assert.match(`${stdout}${stderr}`, /no model is set up/, args.join(" "));
    }),
  );
  assert.deepEqual(readdirSync(work).sort(), [".git", "schema.json"], "no file was written");
  assert.equal(existsSync(path.join(home, "sessions")), false, "and no thread");
  const scripted = ["exec", "-s", "workspace-write", "-c", 'model_provider="scripted"'];
  assert.match((await run([...scripted, "apply the patch from issue 12"])).stdout, /Offline tour/);
  assert.equal(existsSync(path.join(work, "parley-tour.txt")), false, "a word inside a prompt is no command of the tour");
  assert.equal((await run([...scripted, "patch"])).status, 0);
  assert.ok(existsSync(path.join(work, "parley-tour.txt")), "the whole prompt is");
});

test("a model that the provider does not have is named as that", async (t) => {
  await using mock = new MockProvider(refuse(404, { error: { code: "model_not_found", message: "The model `x` does not exist" } }));
  const { home, run } = place(t);
  mkdirSync(home);
  const table = `[model_providers.house]\nname = "House"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "responses"\n`;
  writeFileSync(path.join(home, "config.toml"), `model_provider = "house"\n${table}`);
  const { status, stderr } = await run(["exec", "-m", "x", "hello"]);
  assert.equal(status, 1);
  assert.match(stderr, /error: .*The model `x` does not exist.*check base_url and the model's name/);
  assert.doesNotMatch(stderr, /Reconnecting/);
});

test("every vendor of docs/providers.md can be set up with a key, and its key is private", async (t) => {
  const document = readFileSync(path.join(root, "docs/providers.md"), "utf8");
  const vendors = builtInProviderIds.filter((id) => !localProviderIds.includes(id) && id !== "scripted");
  for (const id of vendors.filter((name) => name !== "amazon-bedrock")) assert.match(document, new RegExp(`\`${id}\`|"${id}"`), id);
  const { run, home } = place(t);
  for (const id of vendors.filter((name) => name !== "openai")) {
    const { status, stderr } = await run(["login", id, "--no-check", "-m", "some-model"], "key-of-a-newcomer-0123456789\n");
    assert.equal(status, 0, `${id}: ${stderr}`);
    assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), new RegExp(`^model_provider = "${id}"\nmodel = "some-model"$`, "m"));
    assert.doesNotMatch(stderr, /key-of-a-newcomer/);
  }
  const status = (await run(["login", "status"])).stderr;
  assert.match(status, /Anthropic.*API key/);
});

test("a folder or a damaged file where settings, the account or instructions should be is named, and never taken as absent", async (t) => {
  const { work, home, run } = place(t);
  const config = path.join(home, "config.toml");
  mkdirSync(config, { recursive: true });
  for (const args of [["exec", "hello"], ["login", "status"], ["mcp", "list"], ["doctor"]]) {
    const { status, stdout, stderr } = await run(args);
    assert.equal(status, 1, args.join(" "));
    assert.match(`${stdout}${stderr}`, /config\.toml: it is a folder; remove it, or put the file there/, args.join(" "));
  }
  rmdirSync(config);
  const account = path.join(home, "auth.json");
  mkdirSync(account);
  assert.match((await run(["exec", "hello"])).stderr, /error: the account cannot be read: .*auth\.json is a folder/);
  rmdirSync(account);
  writeFileSync(account, "{ half");
  assert.match(
    (await run(["exec", "-c", 'model_provider="openai"', "hello"])).stderr,
    /error: .*auth\.json is not valid JSON; sign out and in again/,
  );
  writeFileSync(config, 'model_provider = "scripted"\n');
  mkdirSync(path.join(work, "AGENTS.md"));
  assert.match((await run(["exec", "hello"])).stderr, /warning: instructions cannot be read: .*AGENTS\.md is a folder/);
});

function signalGroup({ pid }: ChildProcess, signal: "SIGINT" | "SIGKILL"): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {} // all of it has ended
}

/** The output up to what is waited for. */
async function printed(child: ChildProcess, until: RegExp, name: string): Promise<string> {
  let text = "";
  const found = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (until.test(text)) found.resolve(text);
    });
  child.on("close", () => found.reject(new Error(`${name} ended: ${text}`)));
  return found.promise;
}
