/** parley login, logout, mcp, trust and doctor, as a user runs them. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { atEnd, endedWith } from "./support/ending.ts";
import { anthropicFrames } from "./support/model-mocks/frames.ts";
import { MockProvider, refuse, stream } from "./support/model-mocks/server.ts";
import { launcher, scratch } from "./support/process.ts";

function place(t: TestContext) {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const run = (args: readonly string[], input = "") => {
    const env = { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home };
    const { status, stdout, stderr } = spawnSync(launcher, args, { cwd: folder, encoding: "utf8", env, input });
    return { status, stdout, stderr };
  };
  /** Runs asynchronously, so that the test's own servers can respond. */
  const runBeside = (args: readonly string[], more: Readonly<Record<string, string>>, input = ""): Promise<ReturnType<typeof run>> => {
    const child = spawn(launcher, args, { cwd: folder, env: { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home, ...more } });
    endedWith(t, child);
    child.stdin.end(input);
    const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.setEncoding("utf8").toArray()).join(""));
    return Promise.all([once(child, "close"), ...texts]).then(([[status], stdout = "", stderr = ""]) => ({ status, stdout, stderr }));
  };
  return { home, folder, run, runBeside };
}

test("an API key comes in on stdin, shows masked, and goes", (t) => {
  const { home, run } = place(t);
  assert.deepEqual(run(["login", "status"]), { status: 1, stdout: "", stderr: "Not logged in\n" });
  assert.equal(run(["login", "--with-api-key"], "sk-abcdefghijklmnop\n").status, 0);
  assert.equal(statSync(path.join(home, "auth.json")).mode & 0o777, 0o600);
  const { status, stderr } = run(["login", "status"]);
  assert.deepEqual([status, stderr], [0, "Logged in using an API key - sk-abcde***lmnop\n"]);
  assert.equal(run(["logout"]).stderr, "Successfully logged out\n");
  assert.equal(run(["logout"]).stderr, "Not logged in\n");
  assert.equal(run(["login", "--with-api-key"], "  \n").status, 1);
  assert.equal(run(["login", "nonsense"]).status, 2);
});

test("a provider is set up with a key that is tried first, used by the next run, and taken back", async (t) => {
  await using mock = new MockProvider(
    refuse(401, { error: { message: "no such key" } }),
    stream(anthropicFrames({ text: "At your service" })),
  );
  const env = { ANTHROPIC_BASE_URL: `${await mock.listen()}/v1` };
  const { home, runBeside } = place(t);
  const run = (args: readonly string[], input = "") => runBeside(args, env, input);
  const refused = await run(["login", "anthropic"], "sk-ant-wrong-key\n");
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Anthropic did not answer as claude-opus-5-5: .*Nothing was kept\.$/ms);
  assert.doesNotMatch(refused.stderr, /sk-ant-wrong-key|\n\s+at /);
  const done = await run(["login", "anthropic", "-m", "claude-mine"], "sk-ant-good-key\n");
  assert.deepEqual(
    [done.status, done.stderr],
    [0, "Asking Anthropic for one word...\nAnthropic is set up with claude-mine; new sessions use it.\n"],
  );
  assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), /^model_provider = "anthropic"\nmodel = "claude-mine"$/m);
  const { status, stdout } = await run(["exec", "--skip-git-repo-check", "hello"]);
  assert.deepEqual([status, stdout, mock.requests.at(-1)?.headers["x-api-key"]], [0, "At your service\n", "sk-ant-good-key"]);
  assert.deepEqual(await run(["login", "status"]), { status: 0, stdout: "", stderr: "Logged in to Anthropic using an API key\n" });
  assert.equal((await run(["logout", "anthropic"])).status, 0);
  assert.match((await run(["exec", "--skip-git-repo-check", "hello"])).stderr, /no model is set up\. Run `parley login`/);
});

