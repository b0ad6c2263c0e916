import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { RpcError } from "../protocol/errors.ts";
import { createConfigStore } from "./load.ts";
import { splitWidening } from "./widening.ts";

describe("permission profiles in the settings", () => {
  let root: string;
  let work: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-profiles-")));
    work = path.join(root, "work");
    mkdirSync(work);
    mkdirSync(path.join(root, "etc"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const store = (text: string, { requirements = "", flags = [] as string[] } = {}) => {
    const provider = 'model_provider = "m"\nmodel_providers.m = { wire_api = "scripted" }\n';
    writeFileSync(path.join(root, "config.toml"), provider + text);
    if (requirements !== "") writeFileSync(path.join(root, "etc/requirements.toml"), requirements);
    return createConfigStore({ codexHome: root, env: { TMPDIR: "/scratch" }, systemDir: path.join(root, "etc"), cliOverrides: flags });
  };
  const profile = (text: string, name = "p") => {
    const found = store(text).effective(work).permissionProfiles[name] ?? assert.fail("no such profile");
    return "problem" in found ? assert.fail(found.problem) : found;
  };
  const problem = (text: string, name = "p"): string => {
    const found = store(text).effective(work).permissionProfiles[name] ?? assert.fail("no such profile");
    return "problem" in found ? found.problem : assert.fail("the profile can be used");
  };
  const entries = (text: string): Record<string, string> =>
    Object.fromEntries(profile(text).rules.entries.map((entry) => [entry.path, entry.access]));

  it("start from what they extend, and their own entries win", () => {
    const text = `[permissions.base]
extends = ":workspace"
description = "the base"
[permissions.base.filesystem]
"/data" = "deny"
"/more" = "read"
[permissions.p]
extends = "base"
[permissions.p.filesystem]
"/data" = "write"
[permissions.p.filesystem.":workspace_roots"]
"private/**" = "deny"
`;
    assert.deepEqual(entries(text), {
      ...{ ":root": "read", ":workspace_roots": "write", "/tmp": "write", "/scratch": "write" },
      ...{ "/data": "write", "/more": "read", ":workspace_roots/private/**": "deny" },
    });
    const { description, extends: parent, network } = profile(text);
    assert.deepEqual([description, parent, network], [null, "base", false], "the parent's description is its own");
  });

  it("know the special names, the home, further roots and the older spellings", () => {
    const text = `[permissions.p]
workspace_roots = { "../other" = true, "/off" = false }
[permissions.p.filesystem]
":minimal" = "read"
":project_roots" = { "." = "write", "doc/**" = "read" }
"~/notes" = "none"
"/logs/**" = "read"
glob_scan_max_depth = 3
`;
    const found = entries(text);
    assert.equal(found["/usr"], "read");
    assert.equal(found[":workspace_roots/doc"], "read");
    assert.equal(found[path.join(root, "other")], "write");
    assert.equal(found[path.join(root, "other/doc")], "read");
    assert.equal(found[path.join(homedir(), "notes")], "deny");
    assert.equal(found["/logs"], "read");
    assert.equal(found["/off"], undefined);
    assert.equal(profile(text).rules.globScanMaxDepth, 3);
  });

  it("that cannot be used say why, and do not stop the others", () => {
    const one = (lines: string): string => problem(`[permissions.p]\n${lines}\n[permissions.other.filesystem]\n":root" = "read"\n`);
    assert.match(one('extends = "q"\n[permissions.q]\nextends = "p"'), /cycle detected: p -> q -> p/);
    assert.match(one('extends = "nobody"'), /`p` extends undefined profile `nobody`/);
    assert.match(one('extends = ":danger-full-access"'), /cannot extend unsupported built-in profile `:danger-full-access`/);
    assert.match(one('filesystem = { "etc" = "read" }'), /`etc` must be absolute/);
    assert.match(one('filesystem = { "/etc" = "look" }'), /"look" is no access; give "read", "write" or "deny"/);
    assert.match(one('filesystem = { "/a/*.txt" = "read" }'), /only supports `deny` access/);
    assert.match(one('filesystem = { ":root" = { "a" = "read" } }'), /does not support nested entries/);
    assert.match(one('filesystem = { ":workspace_roots" = { "../a" = "read" } }'), /without `.` or `..` components/);
    assert.match(one("filesystem = { glob_scan_max_depth = 0 }"), /must be at least 1/);
    assert.match(problem('[permissions.":own".filesystem]\n":root" = "read"\n', ":own"), /reserved built-in profile prefix/);
    const entriesOf = Array.from({ length: 1001 }, (_, i) => `"/d/${i}" = "deny"`).join("\n");
    assert.match(problem(`[permissions.p.filesystem]\n${entriesOf}\n`), /1001 file entries; at most 1000/);
  });

  it("warn about what has no effect or costs time, when new threads get them", () => {
    const text = `default_permissions = "p"
[permissions.p.filesystem]
":root" = "read"
":future" = "read"
[permissions.p.filesystem.":workspace_roots"]
".git" = "write"
"**/.env" = "deny"
[permissions.p.network]
enabled = true
domains = { "example.org" = "allow" }
proxy_url = "http://127.0.0.1:1"
`;
    const { warnings, permissionProfiles } = store(text).effective(work);
    for (const expected of [/`:future` is not recognized/, /\.git` = "write" has no effect/, /uses `\*\*`/, /proxy_url has no effect/])
      assert.ok(
        warnings.some((warning) => expected.test(warning)),
        String(expected),
      );
    const { p } = permissionProfiles;
    assert.ok(p !== undefined && "network" in p);
    assert.deepEqual([p.network, p.networkRules?.allow], [false, ["example.org"]], "never more network than asked for");
    assert.match(store('default_permissions = "p"\n[permissions.p]\n').effective(work).warnings.join(), /does not define any recognized/);
    assert.doesNotMatch(store("[permissions.p]\n").effective(work).warnings.join(), /recognized/);
  });

  it("of a name that does not exist, or that is broken, are refused as the default", () => {
    const refusal = (expected: RegExp) => (error: unknown) =>
      error instanceof RpcError && error.code === -32600 && expected.test(error.message);
    assert.throws(() => store('default_permissions = "nope"\n').effective(work), refusal(/unknown permission profile `nope`/));
    const broken = 'default_permissions = "p"\n[permissions.p]\nextends = "x"\n';
    assert.throws(() => store(broken).effective(work), refusal(/default_permissions: .*extends undefined profile `x`/));
  });

  it("count over sandbox_mode in one file, and not over that of a stronger one", () => {
    const text = 'sandbox_mode = "danger-full-access"\ndefault_permissions = "p"\n[permissions.p.filesystem]\n":root" = "read"\n';
    assert.equal(store(text).effective(work).defaultProfile, "p");
    assert.equal(store(text).effective(work, { sandbox_mode: "workspace-write" }).defaultProfile, undefined);
    assert.equal(store(text, { flags: ['default_permissions=":read-only"'] }).effective(work).sandboxMode, "read-only");
  });

  it("of the user cannot be replaced by a project", () => {
    const own = { default_permissions: "p", permissions: { p: {} } };
    for (const project of [{ sandbox_mode: "workspace-write" }, { sandbox_mode: "read-only" }, { default_permissions: ":read-only" }])
      assert.deepEqual(splitWidening(project, own), { free: {}, widening: project });
    const redefined = { permissions: { p: { filesystem: { ":root": "write" } } } };
    assert.deepEqual(splitWidening(redefined, own), { free: {}, widening: redefined });
  });

  it("are limited by the administrator, by name and by what they allow", () => {
    const text = 'default_permissions = "wide"\n[permissions.narrow]\nextends = ":read-only"\n[permissions.wide]\nextends = ":workspace"\n';
    const named = store(text, { requirements: "allowed_permission_profiles = { narrow = true }\n" });
    const config = named.effective(work);
    assert.equal(config.defaultProfile, "narrow", "the only one that is allowed");
    assert.match(config.warnings.join(), /default_permissions: "wide" is not allowed by .*requirements\.toml/);
    assert.throws(() => named.effective(work, { default_permissions: "wide" }), /"wide" is not allowed/);
    assert.deepEqual(
      named.permissionProfiles(work).map(({ id, allowed }) => [id, allowed]),
      [
        [":read-only", false],
        [":workspace", false],
        [":danger-full-access", false],
        ["narrow", true],
        ["wide", false],
      ],
    );
    const byMode = store(text, { requirements: 'allowed_sandbox_modes = ["read-only"]\n' }).effective(work);
    assert.deepEqual([byMode.defaultProfile, byMode.requirements.allowedProfiles], [undefined, ["narrow"]]);
  });
});
