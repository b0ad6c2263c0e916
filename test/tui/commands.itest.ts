/** Every slash command of the terminal client, typed by real keys, and the lists they open. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { noSandbox } from "../../src/exec/testing.ts";
import { market, plainPlugin, under } from "../scenarios/plugin/stage.ts";
import { anthropicFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, refuse, stream } from "../support/model-mocks/server.ts";
import { launcher, scratch } from "../support/process.ts";
import { Terminal, whyNoTmux } from "../support/tmux.ts";

const skip = whyNoTmux() ?? false;

/** A picture of one pixel. */
const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

function repository(term: Terminal): void {
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: term.workspace, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(term.workspace, "kept.txt"), "one\ntwo\n");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "First");
}

test("the line below the header names the sandbox, or says why there is none", { skip }, async (t) => {
  const term = new Terminal(t, { rows: 50 });
  await term.start();
  if (noSandbox === false) await term.until(/commands are confined by \w+/);
  const env = { PARLEY_SANDBOX_ENGINE: "firejail" };
  const refused = new Terminal(t, { rows: 50, env });
  await refused.start();
  await refused.until(/No sandbox: there is no engine "firejail"/);
  refused.keep("80x50-no-sandbox");
  const config = 'approval_policy = "on-request"\nsandbox_mode = "danger-full-access"';
  const open = new Terminal(t, { rows: 50, env, config });
  await open.start();
  open.say("/status");
  await open.until(/│ sandbox\s+No sandbox: there is no engine/);
  assert.equal(open.scrollback().match(/firejail/g)?.length, 1, "only where it was asked for: nobody needs a sandbox there");
});

test("/help, /status, /mcp, /skills and a command that does not exist", { skip }, async (t) => {
  const term = new Terminal(t, { rows: 60 });
  const skill = path.join(term.workspace, ".agents/skills/polish");
  mkdirSync(skill, { recursive: true });
  writeFileSync(path.join(skill, "SKILL.md"), "---\nname: polish\ndescription: Makes it shine\n---\nPolish.\n");
  await term.start();
  term.say("/help");
  const help = await term.until("the keys, when nothing is written");
  term.keep("80x60-help");
  for (const name of "model login approvals status diff review init rewind undo compact context side ide cd copy export theme statusline keymap vim warnings mcp hooks plugins skills new resume agents ps stop fork rename transcript help quit".split(
    " ",
  ))
    assert.match(help, new RegExp(`/${name}\\b`));
  term.say("/status");
  const status = await term.until(/│ server\s+in this process/);
  if (noSandbox === false) assert.match(status, /│ sandbox\s+commands are confined by /);
  term.keep("80x60-status");
  term.say("/mcp");
  await term.until("No MCP server is configured");
  term.say("/nonsense");
  await term.until("There is no command /nonsense; /help lists them");
  term.say("/skills");
  await term.until("$polish");
  term.keep("80x60-skills");
  term.type("pol");
  await term.until("› pol");
  term.keys("Enter");
  await term.until("│ › $polish");
});

test("/agents lists the agents of a session, interrupts one and goes to it", { skip }, async (t) => {
  const turns = [
    { user: "COUNT", steps: [{ pause: 120_000 }, { say: "42" }] },
    { user: "lead", steps: [{ call: "spawn_agent", with: { message: "COUNT the files" } }, { say: "started it" }] },
  ];
  const term = new Terminal(t, { rows: 50, turns });
  await term.start();
  term.say("/agents");
  await term.until("This session has no agents");
  term.keys("Escape");
  await term.untilGone("This session has no agents");
  term.say("lead");
  await term.until("started it");
  term.say("/agents");
  await term.until(/working\s+COUNT the files/);
  term.keep("80x50-agents");
  term.keys("Down", "Enter");
  await term.until(/Interrupt \w+/);
  term.keys("Down", "Enter");
  await term.until(/\w+ was interrupted/);
  term.say("/agents");
  await term.until("Which agent of this session?");
  term.keys("Down", "Enter");
  await term.until(/› COUNT the files/);
});