test("where there is no keyring, login says how to do without one", (t) => {
  const { home, run } = place(t);
  writeFileSync(
    path.join(home, "config.toml"),
    'cli_auth_credentials_store = "keyring"\nmodel_provider = "openai"\nopenai_base_url = "http://127.0.0.1:9/v1"\n',
  );
  for (const args of [["login", "--with-api-key"], ["login", "status"], ["login", "groq", "--no-check"], ["logout"]]) {
    const { status, stderr } = run(args, "sk-abcdefghijklmnop\n");
    const last = stderr.trim().split("\n").at(-1) ?? "";
    assert.match(
      last,
      /^error: the system's keyring cannot be used \(.+\); cli_auth_credentials_store = "file" in config\.toml keeps secrets/,
    );
    assert.equal(status, 1, args.join(" "));
  }
  assert.match(run(["doctor"]).stdout, /^FAIL {2}key {7}openai: the system's keyring cannot be used/m);
});

const keyringPrograms = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"];
const missing = keyringPrograms.find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);

test("a real keyring has the account and the keys, and no file does", { skip: missing === undefined ? false : `needs ${missing}` }, (t) => {
  const { home, folder } = place(t);
  writeFileSync(path.join(home, "config.toml"), 'cli_auth_credentials_store = "keyring"\n');
  const play = `
    printf pw | gnome-keyring-daemon --unlock --components=secrets > "$HOME/daemon"
    trap 'kill $(sed -n s/GNOME_KEYRING_PID=//p "$HOME/daemon") || true' EXIT
    echo sk-of-the-account | parley login --with-api-key
    echo sk-of-the-provider | parley login groq --no-check
    parley login status
    secret-tool search --all service "Codex Auth"
    secret-tool search --all service "Parley Provider Keys"
    if grep -r sk-of-the "$CODEX_HOME"; then exit 9; fi
    parley logout groq
    parley logout
    if parley login status; then exit 8; fi
    if secret-tool search --all service "Codex Auth" 2>&1 | grep sk-of-the; then exit 7; fi`;
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(launcher, path.join(bin, "parley"));
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder, CODEX_HOME: home, XDG_RUNTIME_DIR: folder };
  const { status, stdout, stderr } = spawnSync("dbus-run-session", ["--", "bash", "-ec", play], { encoding: "utf8", env, timeout: 60_000 });
  assert.equal(status, 0, stdout + stderr);
  for (const secret of ["sk-of-the-account", "sk-of-the-provider"]) assert.ok(stdout.includes(secret), stdout);
});

test("MCP servers are added, shown and removed, and the rest of the file stays", (t) => {
  const { home, run } = place(t);
  const file = path.join(home, "config.toml");
  writeFileSync(file, '# mine\nmodel = "m" # why\n');
  assert.equal(run(["mcp", "add", "docs", "--env", "A=secret", "--", "npx", "-y", "docs"]).stdout, "Added global MCP server 'docs'.\n");
  assert.equal(run(["mcp", "add", "web", "--url", "https://example.invalid/mcp", "--bearer-token-env-var", "TOK"]).status, 0);
  const table = run(["mcp", "list"]).stdout;
  assert.ok(table.includes("A=*****") && !table.includes("secret"));
  const listed = JSON.parse(run(["mcp", "list", "--json"]).stdout);
  assert.deepEqual(
    listed.map((server: { name: string; transport: { type: string }; auth_status: string }) => [
      server.name,
      server.transport.type,
      server.auth_status,
    ]),
    [
      ["docs", "stdio", "unsupported"],
      ["web", "streamable_http", "bearer_token"],
    ],
  );
  // Unset is null, as in other programs' lists of this home; set values are in seconds.
  assert.deepEqual([listed[0].startup_timeout_sec, listed[0].tool_timeout_sec], [null, null]);
  const slow = ["-c", "mcp_servers.docs.startup_timeout_ms=2500", "-c", "mcp_servers.docs.tool_timeout_sec=7"];
  const shown = JSON.parse(run([...slow, "mcp", "get", "docs", "--json"]).stdout);
  assert.deepEqual(Object.keys(shown), [
    ...["name", "enabled", "disabled_reason", "transport", "enabled_tools", "disabled_tools"],
    ...["startup_timeout_sec", "tool_timeout_sec"],
  ]);
  assert.deepEqual([shown.startup_timeout_sec, shown.tool_timeout_sec], [2.5, 7]);
  assert.match(run(["mcp", "get", "docs"]).stdout, /^docs\n {2}enabled: true\n {2}transport: stdio\n {2}command: npx\n {2}args: -y docs\n/);
  assert.equal(run(["mcp", "remove", "docs"]).stdout, "Removed global MCP server 'docs'.\n");
  assert.deepEqual(
    [run(["mcp", "get", "docs"]).status, run(["mcp", "add", "a b", "--", "x"]).status, run(["mcp", "add", "x"]).status],
    [1, 1, 2],
  );
  assert.equal(
    readFileSync(file, "utf8"),
    '# mine\nmodel = "m" # why\n\n[mcp_servers.web]\nurl = "https://example.invalid/mcp"\nbearer_token_env_var = "TOK"\n',
  );
});

