import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createFileSearch } from "./file-search.ts";
import { listWithRipgrep, walkFiles } from "./list-files.ts";

const never = new AbortController().signal;
const rg = ["/usr/bin/rg", "/usr/local/bin/rg"].find((file) => existsSync(file));

function place(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "search-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const file = (name: string, text = ""): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  return { root, file };
}

test("the walker lists what ripgrep lists", { skip: rg === undefined ? "needs ripgrep (rg)" : false }, async (t) => {
  const p = place(t);
  for (const name of [
    "a.txt",
    "src/b.ts",
    "src/deep/c.ts",
    ".hidden/d",
    "-rf",
    "odd\nname",
    "out/e",
    "src/out/f",
    "keep/out/g",
    "src/x.log",
    "src/y.log",
    ".git/config",
    ".codex/.parley-1-2-3-4",
  ])
    p.file(name);
  p.file(".gitignore", "out/\n*.log\n");
  p.file("src/.gitignore", "!y.log\n");
  p.file("keep/.ignore", "!out/\n");
  symlinkSync("/etc", path.join(p.root, "link"));
  for (const folder of [p.root, path.join(p.root, "src")]) {
    const [ours, theirs]: [string[], string[]] = [[], []];
    await walkFiles(folder, never, (name) => ours.push(name) > 0);
    await listWithRipgrep(rg ?? "")(folder, never, (name) => theirs.push(name) > 0);
    assert.deepEqual(ours.sort(), theirs.sort());
  }
});

test("leases of running commands are not listed as files of the workspace", async (t) => {
  const p = place(t);
  for (const name of ["a", ".codex/.parley-4026531836-12-34-ab"]) p.file(name);
  for (const list of [walkFiles, ...(rg === undefined ? [] : [listWithRipgrep(rg)])]) {
    const found: string[] = [];
    await list(p.root, never, (name) => found.push(name) > 0);
    assert.deepEqual(found, ["a"]);
  }
});

for (const ripgrep of rg === undefined ? [undefined] : [rg, undefined])
  test(`best first, folders too, over several roots (${ripgrep ?? "walker"})`, async (t) => {
    const p = place(t);
    for (const name of ["one/src/widget_factory.ts", "one/src/other.ts", "one/README.md", "two/widget/readme.md"]) p.file(name);
    const search = createFileSearch({ ripgrep: () => ripgrep, now: Date.now });
    const [one, two] = [path.join(p.root, "one"), path.join(p.root, "two")];
    const index = search.open([one, two, one, path.join(p.root, "missing")]);
    assert.deepEqual(await index.search("wdgfac", 50, never), [
      { root: one, path: "src/widget_factory.ts", kind: "file", score: 134, indices: [4, 6, 7, 11, 12, 13] },
    ]);
    const found = await index.search("widget", 50, never);
    assert.deepEqual(
      found.map((f) => [f.root, f.path, f.kind]),
      [
        [one, "src/widget_factory.ts", "file"],
        [two, "widget", "directory"],
        [two, "widget/readme.md", "file"],
      ],
    );
    assert.deepEqual(await index.search("zzzz", 50, never), []);
    assert.deepEqual(await index.search("  ", 50, never), []);
    assert.equal((await index.search("e", 2, never)).length, 2);
    index.close();
  });

test("a listing that has grown old is made again", async (t) => {
  const p = place(t);
  p.file("first");
  let now = 0;
  const index = createFileSearch({ ripgrep: () => undefined, now: () => now }).open([p.root]);
  assert.equal((await index.search("second", 50, never)).length, 0);
  p.file("second");
  now = 60_000;
  assert.equal((await index.search("second", 50, never)).length, 1);
  p.file("third");
  now = -86_400_000; // a clock that was set back
  assert.equal((await index.search("third", 50, never)).length, 1);
  index.close();
});

test("who searches the same roots again soon shares the listing", async (t) => {
  const p = place(t);
  const [tool, log] = [path.join(p.root, "tool"), path.join(p.root, "log")];
  writeFileSync(tool, `#!/bin/sh\necho run >> '${log}'\nprintf 'one\\0two\\0'\n`);
  chmodSync(tool, 0o755);
  const search = createFileSearch({ ripgrep: () => tool, now: () => 0 });
  for (const query of ["one", "two", "t"]) {
    const index = search.open([p.root]);
    assert.equal((await index.search(query, 50, never)).length, 1);
    index.close();
    index.close(); // no harm
  }
  assert.equal(readFileSync(log, "utf8"), "run\n");
});

test("an aborted search ends, and a tool that never ends is stopped", async (t) => {
  const p = place(t);
  const slow = path.join(p.root, "slow");
  writeFileSync(slow, "#!/bin/sh\nexec sleep 600\n");
  chmodSync(slow, 0o755);
  const index = createFileSearch({ ripgrep: () => slow, now: Date.now }).open([p.root]);
  const abort = new AbortController();
  const search = index.search("x", 50, abort.signal);
  abort.abort(new Error("stop"));
  await assert.rejects(search, /stop/);
  const rest = index.search("x", 50, never);
  index.close();
  assert.deepEqual(await rest, []);
});

test("more files than anybody wants are cut off, and the tool with them", async (t) => {
  const p = place(t);
  const endless = path.join(p.root, "endless");
  writeFileSync(endless, "#!/bin/sh\nexec yes file | tr '\\n' '\\0'\n");
  chmodSync(endless, 0o755);
  let count = 0;
  await listWithRipgrep(endless)(p.root, never, () => ++count < 1000);
  assert.equal(count, 1000);
});

test("a rule file without end, or one that is a pipe, costs neither the memory nor the list", { skip: rg === undefined }, async (t) => {
  for (const plant of [
    (file: string) => symlinkSync("/dev/zero", file),
    (file: string) => execFileSync("mkfifo", [file]),
    (file: string) => {
      writeFileSync(file, "");
      truncateSync(file, 3 * 1024 ** 3);
    },
  ]) {
    const p = place(t);
    for (const name of ["a", "sub/b", ".git/HEAD"]) p.file(name);
    plant(path.join(p.root, ".gitignore"));
    const found: string[] = [];
    await listWithRipgrep(rg ?? "")(p.root, never, (name) => found.push(name) > 0);
    assert.deepEqual(found.filter((name) => name !== ".gitignore").sort(), ["a", "sub/b"]);
  }
});
