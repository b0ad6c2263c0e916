import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { asOrdinaryUser } from "../../test/support/ordinary-user.ts";
import { absent, type FileState, WorkspaceRefusal } from "../core/ports/workspace.ts";
import { openByName, openFolder } from "./open-folder.ts";
import { createWorkspace } from "./workspace.ts";

function place(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "workspace-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["in", "out"]) mkdirSync(path.join(root, name));
  return { root, at: (name: string): string => path.join(root, name) };
}
const file = (text: string, mode = 0o644): FileState => ({ kind: "file", bytes: Buffer.from(text), mode });
const refusal =
  (kind: WorkspaceRefusal["kind"]) =>
  (error: unknown): boolean =>
    error instanceof WorkspaceRefusal && error.kind === kind;

for (const [way, open] of [["best", openFolder] as const, ["by name", openByName] as const]) {
  const workspace = createWorkspace(open);

  test(`files and links are created, changed and removed (${way})`, async (t) => {
    const p = place(t);
    const real = p.at("in/a/b/f");
    assert.deepEqual(await workspace.read(real), absent);
    assert.deepEqual(await workspace.replace(real, absent, { kind: "file", bytes: Buffer.from("1") }), {
      madeFolders: [p.at("in/a"), p.at("in/a/b")],
    });
    const state = await workspace.read(real);
    assert.ok(state.kind === "file" && Buffer.from(state.bytes).toString() === "1");
    assert.deepEqual(await workspace.replace(real, state, file("2", 0o750)), { madeFolders: [] });
    assert.equal(statSync(real).mode & 0o777, 0o750);
    await workspace.replace(real, file("2", 0o750), absent);
    assert.ok(!existsSync(real));
    await workspace.replace(real, absent, { kind: "link", target: "nowhere" });
    assert.deepEqual(await workspace.read(real), { kind: "link", target: "nowhere" });
    await workspace.replace(real, { kind: "link", target: "nowhere" }, absent);
    assert.deepEqual(readdirSync(p.at("in/a/b")), [], "no draft is left");
    assert.equal(await workspace.removeFolder(p.at("in/a")), false);
    assert.equal(await workspace.removeFolder(p.at("in/a/b")), true);
  });

  test(`a file that is not as expected is left alone (${way})`, async (t) => {
    const p = place(t);
    const real = p.at("in/f");
    writeFileSync(real, "theirs");
    for (const [expected, next] of [
      [absent, file("mine")],
      [file("older"), file("mine")],
      [file("theirs", 0o600), file("mine")],
      [file("older"), absent],
      [{ kind: "link", target: "x" }, absent],
    ] as const)
      await assert.rejects(workspace.replace(real, expected, next), refusal("changed"));
    await assert.rejects(workspace.replace(p.at("in/new/f"), file("x"), absent), refusal("changed"));
    assert.equal(readFileSync(real, "utf8"), "theirs");
    assert.deepEqual(readdirSync(p.at("in")), ["f"]);
  });

  test(`a link in the path or at its end is never written through (${way})`, async (t) => {
    const p = place(t);
    writeFileSync(p.at("out/f"), "old");
    symlinkSync(p.at("out"), p.at("in/dir"));
    symlinkSync(p.at("out/f"), p.at("in/leaf"));
    for (const work of [
      () => workspace.read(p.at("in/dir/f")),
      () => workspace.replace(p.at("in/dir/f"), file("old"), file("new")),
      () => workspace.replace(p.at("in/dir/g"), absent, file("new")),
      () => workspace.replace(p.at("in/dir/deep/g"), absent, file("new")),
      () => workspace.replace(p.at("in/dir/f"), file("old"), absent),
    ])
      await assert.rejects(work, refusal("link"));
    await assert.rejects(workspace.replace(p.at("in/leaf"), file("old"), file("new")), refusal("changed"));
    await workspace.replace(p.at("in/leaf"), { kind: "link", target: p.at("out/f") }, file("new"));
    assert.ok(lstatSync(p.at("in/leaf")).isFile());
    assert.deepEqual([readdirSync(p.at("out")), readFileSync(p.at("out/f"), "utf8")], [["f"], "old"]);
  });

  test(`folders, pipes and files in the path are distinguished (${way})`, async (t) => {
    const p = place(t);
    writeFileSync(p.at("in/f"), "");
    execFileSync("mkfifo", [p.at("in/pipe")]);
    assert.deepEqual(await workspace.read(p.at("in")), { kind: "other", what: "folder" });
    assert.deepEqual(await workspace.read(p.at("in/pipe")), { kind: "other", what: "pipe" });
    await assert.rejects(workspace.read(p.at("in/f/x")), /f is not a folder/);
    await assert.rejects(workspace.replace(p.at("in/f/x"), absent, file("x")), /f is not a folder/);
    await assert.rejects(workspace.read(p.at("in/f\0")), refusal("badPath"));
    writeFileSync(p.at("in/f"), "12345");
    await assert.rejects(workspace.read(p.at("in/f"), 4), refusal("tooLarge"));
  });
}

