import assert from "node:assert/strict";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fits } from "../lib/schema.ts";
import { ConfigReadResponse } from "../protocol/config.ts";
import { RpcError } from "../protocol/errors.ts";
import { type ConfigStoreOptions, createConfigStore } from "./load.ts";
import { writeConfig } from "./write.ts";

let root: string;
let home: string;
let work: string;
let file: string;
describe("write", () => {
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-write-")));
    home = path.join(root, "home");
    work = path.join(root, "work");
    file = path.join(home, "config.toml");
    mkdirSync(home);
    mkdirSync(path.join(work, ".git"), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (where: string, text: string): void => {
    mkdirSync(path.dirname(where), { recursive: true });
    writeFileSync(where, text);
  };
  const store = (options: Partial<ConfigStoreOptions> = {}) =>
    createConfigStore({
      codexHome: home,
      env: {},
      systemDir: path.join(root, "etc"),
      fallback: () => ({ modelProvider: "scripted" }),
      builtInProviders: {
        scripted: {
          ...{ id: "scripted", name: "Scripted", baseUrl: "", wireApi: "scripted", envKey: undefined, bearerToken: undefined },
          ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
          ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: false, options: {} },
        },
      },
      ...options,
    });
  it("keeps both where another process writes at the same moment, unless a version is expected", () => {
    writeFileSync(file, 'model = "a"\n');
    let others = 3;
    const forbidden = (): undefined => {
      if (others-- > 0) writeFileSync(file, `model = "b"\nreview_model = "r${others}"\n`);
    };
    writeConfig([set("model", "c")], { file, expectedVersion: undefined, forbidden });
    assert.equal(readFileSync(file, "utf8"), 'model = "c"\nreview_model = "r0"\n');
    const { version } = writeConfig([], { file, expectedVersion: undefined, forbidden });
    others = 1;
    assert.throws(() => writeConfig([set("model", "d")], { file, expectedVersion: version, forbidden }), refused("configVersionConflict"));
  });

  const set = (keyPath: string, value: unknown, mergeStrategy: "replace" | "upsert" = "replace") => ({ keyPath, value, mergeStrategy });
  const onDisk = (): string => readFileSync(file, "utf8");
  const refused = (code: string, message?: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RpcError);
    assert.deepEqual([error.code, error.data], [-32600, { config_write_error_code: code }]);
    if (message !== undefined) assert.match(error.message, message);
    return true;
  };

  describe("config/read", () => {
    it("shows values, their origins, and the layers strongest first", () => {
      put(path.join(root, "etc", "config.toml"), 'model = "system"\nreview_model = "r"');
      put(file, `model = "user"\n[sandbox_workspace_write]\nnetwork_access = true\n[projects."${work}"]\ntrust_level = "trusted"\n`);
      put(path.join(work, ".codex", "config.toml"), 'notice = { a = [1, 2] }\nmodel = "project"');
      const reading = store({ cliOverrides: ["model_verbosity=low"] }).read(work);
      assert.ok(fits(ConfigReadResponse(), reading));
      assert.equal(reading.config.model, "project");
      assert.deepEqual(reading.config.sandbox_workspace_write, {
        ...{ writable_roots: [], network_access: true, exclude_tmpdir_env_var: false, exclude_slash_tmp: false },
      });
      assert.equal(reading.config.developer_instructions, null);
      const from = (key: string) => reading.origins[key]?.name.type;
      assert.deepEqual(
        [from("model"), from("review_model"), from("model_verbosity"), from("notice.a.1"), from(`projects.${work}.trust_level`)],
        ["project", "system", "sessionFlags", "project", "user"],
      );
      assert.deepEqual(
        reading.layers?.map((layer) => layer.name.type),
        ["sessionFlags", "project", "user", "system"],
      );
      assert.match(reading.layers?.[0]?.version ?? "", /^sha256:[0-9a-f]{64}$/);
      assert.equal(reading.origins["model"]?.version, reading.layers?.[1]?.version);
    });

    it("lists the layer of an untrusted folder with the reason and without effect, and none without a folder", () => {
      put(path.join(work, ".codex", "config.toml"), 'model = "evil"');
      const reading = store().read(work);
      const layer = reading.layers?.find(({ name }) => name.type === "project");
      assert.deepEqual(layer?.config, { model: "evil" });
      assert.match(layer?.disabledReason ?? "", /trust_level = "trusted"/);
      assert.equal(reading.config.model, null);
      assert.equal(reading.origins["model"], undefined);
      assert.ok(
        !store()
          .read(undefined)
          .layers?.some(({ name }) => name.type === "project"),
      );
    });

    it("gives the same version for the same values, whatever the order and the comments", () => {
      const version = (text: string) => {
        put(file, text);
        return store()
          .read(undefined)
          .layers?.find(({ name }) => name.type === "user")?.version;
      };
      assert.equal(version('model = "a"\nreview_model = "b"'), version('# hello\nreview_model = "b"\nmodel = "a"\n'));
      assert.notEqual(version('model = "a"'), version('model = "b"'));
    });
  });

  describe("writing settings", () => {
    it("creates a missing file, readable by its owner only", () => {
      const s = store();
      const answer = s.write([set("model", "m")]);
      assert.deepEqual({ ...answer, version: "" }, { status: "ok", filePath: file, version: "", overriddenMetadata: null });
      assert.equal(onDisk(), 'model = "m"\n');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(s.effective(work).model, "m");
      assert.equal(answer.version, s.read(undefined).origins["model"]?.version);
    });

    it("merges or replaces tables as requested, and removes by null", () => {
      put(file, '# mine\n[mcp_servers.a]\ncommand = "x" # keep\nargs = ["1"]\n');
      const s = store();
      s.write([set("mcp_servers.a", { enabled: false, env: { A: "b", gone: null } }, "upsert")]);
      assert.equal(
        onDisk(),
        '# mine\n[mcp_servers.a]\ncommand = "x" # keep\nargs = ["1"]\nenabled = false\n\n[mcp_servers.a.env]\nA = "b"\n',
      );
      s.write([set("mcp_servers.a", { command: "y" })]);
      assert.equal(onDisk(), '# mine\n[mcp_servers.a]\ncommand = "y" # keep\n');
      s.write([set("mcp_servers.a", null), set("nothing.there", null)]);
      assert.equal(onDisk(), "# mine\n# keep\n");
    });

    it("writes all edits or none", () => {
      put(file, 'model = "a"\n');
      assert.throws(
        () => store().write([set("model", "b"), set("approval_policy", "perhaps")]),
        refused("configValidationError", /^Invalid configuration: unknown variant `perhaps`.*\nin `approval_policy`\n$/),
      );
      assert.equal(onDisk(), 'model = "a"\n');
    });

    it("refuses a stale version and accepts the right one", () => {
      put(file, 'model = "a"\n');
      const s = store();
      const version = s.read(undefined).origins["model"]?.version;
      s.write([set("model", "b")], { expectedVersion: version });
      assert.throws(() => s.write([set("model", "c")], { expectedVersion: version }), refused("configVersionConflict"));
      assert.equal(onDisk(), 'model = "b"\n');
    });

    const bad: [name: string, edit: ReturnType<typeof set>, message: RegExp][] = [
      ["an empty path", set("", 1), /must not be empty/],
      ["an empty part", set("a..b", 1), /segments must not be empty/],
      ["a path through a value", set("model.x", 1), /non-table parent/],
      ["the prototype", set("__proto__.x", 1), /not allowed/],
      ["a prototype inside a value", set("notice", JSON.parse('{"__proto__":{"x":1}}')), /not allowed/],
      ["null in a list", set("notify", ["a", null]), /null/],
      ["a server that is none", set("mcp_servers.q", { enabled: true }), /needs `command`/],
    ];
    for (const [name, edit, message] of bad)
      it(`refuses ${name}`, () => {
        put(file, 'model = "a"\n');
        assert.throws(() => store().write([edit]), refused("configValidationError", message));
        assert.equal(onDisk(), 'model = "a"\n');
      });

    it("writes nowhere but to the user's own file", () => {
      for (const filePath of [path.join(root, "other.toml"), "config.toml", path.join(root, "etc", "config.toml")])
        assert.throws(() => store().write([set("model", "x")], { filePath }), refused("configLayerReadonly"));
      assert.equal(store().write([set("model", "x")], { filePath: file }).status, "ok");
    });

    it("follows a symlink to the file and keeps the link", () => {
      put(path.join(root, "dotfiles", "codex.toml"), "# linked\n");
      symlinkSync(path.join(root, "dotfiles", "codex.toml"), file);
      store().write([set("model", "x")]);
      assert.ok(lstatSync(file).isSymbolicLink());
      assert.equal(onDisk(), '# linked\nmodel = "x"\n');
    });

    it("reports when a stronger layer hides what was written", () => {
      const answer = store({ cliOverrides: ["model=flag"] }).write([set("model", "mine")]);
      assert.equal(answer.status, "okOverridden");
      assert.deepEqual(answer.overriddenMetadata?.effectiveValue, "flag");
      assert.equal(answer.overriddenMetadata?.message, "Overridden by session flags");
    });

    it("writes into the file of the profile in use", () => {
      put(file, 'profile = "p"\n');
      put(path.join(home, "p.config.toml"), 'model = "a"\n');
      assert.equal(store().write([set("model", "b")]).filePath, path.join(home, "p.config.toml"));
      assert.equal(store().effective(work).model, "b");
    });

    it("notifies listeners", () => {
      const s = store();
      let changes = 0;
      const stop = s.onChange(() => changes++);
      s.write([set("model", "x")]);
      stop();
      s.write([set("model", "y")]);
      assert.equal(changes, 1);
    });

    it("refuses to change a broken file", () => {
      put(file, "model = \n");
      assert.throws(() => store().write([set("model", "x")]), refused("configValidationError", /must be mended first: line 1/));
      put(file, 'approval_policy = "perhaps"\n');
      assert.equal(store().write([set("approval_policy", "never")]).status, "ok");
    });
  });

  const putRequirements = (text: string): void => put(path.join(root, "etc", "requirements.toml"), text);

  describe("the administrator's requirements", () => {
    it("are null without a file and shown by their wire names with one", () => {
      assert.equal(store().requirements(), null);
      putRequirements('allowed_sandbox_modes = ["read-only", "workspace-write"]\n[features]\nskills = false\n[rules]\nx = 1\n');
      assert.deepEqual(store().requirements(), {
        allowedSandboxModes: ["read-only", "workspace-write"],
        featureRequirements: { skills: false },
      });
      assert.match(store().effective(work).warnings.join("\n"), /`rules` is not enforced/);
      assert.equal(
        store()
          .features()
          .find(({ name }) => name === "skills")?.enabled,
        false,
      );
      assert.deepEqual(
        store()
          .permissionProfiles()
          .map(({ id, allowed }) => [id, allowed]),
        [
          [":read-only", true],
          [":workspace", true],
          [":danger-full-access", false],
        ],
      );
    });

    it("override files, and refuse requests and writes", () => {
      putRequirements('allowed_sandbox_modes = ["workspace-write", "read-only"]\nallowed_approval_policies = ["on-request"]');
      put(file, 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n');
      const config = store().effective(work);
      assert.deepEqual([config.sandboxMode, config.approvalPolicy], ["read-only", "on-request"]);
      assert.equal(config.warnings.length, 2);
      assert.deepEqual(config.requirements.allowedApprovalPolicies, ["on-request"]);
      assert.throws(() => store().effective(work, { approval_policy: "never" }), /not allowed by .*requirements\.toml/);
      put(file, "");
      assert.throws(() => store().write([set("approval_policy", "never")]), refused("configValidationError", /not allowed by/));
    });

    it("override every layer with their own values, and refuse conflicting writes", () => {
      putRequirements(
        'model_provider = "house"\ncli_auth_credentials_store = "ephemeral"\nallowed_web_search_modes = ["cached"]\n[feedback]\nenabled = false\n[model_providers.house]\nbase_url = "http://127.0.0.1:9/v1"\n[features]\nskills = false\n',
      );
      put(
        file,
        'web_search = "live"\nmodel_provider = "mine"\n[feedback]\nenabled = true\n[model_providers.mine]\nbase_url = "http://127.0.0.1:8/v1"\n',
      );
      const config = store().effective(work);
      assert.deepEqual([config.modelProvider, config.providers["house"]?.baseUrl], ["house", "http://127.0.0.1:9/v1"]);
      assert.deepEqual([config.raw["feedback"], config.raw["cli_auth_credentials_store"]], [{ enabled: false }, "ephemeral"]);
      assert.deepEqual([config.webSearch, config.features["skills"]], ["disabled", false]);
      put(file, "");
      for (const [key, value] of [
        ["feedback.enabled", true],
        ["cli_auth_credentials_store", "file"],
        ["features.skills", true],
        ["model_provider", "mine"],
      ] as const)
        assert.throws(
          () => store().write([set(key, value)]),
          refused("configValidationError", /is not allowed by .*requirements\.toml; allowed are/),
        );
      assert.equal(store().write([set("web_search", "disabled"), set("model_provider", "house")]).status, "ok");
    });

    it("apply to permission profiles and sandbox modes alike", () => {
      putRequirements('[allowed_permission_profiles]\n":read-only" = true\n":workspace" = true\n":danger-full-access" = false\n');
      put(file, 'sandbox_mode = "danger-full-access"\n');
      const config = store().effective(work);
      assert.deepEqual([config.sandboxMode, config.requirements.allowedSandboxModes], ["read-only", ["read-only", "workspace-write"]]);
      assert.throws(
        () => store().effective(work, { default_permissions: ":danger-full-access" }),
        /allowed are ":read-only", ":workspace"/,
      );
    });

    it("refuse everything when they cannot be read, unless they would not be enforced anyway", () => {
      for (const [broken, why] of [
        ["allowed_sandbox_modes = 3", /invalid requirements in .*requirements\.toml/],
        ["allowed_approval_policies = []", /`allowed_approval_policies` allows nothing/],
      ] as const) {
        putRequirements(broken);
        assert.throws(() => store().effective(work), why);
      }
      putRequirements("[hooks]\nPreToolUse = 3\n");
      assert.throws(() => store().effective(work), /invalid requirements in .*requirements\.toml.*PreToolUse/);
    });
  });

  describe("features, hooks and profiles", () => {
    it("switches known features with lower precedence than files", () => {
      put(file, "[features]\nunified_exec = false\n");
      const s = store();
      assert.deepEqual(s.setFeatures({ unified_exec: true, skills: false, nope: true }), { unified_exec: true, skills: false });
      assert.deepEqual(s.effective(work).features, { unified_exec: false, skills: false });
      assert.equal(s.features().find(({ name }) => name === "unified_exec")?.enabled, false);
    });

    it("warns about unknown features", () => {
      put(file, "[features]\nmentions_v2 = true\nskils = true\n");
      assert.deepEqual(store().effective(work).warnings.length, 1);
    });

    it("lists hooks of the user and of trusted folders only, and marks those that wait for trust", () => {
      put(file, '[[hooks.PreToolUse]]\nmatcher = "shell"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "echo"\ntimeout = 5\n');
      put(path.join(work, ".codex", "hooks.json"), '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"evil"}]}]}}');
      const before = store().hooks(work);
      assert.deepEqual(
        before.hooks.map((hook) => [hook.key, hook.eventName, hook.matcher, hook.timeoutSec, hook.trustStatus]),
        [[`${file}:pre_tool_use:0:0`, "preToolUse", "shell", 5, "untrusted"]],
      );
      assert.match(store().effective(work).warnings.join(), /config\.toml: a hook does not run, being new or changed, until you trust it/);
      assert.deepEqual(store().effective(work).hooks, []);
      store().write([set(`projects.${JSON.stringify(work)}.trust_level`, "trusted")]);
      assert.deepEqual(
        store()
          .hooks(work)
          .hooks.map((hook) => hook.eventName),
        ["preToolUse", "stop"],
      );
      put(path.join(work, ".codex", "hooks.json"), "{");
      assert.equal(store().hooks(work).errors.length, 1);
    });

    it("identifies a hook by the same hash as Codex, whichever file it is in", () => {
      const hash = "sha256:2ba34c7a02841fada06b868a093d041fd3d9de81883c789a321916b0aa118851"; // of 0.166, for a Stop hook that runs `true`
      put(file, '[[hooks.Stop]]\nmatcher = "without effect here"\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n');
      put(path.join(home, "hooks.json"), '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true","timeout":600}]}]}}');
      assert.deepEqual(
        store()
          .hooks(work)
          .hooks.map(({ currentHash, key }) => [currentHash, key]),
        [
          [hash, `${path.join(home, "hooks.json")}:stop:0:0`],
          [hash, `${file}:stop:0:0`],
        ],
      );
    });

    it("runs managed hooks without asking, and no others if the administrator says so", () => {
      put(file, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n');
      putRequirements('allow_managed_hooks_only = true\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "theirs"\n');
      const { hooks, warnings } = store().effective(work);
      assert.deepEqual(
        hooks.map(({ handler, metadata }) => [handler.type === "command" && handler.command, metadata.trustStatus]),
        [["theirs", "managed"]],
      );
      assert.deepEqual(warnings, []);
      assert.equal(store().requirements()?.hooks?.Stop.length, 1);
    });

    it("names what it cannot run", () => {
      const entry = (hook: string): string => `[[hooks.PreToolUse]]\nmatcher = "x"\n[[hooks.PreToolUse.hooks]]\n${hook}\n`;
      put(
        file,
        `${entry('type = "prompt"')}${entry('type = "command"\ncommand = " "')}[[hooks.PreToolUse]]\nmatcher = "("\nhooks = [{ type = "command", command = "x" }]\n`,
      );
      const { warnings, hooks } = store().hooks(work);
      assert.deepEqual(hooks, []);
      assert.match(warnings.join("\n"), /hooks of type "prompt" are not run[\s\S]*needs a `command`[\s\S]*is no regular expression/);
    });

    it("sees a changed hooks.json at once", () => {
      const s = store();
      assert.deepEqual(s.effective(work).warnings, []);
      put(path.join(home, "hooks.json"), '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}');
      assert.match(s.effective(work).warnings.join(), /hooks\.json: a hook does not run/);
    });
  });
});
