import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { RpcError } from "../protocol/errors.ts";
import { type ConfigStoreOptions, createConfigStore } from "./load.ts";

let root: string;
let home: string;
let work: string;
describe("load", () => {
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-config-")));
    home = path.join(root, "home");
    work = path.join(root, "work");
    mkdirSync(home);
    mkdirSync(path.join(work, ".git"), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const user = (text: string): void => write(path.join(home, "config.toml"), text);
  const store = (options: Partial<ConfigStoreOptions> = {}) =>
    createConfigStore({
      codexHome: home,
      env: {},
      systemDir: path.join(root, "etc"),
      fallback: () => ({ modelProvider: "mine", model: "fallback-model" }),
      ...options,
      builtInProviders: {
        mine: {
          ...{ id: "mine", name: "Mine", baseUrl: "http://127.0.0.1:1", wireApi: "responses", envKey: "MINE_KEY", bearerToken: undefined },
          ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 1, streamMaxRetries: 1 },
          ...{ streamIdleTimeoutMs: 5, requiresOpenaiAuth: false, options: {} },
        },
      },
    });
  const refusal = (words: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RpcError);
    assert.equal(error.code, -32600);
    assert.match(error.message, words);
    return true;
  };
  const trust = (dir: string, level = "trusted") => `[projects.${JSON.stringify(dir)}]\ntrust_level = "${level}"\n`;

  describe("effective config", () => {
    it("is the same object while nothing has changed, and the very next call sees whatever has", () => {
      const link = path.join(root, "link");
      symlinkSync(work, link);
      const fallback = { modelProvider: "mine", model: "fallback-model" };
      const options = { fallback: () => ({ ...fallback }) };
      const config = store(options);
      const role = 'description = "d"\ndeveloper_instructions = "i"\n';
      const changes: readonly (readonly [what: string, () => void])[] = [
        ["the user's file", () => user(trust(work))],
        ["the project's file", () => write(path.join(work, ".codex/config.toml"), 'model = "of-project"\n')],
        ["the project's hooks", () => write(path.join(work, ".codex/hooks.json"), '{"hooks":{}}')],
        ["the project's rules", () => write(path.join(work, ".codex/rules/a.rules"), "")],
        ["a role of the user's", () => write(path.join(home, "agents/one.toml"), role)],
        ["a second role", () => write(path.join(home, "agents/two.toml"), role)],
        ["what a role says", () => write(path.join(home, "agents/two.toml"), `${role}model = "m"\n`)],
        ["the machine's file", () => write(path.join(root, "etc/config.toml"), 'model = "of-machine"\n')],
        ["the administrator's file", () => write(path.join(root, "etc/requirements.toml"), 'allowed_approval_policies = ["never"]\n')],
        ["the project's root", () => renameSync(path.join(work, ".git"), path.join(root, ".git"))],
        ["where the folder leads", () => (rmSync(link), mkdirSync(path.join(root, "other")), symlinkSync(path.join(root, "other"), link))],
        ["the user's file once more", () => user('model = "mine"\n')],
        ["the user's file, gone", () => rmSync(path.join(home, "config.toml"))],
        ["the fallback", () => Object.assign(fallback, { model: "another" })],
        ["a feature", () => config.setFeatures({ hooks: false })],
      ];
      for (const [what, change] of changes) {
        const before = config.effective(link);
        change();
        assert.notEqual(config.effective(link), before, what);
      }
      assert.equal(config.effective(link), config.effective(link));
      const fresh = store(options);
      fresh.setFeatures({ hooks: false });
      assert.deepEqual(config.effective(link), fresh.effective(link));
    });

    it("names a folder that stands where settings are read: none is taken as absent", () => {
      const folders = [
        path.join(home, "config.toml"),
        ...["config.toml", "managed_config.toml", "requirements.toml"].map((name) => path.join(root, "etc", name)),
      ];
      for (const folder of folders) {
        mkdirSync(folder, { recursive: true });
        assert.throws(
          () => store().effective(work),
          refusal(new RegExp(`^cannot read ${folder}: it is a folder; remove it, or put the file there$`)),
        );
        rmSync(folder, { recursive: true });
      }
      assert.deepEqual(store().effective(work).warnings, []);
    });

    it("says what becomes of a turn whose worker is lost: fleet.on_loss", () => {
      assert.equal(store().effective(work).onLoss, "interrupt");
      user('[fleet]\non_loss = "continue"\n');
      assert.equal(store().effective(work).onLoss, "continue");
      assert.equal(store().effective(work, { "fleet.on_loss": "interrupt" }).onLoss, "interrupt");
    });

    it("reads a provider's key from a program instead of the built-in variable", () => {
      user('[model_providers.mine.auth]\ncommand = "vault"\nargs = ["read"]\nrefresh_interval_ms = 0\n');
      const { auth, envKey, bearerToken } = store().effective(work).providers["mine"] ?? assert.fail();
      assert.deepEqual(auth, { command: "vault", args: ["read"], cwd: undefined, timeoutMs: 5000, refreshIntervalMs: 0 });
      assert.deepEqual([envKey, bearerToken], [undefined, undefined]);
    });

    it("warns in one sentence about keys without effect, and not about other programs' screens", () => {
      user(
        'approvals_reviewer = "user"\ninclude_environment_context = false\nnotice.x = true\n[tui]\npet = "cat"\n[mcp_servers.s]\ncommand = "x"\nenvironment_id = "e"\n',
      );
      assert.deepEqual(store().effective(work).warnings, [
        `${path.join(home, "config.toml")}: no effect here: \`mcp_servers.s.environment_id\`, \`include_environment_context\``,
      ]);
    });

    it("has careful defaults when there is no file at all", () => {
      const config = store().effective(work);
      assert.equal(config.modelProvider, "mine");
      assert.equal(config.model, "fallback-model");
      assert.equal(config.sandboxMode, "read-only");
      assert.equal(config.approvalPolicy, "on-request");
      assert.equal(config.trusted, false);
      assert.equal(config.projectRoot, work);
      assert.deepEqual(config.warnings, []);
    });

    it("lets stronger layers win key by key: system, user, profile, project, flags, request, managed", () => {
      write(path.join(root, "etc", "config.toml"), 'model = "system"\nreview_model = "system"\ncompact_prompt = "system"');
      user(
        `model = "user"\nreview_model = "user"\nmodel_verbosity = "low"\nservice_tier = "user"\n[profiles.p]\nmodel = "profile"\nservice_tier = "profile"\n${trust(work)}`,
      );
      write(
        path.join(work, ".codex", "config.toml"),
        'service_tier = "project"\nmodel_verbosity = "medium"\ndeveloper_instructions = "project"',
      );
      write(path.join(root, "etc", "managed_config.toml"), 'model_reasoning_effort = "low"');
      const config = store({ cliOverrides: ["profile=p", "model_verbosity=high"] }).effective(work, {
        developer_instructions: "request",
        model_reasoning_effort: "high",
      });
      assert.deepEqual(
        [
          config.compactPrompt,
          config.reviewModel,
          config.model,
          config.serviceTier,
          config.verbosity,
          config.developerInstructions,
          config.effort,
        ],
        ["system", "user", "profile", "project", "high", "request", "low"],
      );
    });

    it("reads a profile from its own file, and reports a missing one", () => {
      write(path.join(home, "night.config.toml"), 'model = "night"');
      user('model = "day"');
      assert.equal(store().effective(work, { profile: "night" }).model, "night");
      assert.throws(() => store().effective(work, { profile: "no" }), refusal(/config profile `no` not found/));
      assert.throws(() => store().effective(work, { profile: "../night" }), refusal(/config profile `\.\.\/night` not found/));
    });

    it("reads flags as TOML, else as plain text, and request keys as paths or tables", () => {
      const config = store({ cliOverrides: ["model=gpt 5", "features.a=true", "sandbox_workspace_write={network_access=true}"] }).effective(
        work,
        {
          "model_providers.x.base_url": "http://127.0.0.1:2/v1",
          model_providers: { x: { wire_api: "chat" } },
          model_provider: "x",
        },
      );
      assert.equal(config.model, "gpt 5");
      assert.deepEqual(config.features, { a: true });
      assert.equal(config.sandboxWorkspaceWrite.networkAccess, true);
      assert.deepEqual([config.providers["x"]?.wireApi, config.providers["x"]?.baseUrl], ["chat", "http://127.0.0.1:2/v1"]);
    });

    it("changes single fields of a built-in provider", () => {
      user('[model_providers.mine]\nbase_url = "http://127.0.0.1:9"');
      const provider = store().effective(work).providers["mine"];
      assert.deepEqual([provider?.baseUrl, provider?.envKey, provider?.requestMaxRetries], ["http://127.0.0.1:9", "MINE_KEY", 1]);
    });

    it("resolves relative files against the file that names them", () => {
      user('model_instructions_file = "base.md"\nsandbox_workspace_write.writable_roots = ["out"]');
      assert.throws(() => store().effective(work), refusal(/model_instructions_file: .*base\.md does not exist/));
      write(path.join(home, "base.md"), "Be kind.\n");
      const config = store().effective(work);
      assert.equal(config.baseInstructions, "Be kind.");
      assert.deepEqual(config.sandboxWorkspaceWrite.writableRoots, [path.join(home, "out")]);
    });

    it("understands both kinds of MCP servers", () => {
      user(
        '[mcp_servers.a]\ncommand = "run"\nargs = ["x"]\nenv_vars = ["PATH", { name = "HOME" }]\nstartup_timeout_sec = 2.5\n[mcp_servers.b]\nurl = "http://127.0.0.1:3/mcp"\ndefault_tools_approval_mode = "approve"',
      );
      const { a, b } = store().effective(work).mcpServers;
      assert.deepEqual(a?.transport, { type: "stdio", command: "run", args: ["x"], env: {}, envVars: ["PATH", "HOME"], cwd: undefined });
      assert.equal(a?.startupTimeoutMs, 2500);
      assert.equal(a?.approval, "ask");
      assert.equal(b?.transport.type, "http");
      assert.equal(b?.approval, "allow");
    });

    it("keeps unknown keys and warns about them, but not about those of other programs", () => {
      user('modle = "x"\n[desktop]\nx = 1\n[tui]\nnope = 1\n[mcp_servers.a]\ncommand = "x"\ncomand = "y"');
      const config = store().effective(work);
      assert.equal(config.raw["modle"], "x");
      assert.deepEqual(config.warnings.map((w) => /`(.*?)`/.exec(w)?.[1]).sort(), ["mcp_servers.a.comand", "modle", "tui.nope"]);
    });

    it("names a bounded number of unknown keys, however many and long they are", () => {
      user(Array.from({ length: 5000 }, (_, i) => `${"k".repeat(1000)}${i} = 1`).join("\n"));
      const { warnings } = store().effective(work);
      assert.equal(warnings.length, 51);
      assert.match(warnings[50] ?? "", /4950 more unknown keys are ignored$/);
      for (const warning of warnings) assert.ok(warning.length < 600, warning);
    });

    it("collects feature switches from their older places, and warns about those under development", () => {
      user(
        "experimental_use_unified_exec_tool = false\n[tools]\nview_image = false\n[features]\ncollab = false\nmulti_agent_v2 = true\nexperimental_use_freeform_apply_patch = true",
      );
      const { features, warnings } = store().effective(work);
      assert.deepEqual(
        [features["unified_exec"], features["view_image"], features["multi_agent"], features["apply_patch_freeform"]],
        [false, false, false, true],
      );
      assert.deepEqual(warnings.length, 1);
      assert.deepEqual(store().effective(work, { suppress_unstable_features_warning: true }).warnings, []);
    });

    it("reads the limits and defaults of sub-agents, and their kinds unless they are switched off", () => {
      const limited = ["enabled = true", "max_threads = 9", "max_concurrent_threads_per_session = 3"];
      const chosen = ["default_subagent_model = 'm'", "default_subagent_reasoning_effort = 'low'"];
      const role = ["[agents.reviewer]", "description = 'x'", "odd = 1", "nickname_candidates = ['Ada', 'Ada']", ""];
      const agents = ["[agents]", ...limited, ...chosen, ...role].join("\n");
      user(`features.multi_agent = false\n${agents}`);
      const config = store().effective(work);
      const chosenOnes = { model: "m", effort: "low", developerInstructions: undefined };
      const limits = { isEnabled: true, maxDepth: 1, maxThreads: 3, ...chosenOnes, roles: [] };
      assert.deepEqual([config.agents, config.warnings], [limits, []]);
      user(`${agents}[agents.empty]\n[agents.wrong]\ndescription = "y"\nnickname_candidates = ["\\u001b[31m"]\n`);
      const { agents: known, warnings } = store().effective(work);
      assert.deepEqual(
        known.roles.map(({ name, description, isReadOnly, nicknames }) => [name, description, isReadOnly, nicknames]),
        [["reviewer", "x", false, ["Ada"]]],
      );
      assert.match(warnings.join("\n"), /agents\.wrong: .* `nickname_candidates` must be at most 100 names/);
      assert.match(warnings.join("\n"), /agents\.reviewer: no effect here: `odd`.*\n.*agents\.empty: .* it has no `description`/s);
    });

    it("warns about an exporter that sends nothing", () => {
      user('[otel]\nexporter = { otlp-grpc = { endpoint = "http://127.0.0.1:9" } }\ntrace_exporter = "none"\n');
      assert.match(
        store().effective(work).warnings.join("\n"),
        /^.*config\.toml: `otel\.exporter`: only \{ otlp-http = .* nothing is sent$/,
      );
    });

    it("is deeply frozen", () => {
      user("[features]\na = true");
      const config = store().effective(work);
      assert.ok(
        Object.isFrozen(config) &&
          Object.isFrozen(config.raw) &&
          Object.isFrozen(config.raw["features"]) &&
          Object.isFrozen(config.providers["mine"]),
      );
    });
  });

  describe("a broken config", () => {
    const mine = "[model_providers.mine]\n";
    const broken: [name: string, text: string, message: RegExp][] = [
      ["syntax", "model = \n", /home\/config\.toml: line 1, column 9/],
      [
        "a word outside the choices",
        'approval_policy = "perhaps"',
        /config\.toml: unknown variant `perhaps`.*`on-request`.*in `approval_policy`/,
      ],
      ["an effort of no characters", 'model_reasoning_effort = ""', /config\.toml: model_reasoning_effort must not be empty/],
      ["a wrong type deep inside", '[mcp_servers.a]\ncommand = "x"\nargs = "y"', /in `mcp_servers\.a\.args`/],
      ["a server with neither command nor url", "[mcp_servers.a]\nenabled = true", /mcp_servers\.a: needs `command`/],
      ["a provider that is nowhere", 'model_provider = "zzz"', /model_provider: no provider is named `zzz`; known are mine/],
      ["a token's program without a name", `${mine}[model_providers.mine.auth]\nargs = ["x"]`, /mine\.auth\.command: missing/],
      ["two kinds of key", `${mine}env_key = "K"\nauth = { command = "x" }`, /mine\.auth: cannot be combined with env_key/],
      [
        "a token for a provider that needs none",
        `${mine}wire_api = "scripted"\nauth = { command = "x" }`,
        /mine\.auth: has no effect with wire_api = "scripted"/,
      ],
      ["a token's program with no time", `${mine}auth = { command = "x", timeout_ms = 0 }`, /timeout_ms/],
      ["a provider without an address", '[model_providers.q]\nname = "q"', /model_providers\.q\.base_url: missing/],
    ];
    for (const [name, text, message] of broken)
      it(`refuses ${name}, naming file and key`, () => {
        user(text);
        assert.throws(() => store().effective(work), refusal(message));
      });

    it("refuses a request's own bad value", () => {
      assert.throws(() => store().effective(work, { sandbox_mode: "wild" }), refusal(/unknown variant `wild`.*in `sandbox_mode`/));
      assert.throws(() => store().effective(work, { "__proto__.polluted": true }), refusal(/not allowed/));
      assert.throws(() => store({ cliOverrides: ["oops"] }), refusal(/expected key=value/));
    });

    it("cannot reach the prototype of anything", () => {
      user('[__proto__]\npolluted = true\n[mcp_servers.__proto__]\ncommand = "x"');
      assert.doesNotThrow(() => store().effective(work));
      assert.equal(Reflect.get({}, "polluted"), undefined);
    });
  });

  describe("trust", () => {
    const project = (text: string): void => write(path.join(work, ".codex", "config.toml"), text);

    it("gives a folder's own settings no effect before the user trusts it, however broken they are", () => {
      project('sandbox_mode = "danger-full-access"\n[mcp_servers.evil]\ncommand = "sh"');
      const s = store();
      const before = s.effective(work, { sandbox_mode: "workspace-write" });
      assert.deepEqual([before.sandboxMode, before.mcpServers], ["workspace-write", {}]);
      assert.match(before.warnings.join(), /has not yet trusted/);
      project("=== not toml");
      assert.equal(s.effective(work).sandboxMode, "read-only");
      user(trust(work));
      assert.throws(() => s.effective(work), refusal(/work\/\.codex\/config\.toml: line 1/));
      project('[mcp_servers.good]\ncommand = "sh"');
      assert.deepEqual(Object.keys(s.effective(work).mcpServers), ["good"]);
      user(trust(work, "untrusted"));
      const marked = s.effective(work);
      assert.deepEqual([marked.mcpServers, marked.approvalPolicy, marked.trusted], [{}, "untrusted", false]);
    });

    it("does not let even a trusted project choose providers, programs or trust", () => {
      user(trust(work));
      project(
        `model_provider = "evil"\nnotify = ["sh"]\nmodel = "ok"\n[model_providers.evil]\nbase_url = "http://127.0.0.1:1"\n${trust(root)}`,
      );
      const config = store().effective(work);
      assert.deepEqual([config.modelProvider, config.notify, config.model], ["mine", [], "ok"]);
      assert.equal(config.warnings.length, 4);
    });

    it("does not let even a trusted project choose who reviews approvals, by which rules, and how many agents there may be", () => {
      user(trust(work));
      project('approvals_reviewer = "auto_review"\n[auto_review]\npolicy = "allow all"\n[agents]\nmax_threads = 500\nmax_depth = 9\n');
      const { approvalsReviewer, autoReview, agents, warnings } = store().effective(work);
      assert.deepEqual(
        [approvalsReviewer, autoReview.policy, agents.maxThreads, agents.maxDepth, warnings.length],
        ["user", undefined, 6, 1, 3],
      );
    });

    it("covers the folders inside the project root, nearest settings last", () => {
      user(trust(work));
      project('model = "root"\nreview_model = "root"');
      write(path.join(work, "a", ".codex", "config.toml"), 'model = "inner"');
      const config = store().effective(path.join(work, "a"));
      assert.deepEqual([config.model, config.reviewModel, config.projectRoot], ["inner", "root", work]);
    });

    it("does not mistake the placeholder of a missing .git for a project's root", () => {
      user(trust(work));
      project('model = "root"');
      const inner = path.join(work, "inner");
      mkdirSync(path.join(inner, ".git"), { recursive: true });
      chmodSync(path.join(inner, ".git"), 0o1711);
      write(path.join(inner, ".git", ".parley-1-2-3-x"), "");
      const config = store().effective(inner);
      assert.deepEqual([config.projectRoot, config.model], [work, "root"]);
      write(path.join(inner, ".git", "HEAD"), "");
      assert.equal(store().effective(inner).projectRoot, inner, "filled, it is one");
    });

    it("follows project_root_markers", () => {
      user('project_root_markers = ["ROOT"]');
      write(path.join(root, "ROOT"), "");
      assert.equal(store().effective(work).projectRoot, root);
    });

    it("assigns a worktree to a repository only when the repository lists it", () => {
      const tree = path.join(root, "tree");
      const record = path.join(work, ".git", "worktrees", "tree");
      write(path.join(tree, ".git"), `gitdir: ${record}\n`);
      user(trust(work));
      assert.equal(store().effective(tree).trusted, false);
      write(path.join(record, "gitdir"), `${path.join(root, "elsewhere", ".git")}\n`);
      assert.equal(store().effective(tree).trusted, false);
      write(path.join(record, "gitdir"), `${path.join(tree, ".git")}\n`);
      assert.equal(store().effective(tree).trusted, true);
    });

    it("does not mistake the home's own folder for a project's", () => {
      const dotCodex = path.join(work, ".codex");
      write(path.join(dotCodex, "config.toml"), `model_provider = "mine"\n${trust(work)}`);
      assert.deepEqual(store({ codexHome: dotCodex }).effective(work).warnings, []);
    });
  });

  describe("loading again", () => {
    it("gives the same value until a file changes", () => {
      user('model = "a"\nmodel_instructions_file = "i.md"');
      write(path.join(home, "i.md"), "one");
      const s = store();
      const first = s.effective(work, { model_verbosity: "low" });
      assert.equal(s.effective(work, { model_verbosity: "low" }), first);
      assert.notEqual(s.effective(work), first);
      write(path.join(home, "i.md"), "two");
      assert.equal(s.effective(work, { model_verbosity: "low" }).baseInstructions, "two");
      user('model = "b"');
      assert.equal(s.effective(work).model, "b");
      rmSync(path.join(home, "config.toml"));
      assert.equal(s.effective(work).model, "fallback-model");
    });

    it("notices that signing in changed the provider", () => {
      let provider = "mine";
      const s = store({ fallback: () => ({ modelProvider: provider }) });
      assert.equal(s.effective(work).modelProvider, "mine");
      provider = "gone";
      assert.throws(() => s.effective(work), refusal(/`gone`/));
    });
  });
});