test("commands that outlive their turn are shown; /ps lists and ends one, /stop all", { skip }, async (t) => {
  const serve = (name: string) => ({ call: "exec_command", with: { cmd: `echo ${name} is up; sleep 600`, yield_time_ms: 250 } });
  const term = new Terminal(t, {
    rows: 40,
    turns: [
      [serve("one"), { say: "Serving." }],
      [serve("two"), serve("three"), { say: "More." }],
    ],
  });
  await term.start();
  term.say("/ps");
  await term.until("None runs");
  term.keys("Escape");
  await term.untilGone("None runs");
  term.say("serve");
  await term.answered("Serving.");
  await term.until(/Left running echo one is up; sleep 600[\s\S]*in the background \(\/ps\): echo one is up; sleep 600/);
  term.say("more");
  await term.answered("More.");
  await term.until(/3 in the background \(\/ps\): echo one/);
  term.say("/ps");
  await term.until(/▸ 1 echo one is up; sleep 600 +in ~\/work, process \d+/);
  term.keep("80x40-background");
  term.keys("Enter");
  await term.until("Ended: echo one is up; sleep 600");
  await term.until(/2 in the background/);
  term.say("/stop");
  await term.until("2 commands in the background were ended");
  await term.untilGone("in the background (/ps)");
  term.say("/stop");
  await term.until("No command runs in the background");
});