test("the doctor names what is broken and how to mend it", (t) => {
  const { home, run } = place(t);
  const findings = () => JSON.parse(run(["doctor", "--json"]).stdout) as { name: string; state: string; text: string; fix?: string }[];
  const found = (name: string) => findings().find((finding) => finding.name === name);
  assert.equal(found("node")?.state, "ok");
  assert.equal(found("home")?.state, "ok");
  assert.match(found("config")?.text ?? "", /^no .*config\.toml; every setting has its standard value$/);
  const layers = findings().filter(({ name }) => name === "sandbox");
  if (process.platform === "linux") assert.match(layers.shift()?.text ?? "", /^commands are confined by \w+/);
  if (process.platform === "linux")
    assert.deepEqual(
      layers.map(({ state, text }) => [state, text.split(":")[0]]),
      [
        ["ok", "files"],
        ["ok", "network"],
        ["ok", "system calls"],
      ],
    );
  assert.match(found("provider")?.fix ?? "", /parley login/);
  writeFileSync(
    path.join(home, "config.toml"),
    'model_provider = "openai"\nopenai_base_url = "http://127.0.0.1:9/v1"\n[mcp_servers.gone]\ncommand = "/no/such/program"\n',
  );
  const broken = findings();
  assert.match(broken.find(({ name }) => name === "key")?.fix ?? "", /parley login/);
  assert.match(broken.find(({ name }) => name === "provider")?.text ?? "", /cannot be reached/);
  assert.match(broken.find(({ name }) => name === "mcp")?.fix ?? "", /mcp_servers\.gone/);
  writeFileSync(path.join(home, "config.toml"), "model = \n");
  const { status, stdout } = run(["doctor"]);
  assert.deepEqual([status, /FAIL {2}config {4}.*line 1, column 9.* -> mend /.test(stdout)], [1, true], stdout);
  assert.doesNotMatch(stdout, /sandbox/, "what fails for the settings' sake alone is not named as a second fault");
});

test("doctor tries the key: a right one is accepted, a wrong one is refused, and it is never shown", async (t) => {
  const { home, runBeside } = place(t);
  const asked: (string | undefined)[] = [];
  const provider = createServer((request, response) => {
    const { authorization } = request.headers;
    if (request.url === "/v1/models") asked.push(authorization);
    response.writeHead(authorization === "Bearer right-key-1" ? 200 : 401, { "content-type": "application/json" });
    response.end('{"data":[]}');
  });
  provider.listen(0, "127.0.0.1");
  atEnd(t, () => provider.close());
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo;
  const table = `[model_providers.house]\nname = "House"\nbase_url = "http://127.0.0.1:${port}/v1"\nenv_key = "HOUSE_KEY"\n`;
  writeFileSync(path.join(home, "config.toml"), `model_provider = "house"\nmodel = "m"\n${table}`);
  const keyWith = async (key: string): Promise<string> => {
    const { stdout } = await runBeside(["doctor"], { HOUSE_KEY: key });
    assert.ok(!stdout.includes(key));
    return /^.* key .*$/m.exec(stdout)?.[0] ?? "";
  };
  assert.equal(await keyWith("right-key-1"), "ok    key       house: HOUSE_KEY is set; house accepts it");
  assert.equal(
    await keyWith("wrong-key-1"),
    "FAIL  key       house: HOUSE_KEY is set, but house refuses it (status 401) -> run `parley login house`",
  );
  assert.deepEqual(asked, ["Bearer right-key-1", "Bearer wrong-key-1"]);
});

