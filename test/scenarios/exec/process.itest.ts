/** The real `parley exec` process: tests that need command lines, stdin, exit codes and signals. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { launcher } from "../../support/process.ts";
import { type Stage, type StageOptions, verifies, writeHome } from "../../support/verifies.ts";
import type { Message } from "../../support/wire.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly Message[];
}
interface Given {
  /** Undefined: stdin stays open, as when a caller forgets to close it. */
  readonly input?: string | Buffer | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with all of stdout so far. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
}

function stageWith(stage: Stage, options: StageOptions) {
  writeHome(stage.home, options);
  return (args: readonly string[], given: Given = { input: "" }): Promise<Ended> => {
    const env = { PATH: process.env["PATH"], HOME: stage.home, CODEX_HOME: stage.home, ...given.env };
    const child = spawn(launcher, ["exec", ...args], { cwd: given.cwd ?? stage.workspace, env, timeout: 60_000, killSignal: "SIGKILL" });
    let stdout = "";
    let stderr = "";
    child.stdin.on("error", () => {});
    if ("input" in given) child.stdin.end(given.input);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      given.onOutput?.(stdout, (signal) => child.kill(signal));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    return new Promise((resolve) => {
      child.on("close", (code) => {
        const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
        resolve({ code, stdout, stderr, events: lines.map((line) => JSON.parse(line)) });
      });
    });
  };
}

const free = "--skip-git-repo-check";
const lastText = ({ events }: Ended): string | undefined => events.findLast((e) => e.item?.type === "agent_message")?.item.text;
const threadOf = ({ events }: Ended): string => events[0]?.thread_id;
const echo = { turns: Array(8).fill(["{{user}}"]) };

verifies("exec.stdin", async (stage) => {
  const exec = stageWith(stage, echo);
  const [missing, dash, beside, blank, wide, wrong, none] = await Promise.all([
    exec(["--json", free], { input: "from stdin\n" }),
    exec(["--json", free, "-"], { input: "from stdin" }),
    exec(["--json", free, "do it"], { input: "context\n" }),
    exec(["--json", free, "do it"], { input: " \n" }),
    exec(["--json", free], { input: Buffer.from("\ufeffwide", "utf16le") }),
    exec(["--json", free], { input: Buffer.from([0xc3, 0x28]) }),
    exec(["--json", free], { input: "" }),
  ]);
  assert.equal(lastText(missing)?.trimEnd(), "from stdin");
  assert.match(missing.stderr, /^Reading prompt from stdin\.\.\.\n/);
  assert.equal(lastText(dash), "from stdin");
  assert.equal(lastText(beside), "do it\n\n<stdin>\ncontext\n</stdin>");
  assert.match(beside.stderr, /^Reading additional input from stdin\.\.\.\n/);
  assert.equal(lastText(blank), "do it");
  assert.equal(lastText(wide), "wide");
  assert.deepEqual([wrong.code, wrong.stdout, none.code, none.stdout], [1, "", 1, ""]);
  assert.match(wrong.stderr, /no UTF-8 text/);
  assert.match(none.stderr, /No prompt provided via stdin\./);
});

verifies("exec.stdout", async (stage) => {
  const exec = stageWith(stage, { turns: [[{ reason: "hm" }, { run: "echo inner" }, { say: "The end." }]] });
  const file = path.join(stage.home, "last.md");
  const [plain, coloured, json, unwritable] = await Promise.all([
    exec([free, "-o", file, "go"]),
    exec([free, "--color", "always", "go"]),
    exec([free, "--experimental-json", "go"]),
    exec([free, "-o", path.join(stage.home, "none", "x"), "go"]),
  ]);
  assert.deepEqual([plain.code, plain.stdout], [0, "The end.\n"]);
  assert.match(plain.stderr, /\nuser\ngo\n[\s\S]*hm\n[\s\S]*\nrun .*echo inner[\s\S]*\nparley\nThe end\.\n/);
  assert.ok(!plain.stderr.includes("\u001b"), "no colours into a pipe");
  assert.equal(readFileSync(file, "utf8"), "The end.");
  assert.ok(coloured.stderr.includes("\u001b[32mparley\u001b[39m"));
  assert.equal(json.stdout.trimEnd().split("\n").length, json.events.length, "nothing but events");
  assert.deepEqual([unwritable.code, unwritable.stdout], [1, ""]);
  assert.match(unwritable.stderr, /last-message: .*none.x cannot be written/);
});