test("/hooks shows what would run, and a person trusts it or switches it off", { skip }, async (t) => {
  const term = new Terminal(t, { rows: 50 });
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch hook-ran.txt" }] }] };
  await term.start();
  term.say("/hooks");
  await term.until("No hooks are set");
  term.keys("Escape");
  await term.untilGone("No hooks are set");
  writeFileSync(path.join(term.home, "hooks.json"), JSON.stringify({ hooks }));
  term.say("/hooks");
  await term.until("userPromptSubmit: not trusted: does not run");
  term.keep("80x50-hooks");
  term.keys("Enter");
  await term.until("Trust it as it is");
  term.keys("Enter");
  await term.until("userPromptSubmit: trusted as it is");
  await term.until("▸ 1 userPromptSubmit: trusted");
  assert.match(readFileSync(path.join(term.home, "config.toml"), "utf8"), /trusted_hash = "sha256:/);
  term.keys("Enter");
  await term.until("Stop trusting it");
  term.keys("Down", "Enter");
  await term.until("userPromptSubmit: switched off");
  assert.match(readFileSync(path.join(term.home, "config.toml"), "utf8"), /enabled = false/);
  term.keys("Escape");
});

test("/login shows who refused a key, stores one that works, and switches to its model", { skip }, async (t) => {
  await using mock = new MockProvider(
    refuse(401, { error: { message: "no such key" } }),
    stream(anthropicFrames({ text: "At your service" })),
  );
  const env = { ANTHROPIC_BASE_URL: `${await mock.listen()}/v1` };
  const term = new Terminal(t, { rows: 50, env });
  writeFileSync(path.join(term.home, "config.toml"), 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n');
  await term.start();
  await term.until("No model is set up: a built-in tour answers. /login sets one up.");
  term.say("/login");
  await term.until("Which models shall new sessions use?");
  term.keep("80x50-login");
  term.type("anthr");
  await term.until("› anthr");
  term.keys("Enter");
  await term.until("The API key of Anthropic");
  term.type("sk-ant-wrong");
  await term.until("••••••••••••");
  term.keep("80x50-login-key");
  term.keys("Enter");
  await term.until("The model");
  term.keys("Enter");
  await term.until(/Anthropic did not answer as claude-opus-5-5/);
  term.say("/login anthropic");
  await term.until("The API key of Anthropic");
  term.paste("sk-ant-good-key");
  term.keys("Enter");
  await term.until("The model");
  term.keys("Enter");
  await term.until("Anthropic is set up with claude-opus-5-5");
  await term.until(/│ model\s+claude-opus-5-5.* \(anthropic\)/);
  term.say("hello");
  await term.until("At your service");
  assert.equal(mock.requests.at(-1)?.headers["x-api-key"], "sk-ant-good-key");
  assert.doesNotMatch(term.scrollback(), /sk-ant/);
});

test("/plugins shows what one brings and runs; a person installs it, switches it off, and accepts what has changed", {
  skip,
}, async (t) => {
  const term = new Terminal(t, { rows: 50 });
  market(path.join(term.workspace, "mk"), [{ name: "demo", source: "./demo" }], under("demo", plainPlugin()));
  await term.start();
  term.say("/plugins");
  await term.until("No plugins are on offer");
  term.keys("Escape");
  await term.untilGone("No plugins are on offer");
  const added = `\n[marketplaces.mk]\nsource_type = "local"\nsource = ${JSON.stringify(path.join(term.workspace, "mk"))}\n`;
  appendFileSync(path.join(term.home, "config.toml"), added);
  term.say("/plugins");
  await term.until("▸ 1 Demo Plug: not installed");
  term.keys("Enter");
  await term.until("Skills: demo:greet");
  await term.until("Install it");
  term.keep("80x50-plugins");
  term.keys("Enter");
  await term.until("▸ 1 Demo Plug: in use");
  term.keys("Enter");
  await term.until("Switch it off");
  term.keys("Enter");
  await term.until("▸ 1 Demo Plug: switched off");
  assert.match(readFileSync(path.join(term.home, "config.toml"), "utf8"), /\[plugins\."demo@mk"\]\nenabled = false/);
  term.keys("Enter");
  await term.until("Switch it on");
  term.keys("Enter");
  await term.until("▸ 1 Demo Plug: in use");
  term.keys("Escape");
  await term.untilGone("▸ 1 Demo Plug");
  const servers = { mcpServers: { fx: { command: "curl", enabled: false } } };
  writeFileSync(path.join(term.home, "plugins/cache/mk/demo/1.2.0/.mcp.json"), JSON.stringify(servers));
  term.say("/plugins");
  await term.until("▸ 1 Demo Plug: changed since you accepted it: not used");
  term.keys("Enter");
  await term.until("MCP server fx runs: curl");
  await term.until("Accept it as it is");
  term.keys("Enter");
  await term.until("Demo Plug: accepted as it is");
  await term.until("▸ 1 Demo Plug: in use");
  term.keys("Enter");
  await term.until("Uninstall it");
  term.keys("Up", "Enter");
  await term.until("▸ 1 Demo Plug: not installed");
  assert.equal(existsSync(path.join(term.home, "plugins/cache/mk/demo")), false);
  term.keys("Escape");
});

test("/model, /approvals and /plan change what is in force", { skip }, async (t) => {
  const term = new Terminal(t);
  await term.start();
  term.type("/mod");
  await term.until("▸ /model");
  term.keep("80x24-popup");
  term.keys("Enter");
  await term.until("Which model?");
  term.keep("80x24-model");
  term.keys("Escape");
  await term.untilGone("Which model?");
  term.say("/approvals");
  await term.until("What may the agent do?");
  term.keep("80x24-approvals");
  term.keys("4");
  await term.until("full access, no questions");
  term.say("/approvals");
  await term.until("What may the agent do?");
  term.keys("Up", "Up", "Up", "Enter");
  await term.until("read only");
  term.say("/plan");
  await term.until("─ plan mode ─");
  term.say("/plan");
  await term.untilGone("─ plan mode ─");
});

test("esc esc goes back to an earlier message and /undo to before the last turn, with the files where the person wants it", {
  skip,
}, async (t) => {
  const patch = "*** Begin Patch\n*** Add File: made.txt\n+new\n*** End Patch";
  const turns = [["One."], [{ patch }, "Made."], [{ run: "true" }, "Looked."], ["Three, after {{user}}."], [{ patch }, "Made again."]];
  const term = new Terminal(t, { rows: 40, turns, config: 'approval_policy = "never"\nsandbox_mode = "danger-full-access"' });
  await term.start();
  term.say("first message");
  await term.answered("One.");
  term.say("second message");
  await term.answered("Made.");
  assert.ok(existsSync(path.join(term.workspace, "made.txt")));
  term.say("a command that changes no file");
  await term.answered("Looked.");
  const again = "Press esc again to go back to an earlier message";
  term.keys("Escape");
  await term.until(again);
  term.keys("x", "BSpace", "Escape"); // no second press: other keys came between
  await term.until(again);
  term.keys("Escape");
  await term.until("Go back to before which message?");
  term.type("no such message");
  await term.until("Nothing matches");
  term.keys("C-u");
  await term.until("a command that changes no file");
  term.keep("80x40-rewind");
  term.keys("Down", "Enter");
  await term.until("And the files?");
  term.keys("2");
  await term.until("Went back to before: second message");
  await term.until("│ › second message");
  assert.ok(!existsSync(path.join(term.workspace, "made.txt")), "the files went back too");
  term.keys("C-c");
  await term.untilGone("│ › second message");
  term.say("another");
  await term.answered("Three, after another.");
  term.keys("C-t");
  await term.untilGone("Went back to before");
  const transcript = await term.until("Three, after another.");
  assert.match(transcript, /first message/);
  assert.doesNotMatch(transcript, /second message/, "what was taken back is no part of the session");
  term.keys("q");
  await term.until("Ask for anything");
  term.say("make it");
  await term.answered("Made again.");
  writeFileSync(path.join(term.workspace, "made.txt"), "changed by somebody else\n");
  term.say("/undo");
  await term.until("And the files?");
  term.keys("2");
  await term.until("Put them back all the same?");
  term.keys("2");
  await term.until("Went back to before: make it");
  assert.ok(!existsSync(path.join(term.workspace, "made.txt")), "/undo takes the last turn back, with the files where the person wants it");
});

test("/copy, /side, /context, /export, /warnings, /cd, /init, the effort and the window's name", { skip }, async (t) => {
  const turns = [["The **answer**."], { user: "why", steps: ["An aside."] }, [{ expect: { user: "/AGENTS\\.md/" } }, "Written."]];
  const term = new Terminal(t, { rows: 50, columns: 160, turns });
  mkdirSync(path.join(term.workspace, "inner"));
  await term.start();
  assert.equal(term.fact("pane_title"), "Parley: work");
  term.say("/export");
  await term.until("No messages yet");
  term.say("a question");
  await term.answered("The answer.");
  term.say("/copy");
  await term.until("The last answer was given to the clipboard");
  assert.equal(term.clipboard(), "The **answer**.");
  term.say("/side why");
  await term.until(/· Aside: why\s+• An aside\./);
  term.say("/context");
  await term.until(/│ your messages\s+\d+\s+0%[\s\S]*│ in all\s/);
  term.say("/export session.md");
  await term.until(/The session is written to\s+\S+session\.md/);
  const exported = readFileSync(path.join(term.workspace, "session.md"), "utf8");
  assert.match(exported, /a question[\s\S]*The \*\*answer\*\*\./);
  assert.doesNotMatch(exported, /aside/, "the conversation does not learn of it");
  term.say("/export session.md");
  await term.until("is there already; name another file");
  term.say("/warnings");
  await term.until(/Warnings[\s\S]*│ 1\s+\S*session\.md is there/);
  term.keys("M-.");
  await term.until(/has no other effort|Effort: /);
  term.say("/init");
  await term.answered("Written.");
  writeFileSync(path.join(term.workspace, "inner", "AGENTS.md"), "# Here\n");
  term.say("/cd inner");
  await term.until(/Folder:\s+\S+work\/inner/);
  await term.until(/~\/work\/inner/);
  assert.equal(term.fact("pane_title"), "Parley: inner");
  term.say("/init");
  await term.until("AGENTS.md is there already; nothing was changed");
  term.say("/cd nowhere");
  await term.until(/nowhere is no folder/);
});

test("colours, the line below the message, keys of one's own, vim keys, and a picture from the clipboard", { skip }, async (t) => {
  const folder = scratch(t);
  const clipboard = path.join(folder, "clipboard");
  mkdirSync(clipboard);
  writeFileSync(path.join(clipboard, "xclip"), "#!/bin/sh\n[ -f picture ] && cat picture\n", { mode: 0o755 });
  const env = { DISPLAY: ":7", PATH: `${clipboard}:${path.dirname(launcher)}:${process.env["PATH"]}` };
  const config = [
    'approval_policy = "on-request"\nsandbox_mode = "read-only"',
    "[tui]",
    "vim_mode_default = true",
    'status_line = ["thread-title", "pull-request-number"]',
    '[tui.keymap.composer]\nsubmit = "ctrl-s"\n[tui.keymap.global]\nopen_transcript = "alt-t"\nopen_agents = "ctrl-a"',
  ].join("\n");
  const term = new Terminal(t, { folder, rows: 50, env, config, turns: [[{ expect: { images: 1 } }, "Saw {{user}}"]] });
  await term.start();
  await term.until("tui.keymap.global.open_agents: there is no such action here");
  await term.until("tui.status_line: pull-request-number is not known here");
  const command = async (text: string, shown: string | RegExp): Promise<void> => {
    term.type(text);
    await term.until(`› ${text}`);
    term.keys("C-s");
    await term.until(shown);
  };
  await command("/keymap", /│ ctrl\+s\s+send, or steer the running turn {2}\(composer\.submit\)/);
  await command("/theme light", "Theme: Light");
  assert.match(readFileSync(path.join(term.home, "config.toml"), "utf8"), /theme = "light"/);
  await command("/statusline", "What shall the line below the message show?");
  term.type("4");
  await term.until("☑ permissions");
  term.keys("Enter");
  await term.until(/^ {2}[0-9a-f-]{36} · read only$/m);
  term.type("one two");
  term.keys("Enter");
  term.type("three");
  await term.until(/› one two +│\n│ {3}three/);
  term.keys("Escape");
  await term.until("─ normal ─");
  term.type("ggdw");
  await term.until(/› two +│\n│ {3}three/);
  term.keys("C-v");
  await term.until("There is no picture in the clipboard");
  writeFileSync(path.join(term.workspace, "picture"), pixel);
  term.keys("C-v");
  await term.until("[Image #1: clipboard.png]");
  term.keys("C-s");
  await term.answered("Saw");
  term.keys("M-t");
  await term.until("q closes");
  term.keys("q");
  await term.until("Ask for anything");
  term.type("i");
  await term.untilGone("─ normal ─");
  await command("/vim", "Vim keys are off");
});

test("/diff, /review and /compact", { skip }, async (t) => {
  const patch = "*** Begin Patch\n*** Update File: kept.txt\n@@\n-one\n+ONE\n two\n*** Add File: fresh.txt\n+new\n*** End Patch";
  const term = new Terminal(t, {
    turns: [
      [{ patch }, { say: "Patched." }],
      {
        user: "/review|changes/i",
        steps: [
          {
            say: '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"Looks right.","overall_confidence_score":0.9}',
          },
        ],
      },
      { user: "/summar|handoff|compact/i", steps: [{ say: "A short summary." }] },
      [{ say: "Later." }],
    ],
  });
  repository(term);
  await term.start();
  term.say("patch it");
  await term.answered("Patched.");
  term.say("/diff");
  await term.until((screen) => screen.includes("+ONE") && screen.includes("q closes"));
  term.keep("80x24-diff");
  assert.match(term.styled(), /48;2;24;52;36m\+ONE/, "added lines have their background");
  assert.match(term.styled(), /48;2;66;30;34m-one/);
  assert.match(term.screen(), /\+new/, "files that git does not know yet are shown too");
  term.keys("q");
  await term.until("Ask for anything");
  term.say("/review");
  await term.until("What shall be reviewed?");
  term.keep("80x24-review");
  term.keys("1");
  await term.untilScrollback("Review finished");
  await term.until("Ask for anything");
  assert.equal(term.scrollback().split("Looks right.").length, 2, "the review stands there once");
  term.say("/compact");
  await term.untilScrollback("The conversation so far was summed up to make room");
});

test("/new, /rename, /resume, /fork: other sessions, and back", { skip }, async (t) => {
  const term = new Terminal(t, { turns: [[{ say: "Answer to {{user}}." }]] });
  await term.start();
  term.say("alpha question");
  await term.answered("Answer to alpha question.");
  term.say("/rename The first one");
  await term.until("This session is now called The first one");
  term.say("/new");
  await term.untilScrollback((text) => text.split("Parley 0").length === 3);
  await term.until("? for keys");
  term.say("beta question");
  await term.answered("Answer to beta question.");
  term.say("/resume");
  await term.until("Which session shall go on?");
  await term.until("The first one");
  term.keep("80x24-resume");
  term.type("first");
  await term.until("› first");
  term.keys("Enter");
  await term.until(/resumed\s+[0-9a-f]{8}-/);
  await term.until("Answer to alpha question.");
  term.say("/fork");
  await term.until(/forked from\s+[0-9a-f]{8}-/);
  term.keys("C-d");
  await term.until(/Go on with: parley resume .*\n\$$/m);
  term.type("parley fork");
  term.keys("Enter");
  await term.until("Which session shall be copied?");
  term.keys("Escape");
  await term.until(/parley fork\s+\$$/m);
  term.type("parley resume --last");
  term.keys("Enter");
  await term.until(/resumed\s+[0-9a-f]{8}-/);
});

test("a prompt of the person's own, with and without what it asks for", { skip }, async (t) => {
  const term = new Terminal(t, { turns: [[{ say: "Heard: {{user}}" }], [{ say: "Heard: {{user}}" }]] });
  mkdirSync(path.join(term.home, "prompts"));
  writeFileSync(
    path.join(term.home, "prompts/greet.md"),
    "---\ndescription: Says hello\nargument-hint: NAME=<who>\n---\nSay hello to $NAME kindly.\n",
  );
  await term.start();
  term.type("/gre");
  await term.until("/prompts:greet");
  term.keep("80x24-own-prompt");
  term.keys("Enter");
  await term.until("│ › /prompts:greet");
  term.keys("Enter");
  await term.until("This prompt needs NAME=…");
  term.type("NAME=Ada");
  term.keys("Enter");
  await term.until("Heard: Say hello to Ada kindly.");
});