test("doctor names proxies that are not used, and rights and room of the home", async (t) => {
  const { home, runBeside } = place(t);
  chmodSync(home, 0o777);
  const { stdout } = await runBeside(["doctor", "--json"], { ALL_PROXY: "socks5://127.0.0.1:9" });
  const findings: { name: string; state: string; text: string; fix?: string }[] = JSON.parse(stdout);
  const proxy = findings.find(({ text }) => text.startsWith("ALL_PROXY"));
  assert.deepEqual([proxy?.state, proxy?.fix], ["warn", "set HTTPS_PROXY to the http:// address of a proxy"]);
  assert.match(proxy?.text ?? "", /SOCKS proxies are not used/);
  assert.match(findings.find(({ fix }) => fix?.startsWith("chmod") === true)?.text ?? "", /can be changed by other users/);
  assert.match(findings.find(({ name }) => name === "space")?.text ?? "", /^[\d,]+ MB are free in /);
});

test("a project's MCP server that has changed waits for a yes", (t) => {
  const { home, folder, run } = place(t);
  const define = (program: string): void =>
    writeFileSync(path.join(folder, ".codex", "config.toml"), `[mcp_servers.docs]\ncommand = "${program}"\n`);
  mkdirSync(path.join(folder, ".codex"));
  writeFileSync(path.join(home, "config.toml"), `[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`);
  define("/bin/true");
  run(["doctor"]);
  assert.equal(run(["mcp", "accept"]).stdout, "No MCP server of this folder waits to be accepted.\n");
  define("/bin/false");
  assert.match(run(["doctor"]).stdout, /^warn {2}mcp +docs: the MCP server docs of .* -> parley mcp accept docs$/m);
  assert.match(run(["mcp", "accept"]).stdout, /^docs: \/bin\/false\n {2}accept it with: parley mcp accept docs\n$/);
  assert.match(run(["mcp", "accept", "docs"]).stdout, /^Accepted MCP server 'docs': \/bin\/false\n/);
  assert.equal(run(["mcp", "accept", "docs"]).stdout, "MCP server 'docs' needs no acceptance.\n");
  assert.equal(run(["mcp", "accept", "nope"]).status, 1);
  define("/bin/true");
  assert.match(run(["mcp", "accept"]).stdout, /^docs: \/bin\/true/);
});

test("a bundle for a report holds version, findings, settings and logs, and no secret", (t) => {
  const { home, folder, run } = place(t);
  const secret = "planted-bundle-secret-81f2";
  writeFileSync(
    path.join(home, "config.toml"),
    `[model_providers.x]\nname = "X"\nbase_url = "http://127.0.0.1:9/v1"\nexperimental_bearer_token = "${secret}"\n`,
  );
  mkdirSync(path.join(home, "parley", "log"), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(home, "parley", "log", "parley-2026-11-15.log"), `{"msg":"Authorization: Bearer ${secret}"}\n`);
  const { status, stdout, stderr } = run(["debug", "bundle", "--output", "report.tar.gz"]);
  assert.equal(status, 0, stderr);
  for (const name of ["version.txt", "doctor.txt", "settings.json", "environment.txt", "log/parley-2026-11-15.log"])
    assert.ok(stdout.includes(name), name);
  assert.equal(statSync(path.join(folder, "report.tar.gz")).mode & 0o777, 0o600);
  const { stdout: text } = spawnSync("tar", ["-xzOf", "report.tar.gz"], { cwd: folder, encoding: "utf8" });
  assert.match(text, /^parley \d/);
  assert.match(text, /"base_url": "http:\/\/127\.0\.0\.1:9\/v1"/);
  assert.match(text, /"Authorization: \*\*\* \*\*\*"|Bearer \*\*\*/);
  assert.doesNotMatch(text, new RegExp(secret));
  assert.equal(run(["debug", "bundle", "-o", "report.tar.gz"]).status, 1, "a file that is there is left alone");
  assert.equal(run(["debug", "bundel"]).status, 2);
});