verifies("exec.exitCodes", async (stage) => {
  const exec = stageWith(stage, { turns: [[{ fail: { kind: "badRequest", message: "refused" } }]] });
  const file = path.join(stage.home, "last.md");
  const rows: [readonly string[], number, RegExp][] = [
    [[free, "-o", file, "go"], 1, /error: .*refused/],
    [["go"], 1, /^Not inside a trusted directory and --skip-git-repo-check was not specified\.\n$/],
    [
      [free, "--json", "resume", "01a00000-0000-7000-8000-000000000000", "x"],
      1,
      /^Error: thread\/resume: thread\/resume failed: no rollout found for thread id 01a0\S+ \(code -32600\)\n$/,
    ],
    [[free, "--json", "resume", "no-such-name", "x"], 1, /no thread is called 'no-such-name'/],
    [[free, "--output-schema", "none.json", "go"], 1, /cannot read the output schema none\.json/],
    [[free, "-C", "none", "go"], 1, /no such folder/],
    [[free, "-c", "novalue", "go"], 1, /^error: -c novalue: expected key=value\n$/],
    [[free, "-c", "approval_policy=bogus", "go"], 1, /^error: .*approval_policy/],
    [[free, "-p", "nope", "go"], 1, /config profile `nope` not found/],
    [["--nope"], 2, /unexpected argument '--nope'/],
    [["-a", "never", "go"], 2, /unexpected argument '-a'/],
    [[free, "--full-auto", "--yolo", "go"], 2, /--full-auto cannot be used with/],
    [["--yolo", "go"], 1, /error: .*refused/], // without a sandbox there is no folder to be careful with
    [["--color", "blue", "go"], 2, /expected always, never, auto/],
    [["resume"], 2, /resume needs a session id/],
    [["fork"], 2, /fork needs a session id/],
    [["fork", "x", "-i", "none.png"], 2, /Forking with images requires a prompt/],
    [["fork", "x", "-o", file], 2, /Forking with output options requires a prompt/],
    [["fork", "x", "--output-schema", "none.json"], 2, /Forking with output options requires a prompt/],
    [["fork", "x", "--ephemeral"], 2, /Ephemeral forks require a prompt/],
    [["review", "--base", "main", "--commit", "abc"], 2, /one target, not --base and --commit/],
    [["review", "--title", "x"], 2, /--title/],
  ];
  for (const [args, code, why] of rows) {
    const ended = await exec(args);
    assert.deepEqual([ended.code, ended.stdout], [code, ""], `${args.join(" ")}: ${ended.stderr}`);
    assert.match(ended.stderr, why);
    assert.doesNotMatch(ended.stderr, /^ {4}at /m, "no stack for the user");
  }
  assert.ok(!existsSync(file), "no last message of a failed turn");
});

verifies("exec.signals", async (stage) => {
  const exec = stageWith(stage, { turns: [[{ run: "echo started; sleep 60" }, { say: "never" }]] });
  const stopOnce = (signal: NodeJS.Signals): Given => {
    let sent = false;
    return {
      input: "",
      onOutput(stdout, kill) {
        if (sent || !stdout.includes("command_execution")) return;
        sent = true;
        kill(signal);
      },
    };
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const ended = await exec(["--json", free, "go"], stopOnce(signal));
    assert.equal(ended.code, 1, ended.stderr);
    assert.deepEqual(
      ended.events.map(({ type }) => type),
      ["thread.started", "turn.started", "item.started", "turn.failed"],
    );
    assert.deepEqual(ended.events.at(-1)?.error, { message: "interrupted" });
  }
});

verifies("exec.codexKey", async (stage) => {
  await using provider = new MockProvider(stream(responsesFrames({ text: "paid" })));
  const url = await provider.listen();
  const exec = stageWith(stage, {});
  writeFileSync(path.join(stage.home, "config.toml"), `openai_base_url = "${url}/v1"\n`);
  writeFileSync(path.join(stage.home, "auth.json"), JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: "sk-stored" }));
  const given = (env: Record<string, string>): Given => ({ input: "", env: { CODEX_API_KEY: " sk-environment ", ...env } });
  const ended = await exec([free, "go"], given({ OPENAI_API_KEY: "sk-other" }));
  assert.deepEqual([ended.code, ended.stdout], [0, "paid\n"], ended.stderr);
  const seen = () => provider.requests.filter(({ method }) => method === "POST").at(-1)?.headers;
  assert.equal(seen()?.authorization, "Bearer sk-environment");
  assert.match(seen()?.["user-agent"] ?? "", /^codex_exec\/0\.166\.0 \(.+\) \S+ \(codex_exec; .+\) parley\//);
  await exec([free, "go"], given({ CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "some_sdk" }));
  assert.equal(seen()?.["originator"], "some_sdk");
  assert.match(seen()?.["user-agent"] ?? "", /^some_sdk\/0\.166\.0 /);
  await exec([free, "-c", 'forced_login_method="chatgpt"', "go"], given({}));
  assert.notEqual(seen()?.authorization, "Bearer sk-stored");
});