test("other hard links of the same file keep the old content", async (t) => {
  const p = place(t);
  writeFileSync(p.at("out/f"), "old");
  linkSync(p.at("out/f"), p.at("in/f"));
  const workspace = createWorkspace();
  await workspace.replace(p.at("in/f"), await workspace.read(p.at("in/f")), file("new"));
  assert.deepEqual([readFileSync(p.at("in/f"), "utf8"), readFileSync(p.at("out/f"), "utf8")], ["new", "old"]);
});

test("in a folder that accepts no new names the file is changed in place", async (t) => {
  const p = place(t);
  writeFileSync(p.at("in/f"), "old and long");
  await asOrdinaryUser([p.root, p.at("in"), p.at("in/f")], async () => {
    chmodSync(p.at("in"), 0o555);
    const workspace = createWorkspace();
    const state = await workspace.read(p.at("in/f"));
    await workspace.replace(p.at("in/f"), state, file("new")).finally(() => chmodSync(p.at("in"), 0o755));
    assert.equal(readFileSync(p.at("in/f"), "utf8"), "new");
  });
});

test("links are resolved by hand, dangling ones too, and loops end", async (t) => {
  const p = place(t);
  const workspace = createWorkspace();
  mkdirSync(p.at("in/a"));
  symlinkSync("../out", p.at("in/up"));
  symlinkSync("up/x/../y", p.at("in/twice"));
  symlinkSync("loop", p.at("in/loop"));
  assert.deepEqual(await workspace.locate(p.at("in/a/new/f")), { real: p.at("in/a/new/f"), viaLink: false });
  assert.deepEqual(await workspace.locate(p.at("in/up/f")), { real: p.at("out/f"), viaLink: false });
  assert.deepEqual(await workspace.locate(p.at("in/twice")), { real: p.at("out/y"), viaLink: true });
  assert.deepEqual(await workspace.locate(p.at("in/a/../up")), { real: p.at("out"), viaLink: true });
  assert.equal(await workspace.locateEntry(p.at("in/twice")), p.at("in/twice"));
  assert.equal(await workspace.locateEntry(p.at("in/up/z")), p.at("out/z"));
  await assert.rejects(workspace.locate(p.at("in/loop/x")), refusal("link"));
});

test("a folder that flickers between itself and a link is never left", {
  skip: process.platform === "linux" ? false : "needs Linux",
}, async (t) => {
  const p = place(t);
  const workspace = createWorkspace();
  mkdirSync(p.at("in/d"));
  writeFileSync(p.at("in/d/f"), "0");
  writeFileSync(p.at("out/f"), "0");
  let isDone = false;
  const flicker = (async () => {
    while (!isDone) {
      renameSync(p.at("in/d"), p.at("in/was"));
      // A write that is under way may make the missing folder anew, which is its right.
      rmSync(p.at("in/d"), { recursive: true, force: true });
      symlinkSync(p.at("out"), p.at("in/d"));
      await new Promise(setImmediate);
      unlinkSync(p.at("in/d"));
      renameSync(p.at("in/was"), p.at("in/d"));
      // It is a folder for longer than a link, so that some writes do start.
      for (let turns = 0; turns < 40; turns++) await new Promise(setImmediate);
    }
  })();
  let written = 0;
  for (let i = 0; i < 60; i++) {
    try {
      const now = await workspace.read(p.at("in/d/f"));
      await workspace.replace(p.at("in/d/f"), now, file(String(i)));
      await workspace.replace(p.at(`in/d/new-${i}`), absent, file("x"));
      written++;
    } catch (error) {
      if (!(error instanceof WorkspaceRefusal)) throw error;
    }
  }
  isDone = true;
  await flicker;
  assert.deepEqual([readdirSync(p.at("out")), readFileSync(p.at("out/f"), "utf8")], [["f"], "0"]);
  assert.ok(written > 0, "some writes must have met the folder");
});