test("the manager prints a service that runs it with the same options", (t) => {
  const { home, run } = place(t);
  const { status, stdout, stderr } = run(["manager", "--listen", "127.0.0.1:4199", "--print-service", "systemd"]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^ExecStart=\S+.* manager --no-open --listen 127\.0\.0\.1:4199$/m);
  assert.ok(stdout.includes(`CODEX_HOME=${home}`));
  assert.match(run(["manager", "--print-service=launchd"]).stdout, /<string>--no-open<\/string>/);
  assert.equal(run(["manager", "--print-service", "upstart"]).status, 2);
});

test("mcp accepts -c like every command, keeps what follows --, and names the flag that does not fit", (t) => {
  const { home, run } = place(t);
  assert.match(run(["mcp", "list", "-c", 'mcp_servers.extra={command="prog"}']).stdout, /^extra +prog/m);
  assert.equal(run(["mcp", "add", "s", "--", "prog", "-c", "x", "--json"]).status, 0);
  assert.deepEqual(JSON.parse(run(["mcp", "get", "s", "--json"]).stdout).transport.args, ["-c", "x", "--json"]);
  const wrong = run(["mcp", "add", "w", "--bearer-token-env-var", "TOK", "--", "prog"]);
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /--bearer-token-env-var is for servers that are reached: add --url/);
  assert.equal(run(["mcp", "add", "r", "--url", "https://example.invalid/mcp", "--oauth-resource", "https://example.invalid/"]).status, 0);
  assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), /oauth_resource = "https:\/\/example\.invalid\/"/);
  const client = ["--oauth-client-id", "mine", "--oauth-client-secret", "s", "--oauth-client-registration", "dcr"];
  const added = run(["mcp", "add", "own", "--url", "https://example.invalid/mcp", ...client]);
  assert.deepEqual([added.status, /OAuth callback URL: http:\/\/127\.0\.0\.1\/callback/.test(added.stdout)], [0, true]);
  assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), /client_id = "mine"[\s\S]*client_secret = "s"/);
  assert.match(run(["mcp", "login", "own", "--oauth-client-registration", "cimd"]).stderr, /use auto or dcr/);
  assert.equal(run(["mcp", "add", "own2", "--url", "https://example.invalid/mcp", "--oauth-client-secret", "s"]).status, 2);
});

test("parley trust trusts a project, shows what came into it later, and accepts that", (t) => {
  const { folder, home, run } = place(t);
  mkdirSync(path.join(folder, ".git"));
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const refused = run(["trust"]);
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    /is not trusted: none of its settings.*\n.*there is no terminal to ask on; review the files, then pass --yes/s,
  );
  assert.equal(run(["trust", "--yes"]).status, 0);
  assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), /trust_level = "trusted"/);
  assert.match(run(["trust"]).stdout, /^Nothing in .* waits for you\.\n$/);
  put("sub/.codex/config.toml", 'sandbox_mode = "danger-full-access"\n[mcp_servers.notes]\ncommand = "notes"\n');
  put("sub/.agents/skills/x/SKILL.md", "---\nname: x\ndescription: About x.\n---\nText\u001b[31m.\n");
  const sub = ["-C", path.join(folder, "sub")];
  const check = run(["trust", "--check", ...sub]);
  assert.equal(check.status, 1);
  assert.match(
    check.stderr,
    /sub\/\.codex\/config\.toml: sandbox_mode\n.*sub\/\.agents\/skills\/x\/SKILL\.md: a skill\n.*MCP server notes: notes\n/,
  );
  assert.equal(JSON.parse(run(["trust", "--check", "--json", ...sub]).stdout).waiting.length, 3);
  assert.equal(run(["trust", "-y", ...sub]).status, 0);
  assert.equal(run(["trust", "--check", ...sub]).status, 0);
  put("sub/.codex/config.toml", 'approval_policy = "never"\n');
  assert.equal(run(["trust", "--check", ...sub]).status, 1);
});