verifies("exec.files", async (stage) => {
  const exec = stageWith(stage, echo);
  const missing = path.join(stage.home, "missing", "file");
  for (const [flag, why] of [
    ["-o", /--output-last-message: .*missing.file cannot be written/],
    ["-i", /--image: .*missing.file cannot be read/],
  ] as const) {
    const ended = await exec([free, flag, missing, "--", "go"]);
    assert.deepEqual([ended.code, ended.stdout], [1, ""]);
    assert.match(ended.stderr, why);
    assert.doesNotMatch(ended.stderr, /\n {4}at /);
  }
  const text = path.join(stage.home, "text.png");
  writeFileSync(text, "no picture");
  const unlike = await exec([free, "-i", text, "--", "go"]);
  assert.deepEqual([unlike.code, unlike.stdout], [1, ""]);
  assert.match(unlike.stderr, /--image: .*text\.png cannot be read: not a PNG, JPEG, GIF or WebP image/);
  const folder = await exec([free, "-o", stage.home, "go"]);
  assert.deepEqual([folder.code, folder.stdout], [1, ""]);
});

verifies("exec.resume", async (stage) => {
  const exec = stageWith(stage, echo);
  const first = await exec(["--json", free, "one"]);
  const id = threadOf(first);
  writeFileSync(
    path.join(stage.home, "session_index.jsonl"),
    `${JSON.stringify({ id, thread_name: "plum", updated_at: new Date().toISOString() })}\n`,
  );
  // Stdin stays open: a prompt given as an argument must not wait for it.
  const ways: [readonly string[], Given][] = [
    [["--json", free, "resume", id, "two"], {}],
    [["resume", id, "--json", free], { input: "two" }],
    [["--json", free, "two", "resume", id], {}],
    [["--json", free, "two", "resume", "--last"], {}],
    [["resume", "plum", "two", "--json", free], {}],
    [["resume", id.slice(0, 2), "two", "--json", free], {}],
  ];
  for (const [args, given] of ways) {
    const ended = await exec(args, given);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual([threadOf(ended), lastText(ended)], [id, "two"], args.join(" "));
  }
  const last = await exec([free, "--json", "resume", "--last", "three"], {});
  assert.equal(threadOf(last), id);
  const elsewhere = await exec([free, "--json", "resume", "--last", "four"], { cwd: stage.home });
  assert.notEqual(threadOf(elsewhere), id);
  assert.match(elsewhere.stderr, /No session of this folder/);
  const any = await exec([free, "--json", "resume", "--last", "--all", "five"], { cwd: "/" });
  assert.equal(threadOf(any), threadOf(elsewhere));
});

verifies("exec.resumeProvider", async (stage) => {
  const exec = stageWith(stage, {});
  writeFileSync(path.join(stage.home, "config.toml"), "");
  const first = await exec(["--json", free, "-c", 'model_provider="scripted"', "one"]);
  const again = await exec(["--json", free, "resume", threadOf(first).slice(0, 13), "two"]);
  assert.deepEqual([first.code, again.code, threadOf(again)], [0, 0, threadOf(first)], again.stderr);
  assert.equal((await exec(["--json", free, "three"])).code, 1, "a new session needs a model");
});

