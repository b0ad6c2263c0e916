/** What a trusted project may add later: nothing that widens takes effect before the user has accepted it. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Config, ConfigStore, ProviderConfig } from "../core/ports/config.ts";
import { createConfigStore } from "./load.ts";
import { createProjectTrust, digestOf } from "./project-trust.ts";
import { splitWidening } from "./widening.ts";

const scripted: ProviderConfig = {
  ...{ id: "scripted", name: "Scripted", baseUrl: "", wireApi: "scripted", envKey: undefined, bearerToken: undefined },
  ...{ httpHeaders: {}, envHttpHeaders: {}, queryParams: {}, requestMaxRetries: 0, streamMaxRetries: 0 },
  ...{ streamIdleTimeoutMs: 1, requiresOpenaiAuth: false, options: {} },
};

describe("trust in a project", () => {
  let base: string;
  let home: string;
  let work: string;
  let store: ConfigStore;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-trust-")));
    home = path.join(base, "home");
    work = path.join(base, "work");
    mkdirSync(home);
    mkdirSync(path.join(work, ".git"), { recursive: true });
    mkdirSync(path.join(work, "sub"));
    put(home, "config.toml", `[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n`);
    store = open();
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));
  const open = (): ConfigStore =>
    createConfigStore({ codexHome: home, env: {}, systemDir: path.join(base, "etc"), builtInProviders: { scripted } });
  const put = (folder: string, name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const limits = ({ sandboxMode, approvalPolicy }: Config) => [sandboxMode, approvalPolicy];
  const wide = 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\nmodel = "m1"\n';

  test("initial settings at the root take effect; later changes have no effect until accepted", () => {
    put(work, ".codex/config.toml", wide);
    assert.deepEqual(limits(store.effective(work)), ["danger-full-access", "never"]);
    put(work, ".codex/config.toml", `${wide}developer_instructions = "obey"\n`);
    const changed = open().effective(work);
    assert.deepEqual(limits(changed), ["workspace-write", "on-request"]);
    assert.deepEqual([changed.developerInstructions, changed.model], [undefined, "m1"], "what widens nothing counts");
    assert.match(
      changed.warnings.join("\n"),
      /\.codex\/config\.toml: sandbox_mode, approval_policy, developer_instructions are not in force: .* run `parley trust` in .*work/,
    );
    store.acceptWaiting(work);
    assert.equal(store.effective(work).developerInstructions, "obey");
    put(work, ".codex/config.toml", `# a comment\n${wide.replace("m1", "m2")}developer_instructions = "obey"\n`);
    assert.deepEqual([store.effective(work).model, store.waiting(work).waiting.length], ["m2", 0], "only what is bound is asked about");
  });

  test("a file below the root never takes effect unless accepted, however the project was trusted", () => {
    const sub = path.join(work, "sub");
    put(sub, ".codex/config.toml", wide);
    assert.deepEqual(limits(store.effective(sub)), ["workspace-write", "on-request"]);
    assert.deepEqual(
      store.waiting(sub).waiting.map(({ what }) => what),
      [["sandbox_mode", "approval_policy"]],
    );
    assert.deepEqual(store.waiting(work).waiting, [], "another folder has nothing to do with it");
    store.acceptWaiting(sub);
    assert.deepEqual(limits(store.effective(sub)), ["danger-full-access", "never"]);
    put(sub, ".codex/config.toml", `${wide}[shell_environment_policy]\nignore_default_excludes = true\n`);
    const changed = store.effective(sub);
    assert.deepEqual([...limits(changed), changed.shellEnvironment.ignoreDefaultExcludes], ["workspace-write", "on-request", false]);
  });

  test("narrowing takes effect at once", () => {
    put(
      home,
      "config.toml",
      `approval_policy = "never"\n[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n[sandbox_workspace_write]\nnetwork_access = true\n`,
    );
    store.effective(work);
    put(
      work,
      ".codex/config.toml",
      'sandbox_mode = "read-only"\napproval_policy = "on-request"\nnotify_not = 1\nweb_search = "disabled"\n[sandbox_workspace_write]\nnetwork_access = false\nexclude_slash_tmp = true\nwritable_roots = ["/"]\n',
    );
    const config = store.effective(work);
    assert.deepEqual(limits(config), ["read-only", "on-request"]);
    assert.deepEqual(config.sandboxWorkspaceWrite, {
      writableRoots: [],
      networkAccess: false,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: true,
    });
    assert.match(config.warnings.join("\n"), /sandbox_workspace_write\.writable_roots/);
  });

  test("a file below the root cannot undo what the root has narrowed", () => {
    put(work, ".codex/config.toml", 'sandbox_mode = "read-only"\n');
    put(path.join(work, "sub"), ".codex/config.toml", 'sandbox_mode = "workspace-write"\n');
    assert.equal(store.effective(path.join(work, "sub")).sandboxMode, "read-only");
  });

  test("trusting a folder again accepts what is in it, and no other write does", () => {
    const sub = path.join(work, "sub");
    store.effective(work);
    put(sub, ".codex/config.toml", wide);
    put(work, ".codex/rules/x.rules", 'prefix_rule(pattern=["rm"], decision="allow")\n');
    store.write([{ keyPath: "model", value: "m3", mergeStrategy: "replace" }]);
    store.write([{ keyPath: `projects.${JSON.stringify(sub)}.trust_level`, value: "untrusted", mergeStrategy: "replace" }]);
    store.write([{ keyPath: `projects.${JSON.stringify(sub)}`, value: null, mergeStrategy: "replace" }]);
    assert.equal(store.waiting(sub).waiting.length, 2);
    store.write([{ keyPath: `projects.${JSON.stringify(work)}.trust_level`, value: "trusted", mergeStrategy: "replace" }]);
    assert.deepEqual(
      store.waiting(sub).waiting.map(({ file }) => path.relative(work, file)),
      ["sub/.codex/config.toml"],
      "the folder that was named, from its root down",
    );
    store.write([{ keyPath: `projects.${JSON.stringify(sub)}`, value: { trust_level: "trusted" }, mergeStrategy: "replace" }]);
    assert.deepEqual(store.waiting(sub).waiting, []);
  });

  test("rules files are bound to their content", () => {
    const rules = ".codex/rules/x.rules";
    put(work, rules, 'prefix_rule(pattern=["ls"], decision="allow")\n');
    assert.deepEqual(store.effective(work).unacceptedRules, []);
    put(work, rules, 'prefix_rule(pattern=["rm"], decision="allow")\n');
    put(work, ".codex/rules/y.rules", 'prefix_rule(pattern=["rm"], decision="allow")\n');
    const { unacceptedRules, warnings } = store.effective(work);
    assert.deepEqual(unacceptedRules, [path.join(work, rules), path.join(work, ".codex/rules/y.rules")]);
    assert.match(warnings.join("\n"), /y\.rules: what it allows is not in force/);
    store.acceptWaiting(work);
    assert.deepEqual(store.effective(work).unacceptedRules, []);
  });

  test("worktrees of one repository share what was accepted", () => {
    put(work, ".codex/config.toml", wide);
    store.effective(work);
    const tree = path.join(base, "tree");
    put(work, ".git/worktrees/tree/gitdir", `${path.join(tree, ".git")}\n`);
    put(tree, ".git", `gitdir: ${path.join(work, ".git/worktrees/tree")}\n`);
    put(tree, ".codex/config.toml", wide);
    assert.deepEqual(limits(store.effective(tree)), ["danger-full-access", "never"]);
    put(tree, ".codex/config.toml", `${wide}compact_prompt = "x"\n`);
    assert.deepEqual(limits(store.effective(tree)), ["workspace-write", "on-request"]);
  });

  test("an unreadable record accepts nothing; an older one of servers only still counts", () => {
    const trust = createProjectTrust(home);
    trust.firstLook(work, "settings", () => ({ a: "1" }));
    trust.firstLook(work, "settings", () => ({ b: "2" }));
    assert.deepEqual(createProjectTrust(home).accepted(work), { a: "1" }, "there is one first look");
    const folder = path.join(home, "parley", "trust");
    for (const broken of ["{", "[]", JSON.stringify({ folder: "/other", seen: [], accepted: { a: "1" } })]) {
      for (const name of readdirSync(folder)) put(folder, name, broken);
      const again = createProjectTrust(home);
      again.firstLook(work, "settings", () => ({ c: "3" }));
      assert.deepEqual(again.accepted(work), {}, broken);
    }
    const name = readdirSync(folder)[0] ?? "";
    rmSync(folder, { recursive: true });
    put(home, `parley/mcp-accepted/${name}`, JSON.stringify({ folder: work, servers: { notes: digestOf("x") } }));
    const old = createProjectTrust(home);
    old.firstLook(work, "mcp_servers", () => ({ "mcp_servers.evil": "y" }));
    assert.deepEqual(old.accepted(work), { "mcp_servers.notes": digestOf("x") });
  });

  test("a read-only home: the initial record lasts as long as the process, and accepting reports that it cannot be stored", () => {
    put(home, "parley", "a file in the way");
    const trust = createProjectTrust(home);
    trust.firstLook(work, "settings", () => ({ a: "1" }));
    assert.deepEqual(trust.accepted(work), { a: "1" });
    assert.throws(() => trust.accept(work, { b: "2" }));
  });

  test("every key that is not known to be harmless needs the user's consent", () => {
    const own = { sandbox_mode: "workspace-write", approval_policy: "on-request" };
    const project = {
      ...{ approval_policy: { granular: {} }, default_permissions: ":danger-full-access", hooks: { Stop: [] }, features: { x: true } },
      ...{ model_instructions_file: "/etc/passwd", web_search: "live", unheard_of: 1, skills: {}, agents: { max_depth: 9 } },
    };
    assert.deepEqual(splitWidening(project, own), { free: {}, widening: project });
    const narrow = {
      sandbox_mode: "read-only",
      approval_policy: "untrusted",
      default_permissions: ":read-only",
      model: "x",
      mcp_servers: {},
    };
    assert.deepEqual(splitWidening(narrow, own), { free: narrow, widening: {} });
  });
});
