import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { recordedNetwork } from "../network/testing.ts";
import { createSandbox } from "./create-sandbox.ts";
import { seatbeltProfile } from "./macos-seatbelt.ts";

const command = { argv: ["ls", "-l"], cwd: "/", env: { A: "1" }, stdin: "closed" } as const;

test("Windows and unknown systems refuse, listing the alternatives", async () => {
  for (const platform of ["win32", "freebsd"] as const) {
    const sandbox = createSandbox(platform, { codexHome: "/none", userHome: undefined, program: [] });
    const prepared = await sandbox.prepare({ policy: { type: "readOnly" }, workspaceRoots: [] });
    assert.match(prepared?.refused ?? "", /danger-full-access/);
    const wrapped = sandbox.wrap(command, { policy: { type: "readOnly" }, workspaceRoots: [] });
    assert.ok("refused" in wrapped);
    if (platform === "win32") assert.match(wrapped.refused, /WSL/);
  }
});

describe("the Seatbelt profile", () => {
  let base: string;
  before(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-seatbelt-")));
    for (const name of ["home/skills", "work"]) mkdirSync(path.join(base, name), { recursive: true });
  });
  after(() => rmSync(base, { recursive: true }));

  test("wraps a command with sandbox-exec", () => {
    const sandbox = createSandbox("darwin", { codexHome: path.join(base, "home"), userHome: undefined, program: [] });
    const wrapped = sandbox.wrap(command, { policy: { type: "workspaceWrite" }, workspaceRoots: [path.join(base, "work")] });
    assert.ok("argv" in wrapped);
    const [program, flag, profile = "", ...rest] = wrapped.argv;
    assert.deepEqual([program, flag, ...rest], ["/usr/bin/sandbox-exec", "-p", "--", "ls", "-l"]);
    assert.deepEqual(wrapped.env, { A: "1", CODEX_SANDBOX: "seatbelt", CODEX_SANDBOX_NETWORK_DISABLED: "1" });
    assert.ok(profile.startsWith("(version 1)\n(deny default)\n"));
    assert.ok(profile.includes(`(subpath "${base}/work")`));
    assert.ok(!profile.includes("(allow network"));
    assert.ok(profile.includes(`(deny file-read* file-write* (subpath "${base}/home"))`));
    assert.ok(profile.includes(`(allow file-read* (subpath "${base}/home/skills"))`));
    assert.equal(profile.split("(").length, profile.split(")").length, "brackets");
    const network = recordedNetwork({ allow: ["example.com"] });
    const filtered = sandbox.wrap(command, { policy: { type: "workspaceWrite" }, workspaceRoots: [path.join(base, "work")], network });
    assert.ok("argv" in filtered);
    assert.deepEqual([filtered.argv[2], filtered.channel], [profile, undefined], "listed hosts open nothing");
    assert.match(filtered.noNetwork ?? "", /as a whole/);
  });

  test("denials come after permissions", () => {
    const masks = [{ home: "/u/.codex", entries: ["skills"] }];
    const profile = seatbeltProfile({ roots: ["/u", "/u/.codex/worktrees/a"], protectedPaths: ["/u/.git"], masks, network: true });
    const order = [
      '(allow file-write* (subpath "/u"))',
      '(deny file-read* file-write* (subpath "/u/.codex"))',
      '(allow file-read* file-write* (subpath "/u/.codex/worktrees/a"))',
      "[gG][iI][tT](/|$)",
      '(deny file-write* (subpath "/u/.git"))',
    ];
    const places = order.map((text) => profile.indexOf(text));
    assert.ok(
      places.every((place) => place >= 0),
      profile,
    );
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    assert.ok(profile.includes("(allow network* system-socket)\n(deny network-outbound (remote unix-socket))"));
  });

  test("a permission profile's rules come in the order of their paths, patterns and pins last", () => {
    const profile = seatbeltProfile({
      ...{ roots: ["/w", "/w/private/pub"], protectedPaths: [], masks: [], network: false },
      profile: {
        ...{
          base: "disk",
          readOnly: ["/w/ro"],
          shown: ["/w/private/doc"],
          links: [],
          hiddenFolders: ["/w/private"],
          replaceable: undefined,
        },
        ...{ hiddenFiles: ["/w/a/b/.env"], missing: [], globs: [{ base: "/w", pattern: "**/*.env" }] },
      },
    });
    const order = [
      '(allow file-read* file-write* (subpath "/w"))',
      '(deny file-write* (subpath "/w/ro"))',
      '(deny file-read* file-write* (subpath "/w/private"))',
      '(deny file-read* file-write* (subpath "/w/a/b/.env"))',
      '(allow file-read* file-write* (subpath "/w/private/pub"))',
      '(allow file-read* (subpath "/w/private/doc"))',
      '(deny file-read* file-write* (regex #"^/w/(.*\\/)?[^/]*\\.env(/|$)"))',
      '(deny file-write-unlink (literal "/w/a") (literal "/w/a/b"))',
    ].map((text) => profile.indexOf(text));
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
      profile,
    );
    assert.ok(!order.includes(-1), profile);
    assert.ok(profile.includes("\n(allow file-read*)\n"));
  });

  test("a profile that names what may be read lets nothing else be read", () => {
    const closed = {
      base: "nothing",
      readOnly: [],
      links: [],
      hiddenFolders: [],
      hiddenFiles: [],
      missing: [],
      replaceable: undefined,
      globs: [],
    } as const;
    const profile = seatbeltProfile({
      roots: ["/w"],
      protectedPaths: [],
      masks: [],
      network: false,
      profile: { ...closed, shown: ["/usr"] },
    });
    assert.ok(!profile.includes("(allow file-read*)"), profile);
    assert.ok(
      profile.includes('(allow file-read* (subpath "/usr"))') && profile.includes('(allow file-read* file-write* (subpath "/w"))'),
      profile,
    );
    const open = seatbeltProfile({
      roots: [],
      protectedPaths: [],
      masks: [],
      network: false,
      profile: { ...closed, base: "writableDisk", shown: [] },
    });
    assert.ok(open.includes('(allow file-write* (subpath "/"))'), open);
  });

  test("names cannot break out of the profile", () => {
    const profile = seatbeltProfile({ roots: ["/a.b(c)+"], protectedPaths: ['/x"y\\z'], masks: [], network: false });
    assert.ok(profile.includes('(subpath "/x\\"y\\\\z")'));
    assert.ok(profile.includes("^/a\\.b\\(c\\)\\+/"));
    const sandbox = createSandbox("darwin", { codexHome: "/none", userHome: undefined, program: [] });
    const odd = path.join(base, 'o"dd');
    mkdirSync(odd);
    assert.ok("refused" in sandbox.wrap(command, { policy: { type: "workspaceWrite" }, workspaceRoots: [odd] }));
  });
});