verifies("exec.resumeSettings", async (stage) => {
  const exec = stageWith(stage, {
    turns: Array(9).fill([{ run: "touch made; ls" }, { say: "{{model}} {{output}}" }]),
    config: '[profiles.other]\nmodel = "by-profile"\nsandbox_mode = "danger-full-access"\n',
  });
  const flags = ["--json", free];
  const first = await exec([...flags, "-s", "read-only", "-m", "first", "go"]);
  assert.match(lastText(first) ?? "", /^first[\s\S]*Read-only/);
  writeFileSync(
    path.join(stage.home, "config.toml"),
    `sandbox_mode = "danger-full-access"\n${readFileSync(path.join(stage.home, "config.toml"), "utf8")}`,
  );
  const resume = async (...more: string[]) => lastText(await exec([...flags, ...more, "resume", threadOf(first), "go"])) ?? "";
  assert.match(await resume(), /^first[\s\S]*Read-only/, "the config's default does not widen it");
  assert.match(await resume("-c", "model=second"), /^second[\s\S]*Read-only/);
  assert.match(await resume("-p", "other"), /^by-profile[\s\S]*made/);
  assert.match(await resume("-s", "read-only", "-m", "third"), /^third[\s\S]*Read-only/);
  assert.match(await resume("-c", "sandbox_mode=danger-full-access"), /^third[\s\S]*made/);
});

verifies("exec.settings", async (stage) => {
  const exec = stageWith(stage, {
    turns: [
      { user: "model", steps: [{ say: "{{model}}" }] },
      { user: "write", steps: [{ run: "touch inside; touch ../extra/outside; ls; ls ../extra" }, { say: "{{output}}" }] },
      [{ expect: { images: 2 } }, { say: "seen" }],
      { user: "where", steps: [{ run: "pwd" }, { say: "{{output}}" }] },
    ],
  });
  const extra = path.join(path.dirname(stage.workspace), "extra");
  mkdirSync(extra);
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  for (const name of ["a.png", "b.png"]) writeFileSync(path.join(stage.workspace, name), png);
  const flags = ["--json", free];
  const [overridden, named, comma, several, elsewhere] = await Promise.all([
    exec([...flags, "-c", "model=first", "-c", 'model="second"', "model?"]),
    exec([...flags, "-c", "model=first", "-m", "third", "model?"]),
    exec([...flags, "-i", "a.png,b.png", "look"]),
    exec([...flags, "look", "--image", "a.png", "b.png"]),
    exec([...flags, "-C", extra, "where"]),
  ]);
  assert.deepEqual([overridden, named, comma, several].map(lastText), ["second", "third", "seen", "seen"]);
  assert.match(lastText(elsewhere) ?? "", /\/extra\n?$/);
  const readOnly = await exec([...flags, "write"]);
  assert.match(lastText(readOnly) ?? "", /touch: [\s\S]*touch: /);
  const narrow = ["-c", "sandbox_workspace_write.exclude_slash_tmp=true", "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"];
  const inside = await exec([...flags, ...narrow, "-s", "workspace-write", "write"]);
  // Two pipes: which line is read first is chance.
  for (const line of [/cannot touch '..\/extra\/outside'/, /^inside$/m]) assert.match(lastText(inside) ?? "", line);
  const both = await exec([...flags, ...narrow, "--full-auto", "--add-dir", extra, "write"]);
  assert.doesNotMatch(lastText(both) ?? "", /cannot touch/);
});

verifies("exec.leftAside", async (stage) => {
  const exec = stageWith(stage, { turns: [[{ run: "touch made" }, { say: "{{output}}" }]] });
  mkdirSync(path.join(stage.home, "rules"));
  writeFileSync(
    path.join(stage.home, "rules", "own.rules"),
    'prefix_rule(pattern=["touch"], decision="forbidden", justification="no touching")\n',
  );
  const flags = ["--json", free, "-s", "workspace-write"];
  const ruled = await exec([...flags, "--ephemeral", "go"]);
  assert.match(lastText(ruled) ?? "", /no touching/);
  assert.ok(!existsSync(path.join(stage.home, "sessions")), "nothing stored");
  const unruled = await exec([...flags, "--ignore-rules", "go"]);
  assert.equal(unruled.events.find((e) => e.item?.type === "command_execution" && e.type === "item.completed")?.item.exit_code, 0);
  assert.ok(existsSync(path.join(stage.workspace, "made")));
  const own = 'model_providers.other={name="Other",wire_api="scripted",options={scenario="other.json"}}';
  writeFileSync(path.join(stage.home, "other.json"), JSON.stringify({ turns: [["{{model}}"]] }));
  const chosen = ["-c", own, "-c", "model_provider=other", "-c", "model=mine"];
  writeFileSync(path.join(stage.home, "config.toml"), "this is no TOML [");
  const broken = await exec([...flags, ...chosen, "go"]);
  assert.equal(broken.code, 1);
  const ignored = await exec([...flags, "--ignore-user-config", ...chosen, "go"]);
  assert.equal(lastText(ignored), "mine", ignored.stderr);
});

verifies("exec.sdkCall", async (stage) => {
  const exec = stageWith(stage, { turns: [{ user: "schema", steps: [{ say: '{"ok":true}' }] }, ["{{user}}"], ["{{user}}"]] });
  const schema = path.join(stage.home, "schema.json");
  writeFileSync(
    schema,
    JSON.stringify({ type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"], additionalProperties: false }),
  );
  const sdk = ["--experimental-json", "--config", "show_raw_agent_reasoning=false", "--model", "m", "--sandbox", "workspace-write"];
  const more = [
    "--cd",
    stage.workspace,
    "--add-dir",
    stage.home,
    free,
    "--output-schema",
    schema,
    "--config",
    'model_reasoning_effort="high"',
  ];
  const policy = [
    "--config",
    "sandbox_workspace_write.network_access=true",
    "--config",
    'web_search="disabled"',
    "--config",
    'approval_policy="never"',
  ];
  const first = await exec([...sdk, "--thread-source", "user", ...more, "--cyber-access-program", "standard", ...policy], {
    input: "schema please",
  });
  assert.equal(lastText(first), '{"ok":true}', first.stderr);
  const again = await exec([...sdk, ...policy, free, "resume", threadOf(first)], {
    input: "again",
    env: { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "codex_sdk_ts" },
  });
  assert.deepEqual([again.code, threadOf(again), lastText(again)], [0, threadOf(first), "again"], again.stderr);
  const file = path.join(stage.home, "last");
  const provider = ["--experimental-json", "-c", "approval_policy=never", "-c", "sandbox_mode=workspace-write", free, "-m", "m"];
  const aiSdk = await exec([...provider, "--output-last-message", file, "-"], { input: "User: hello", env: { RUST_LOG: "error" } });
  assert.deepEqual([aiSdk.code, lastText(aiSdk), readFileSync(file, "utf8")], [0, "User: hello", "User: hello"], aiSdk.stderr);
  const literal = await exec(["--json", free, "--", "review"], { input: "" });
  assert.equal(lastText(literal), "review");
});

verifies("exec.worktree", async (stage) => {
  const exec = stageWith(stage, { turns: [[{ run: "pwd; ls" }, { say: "{{output}}" }]] });
  const git = (...args: string[]) => spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: stage.workspace });
  git("init", "-q");
  writeFileSync(path.join(stage.workspace, "kept.txt"), "1");
  git("add", ".");
  git("commit", "-qm", "x");
  const data = path.join(path.dirname(stage.workspace), "data");
  const ended = await exec(["--json", "--worktree", "go"], { input: "", env: { XDG_DATA_HOME: data } });
  assert.match(lastText(ended) ?? "", new RegExp(`${data}/parley/worktrees/[0-9a-f]{8}/workspace\nkept\\.txt`), ended.stderr);
  const outside = await exec(["--json", "--worktree", free, "go"], { input: "", cwd: stage.home });
  assert.deepEqual([outside.code, outside.stdout], [1, ""]);
  assert.match(outside.stderr, /is in no git repository/);
});

verifies("exec.approveForMe", async (stage) => {
  const verdict = { risk_level: "low", user_authorization: "high", outcome: "allow", rationale: "as asked" };
  const escalated = { cmd: "touch reviewed.txt", sandbox_permissions: "require_escalated", justification: "needed" };
  const turns = [
    { user: '/^\\{"transcript":/', steps: [{ say: JSON.stringify(verdict) }] },
    { user: "go", steps: [{ call: "exec_command", with: escalated }, { say: "done" }] },
  ];
  const exec = stageWith(stage, { turns });
  const file = path.join(stage.workspace, "reviewed.txt");
  await exec(["--full-auto", free, "go"]);
  assert.ok(!existsSync(file), "without a reviewer nobody approves");
  const { stderr } = await exec(["--approve-for-me", free, "go"]);
  assert.ok(existsSync(file));
  assert.match(stderr, /^approval: on-request$/m);
  const reviewed = { config: 'approvals_reviewer = "auto_review"\napproval_policy = "on-request"', turns };
  assert.match((await stageWith(stage, reviewed)([free, "hello"])).stderr, /^approval: on-request$/m);
});
