/** Tests of the scripts that check the repository. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { toAscii } from "../scripts/ascii-code.ts";
import { withoutLocalLinks } from "../scripts/build-vscode.ts";
import { compare } from "../scripts/check-functions.ts";
import { looseEnds } from "../scripts/check-loose-ends.ts";
import { otherWays } from "../scripts/check-one-way.ts";
import { chooseTests } from "../scripts/choose-tests.ts";
import { makeBuiltinsLazy, makeChunkLazy, makeHelperOwn } from "../scripts/lazy-builtins.ts";
import { lockProblems } from "../scripts/lockcheck.ts";
import { isInCycle, withPlainExports } from "../scripts/plain-exports.ts";
import { pick } from "../scripts/suites.ts";
import { deletedWith } from "./support/ending.ts";

const lock = (packages: object): string => JSON.stringify({ packages: { "": { dependencies: { a: "1" } }, ...packages } });
const good = { version: "1", integrity: "sha512-x", license: "MIT" };

test("functions over the limits are neither joined by others nor longer than they were", () => {
  const listed = { "a.ts": { lines: [90, 70] }, "b.ts": { parameters: [5] } };
  const found = (now: object) => compare(now as typeof listed, listed);
  assert.deepEqual(found({ "a.ts": { lines: [90, 61] }, "b.ts": { parameters: [5] } }), { problems: [], stale: [] });
  assert.match(found({ "a.ts": { lines: [91, 70] }, "b.ts": { parameters: [5] } }).problems.join(), /^a\.ts: a function has 91 lines/);
  assert.match(found({ ...listed, "c.ts": { lines: [61] } }).problems.join(), /^c\.ts: a function has 61 lines/);
  assert.match(found({ ...listed, "a.ts": { lines: [90, 70, 61] } }).problems.join(), /^a\.ts: a function has 61 lines/);
  assert.match(found({ "a.ts": listed["a.ts"], "b.ts": { parameters: [6] } }).problems.join(), /^b\.ts: a function has 6 parameters/);
  assert.deepEqual(found({ "b.ts": { parameters: [5] } }), { problems: [], stale: ["a.ts"] });
});

test("a file or folder chooses its tests by itself, also those that run on request alone", () => {
  const groups = [
    { name: "isolated", files: ["test/a.itest.ts", "test/tui/talk.itest.ts", "test/scenarios/b.test.ts"] },
    { name: "terminal", files: ["test/tui/talk.itest.ts", "test/tui/looks.itest.ts"], onRequest: "terminal" },
    { name: "oracle", files: ["test/oracle/c.test.ts", "test/oracle/d.test.ts"], onRequest: "oracle" },
    { name: "over stdio", files: ["test/scenarios/b.test.ts"], onRequest: "legs" },
  ];
  const [isolated, terminal, oracle, stdio] = groups.map(({ files }) => files);
  assert.deepEqual(chooseTests(groups, []), [isolated, [], [], []]);
  assert.deepEqual(chooseTests(groups, ["test"]), [isolated, [], [], []], "everything, but nothing that must be asked for");
  assert.deepEqual(chooseTests(groups, ["test/oracle/c.test.ts"]), [[], [], ["test/oracle/c.test.ts"], []]);
  assert.deepEqual(chooseTests(groups, ["test/oracle"]), [[], [], oracle, []]);
  assert.deepEqual(chooseTests(groups, ["test/tui"]), [["test/tui/talk.itest.ts"], ["test/tui/looks.itest.ts"], [], []], "none twice");
  assert.deepEqual(chooseTests(groups, ["test/scenarios"]), [["test/scenarios/b.test.ts"], [], [], []], "one transport is enough");
  assert.deepEqual(chooseTests(groups, ["terminal", "legs"]), [[], terminal, [], stdio]);
  assert.deepEqual(chooseTests(groups, ["test/orac"]), [[], [], [], []]);
});

test("the extension's changelog keeps the texts of links to documents that it does not contain", () => {
  assert.equal(
    withoutLocalLinks("See [docs/a.md](docs/a.md), [b](../b#c) and [c](https://example.org/c)."),
    "See docs/a.md, b and [c](https://example.org/c).",
  );
});

test("a lockfile without addresses, scripts or gaps is fine", () => {
  assert.deepEqual(lockProblems(lock({ "node_modules/a": { ...good, optionalDependencies: { b: "1" } }, "node_modules/b": good })), []);
  assert.deepEqual(
    lockProblems(lock({ "node_modules/a": { ...good, dependencies: { "@s/b": "1" } }, "node_modules/a/node_modules/@s/b": good })),
    [],
  );
});

test("each thing that would make another installation is named", () => {
  const problems = lockProblems(
    lock({
      "node_modules/a": {
        version: "1",
        license: "ISC",
        resolved: "address",
        hasInstallScript: true,
        optionalDependencies: { "b-win": "1" },
      },
    }),
  );
  assert.deepEqual(problems, [
    "node_modules/a has a download address",
    "node_modules/a has no integrity",
    "node_modules/a has an install script",
    "node_modules/a needs b-win@1, which is not locked",
  ]);
  assert.deepEqual(lockProblems(lock({})), ["the root needs a@1, which is not locked"]);
});

test("a package whose engines would make a newcomer's npm ci warn is named", () => {
  const problems = (node: string): number => lockProblems(lock({ "node_modules/a": { ...good, engines: { node } } })).length;
  for (const fine of [">=18", "^20.19.0 || >=22.12.0", "*", ">= 0.4", "20 || >=22"]) assert.equal(problems(fine), 0, fine);
  for (const newer of [">=22", ">=22.12", "^22.0.0 || >=24"]) assert.equal(problems(newer), 1, newer);
});

test("a licence that does not go with ours is named, unless the package is no part of what we give away", () => {
  const problems = (entry: object): number => lockProblems(lock({ "node_modules/a": { ...good, ...entry } })).length;
  assert.equal(problems({ license: "(MIT OR GPL-3.0)" }), 0);
  assert.equal(problems({ license: "MIT AND GPL-3.0" }), 1);
  assert.equal(problems({ license: undefined }), 1);
  assert.equal(problems({ license: "LGPL-3.0-or-later" }), 1);
  assert.equal(problems({ license: "LGPL-3.0-or-later", optional: true }), 0);
  assert.equal(problems({ license: "MPL-2.0", dev: true }), 0);
});

test("capitals in the ratchet name a whole group, which must not be empty", () => {
  const lines = ["ok   P01 a", "FAIL P02 b: no", "ok   PX1 c", "ok   E01 d"];
  assert.deepEqual(
    pick(["P", "E01", "S"], lines).map(({ name, outcome }) => `${name} ${outcome}`),
    ["P01 ok", "P02 FAIL", "E01 ok", "S FAIL"],
  );
});

test("the ratchet takes verdicts from all suites, and a name without a verdict is a failure", () => {
  const lines = [
    "ok   thread-start",
    "FAIL turn: late [why]; other",
    "ok   P01 nine lines (3 ms)",
    "skip E07 open door",
    "FAIL P02 x (2 ms): no",
    "1 passed, 2 failed",
  ];
  assert.deepEqual(pick(["thread-start", "turn", "P01", "E07", "P02", "typo"], lines), [
    { name: "thread-start", outcome: "ok", why: "" },
    { name: "turn", outcome: "FAIL", why: "late [why]; other" },
    { name: "P01", outcome: "ok", why: "nine lines (3 ms)" },
    { name: "E07", outcome: "skip", why: "open door" },
    { name: "P02", outcome: "FAIL", why: "x (2 ms): no" },
    { name: "typo", outcome: "FAIL", why: "the suite has no verdict on it" },
  ]);
});

test("Node's modules in a bundle are loaded at their first use", () => {
  const code = [
    'const require_rolldown_runtime = require("./runtime.cjs");',
    'let node_fs = require("node:fs");',
    'let node_path = require("node:path");',
    "node_path = require_rolldown_runtime.__toESM(node_path, 1);",
    'let node_os = require("node:os");',
    "const used = node_os;",
    "exports.run = () => [(0, node_fs.existsSync)(node_path.default.sep), node_fs.constants.R_OK, used.EOL];",
    "",
  ].join("\n");
  const lazy = makeBuiltinsLazy(code);
  const loaded: string[] = [];
  const load = (name: string): unknown => {
    loaded.push(name);
    return process.getBuiltinModule(name);
  };
  const exports: { run?: () => unknown } = {};
  new Function("require", "exports", lazy)(load, exports);
  assert.deepEqual(loaded, ["node:os"], "used as a whole, so loaded at once");
  assert.deepEqual(exports.run?.(), [true, 4, "\n"]);
  exports.run?.();
  assert.deepEqual(loaded, ["node:os", "node:fs", "node:path", "node:fs"], "once for each member");
});

test("a chunk that a start can do without is loaded at the first use of something in it", () => {
  const code = 'const require_later = require("./later-x.cjs");\nexports.run = () => require_later.twice(require_later.base);\n';
  const loaded: string[] = [];
  const load = (name: string): unknown => {
    loaded.push(name);
    return { base: 21, twice: (n: number) => 2 * n };
  };
  const exports: { run?: () => unknown } = {};
  new Function("require", "exports", makeChunkLazy(code, "later"))(load, exports);
  assert.deepEqual(loaded, []);
  assert.equal(exports.run?.(), 42);
  assert.equal(exports.run?.(), 42);
  assert.deepEqual(loaded, ["./later-x.cjs", "./later-x.cjs"], "once for each member");
  const whole = 'const require_later = require("./later-x.cjs");\nObject.keys(require_later);\n';
  assert.equal(makeChunkLazy(whole, "later"), whole, "used as a whole, so loaded at once");
});

test("a chunk that needs one helper of the bundler has it in itself", () => {
  const load = 'const require_rolldown_runtime = require("./runtime.cjs");\n';
  const own = makeHelperOwn(`${load}let n = 1;\nexports.all = require_rolldown_runtime.__exportAll({ next: () => () => n++ });\n`);
  const exports: { all?: { next(): number } } = {};
  new Function("require", "exports", own)(() => assert.fail("loaded"), exports);
  assert.deepEqual([exports.all?.next(), exports.all?.next(), String(exports.all)], [1, 2, "[object Module]"]);
  const others = `${load}require_rolldown_runtime.__exportAll(require_rolldown_runtime.__toESM({}));\n`;
  assert.equal(makeHelperOwn(others), others, "another helper is needed, so the chunk is loaded");
});

test("modules that Node has loaded already are loaded at once where that is cheaper", () => {
  const code = 'let node_fs = require("node:fs");\nlet node_os = require("node:os");\nnode_fs.readSync(node_os.EOL);\n';
  const made = makeBuiltinsLazy(code, ["node:fs"]);
  assert.ok(made.includes('let node_fs = require("node:fs");'), made);
  assert.match(made, /const node_os = \{ get EOL\(\)/);
});

const exported = (name: string, local = name): string =>
  `Object.defineProperty(exports, "${name}", {\n  enumerable: true,\n  get: function () {\n    return ${local};\n  }\n});\n`;
const exportsOf = (code: string): Record<string, unknown> => {
  const module = { exports: {} };
  new Function("module", "exports", code)(module, module.exports);
  return module.exports;
};

test("a chunk exports values, and getters for what may change", () => {
  const kinds = "const a = 1;\nfunction b() { return 2; }\nasync function c() {}\nvar D = class {};\nlet n = 1, a$1 = 5;\n";
  const code = `${kinds}function next() { n++; a$1++; }\n${["a", "b", "c", "D", "n", "next"].map((name) => exported(name)).join("")}${exported("e", "a$1")}`;
  const made = withPlainExports(code);
  assert.doesNotMatch(made, /defineProperty/);
  const all = exportsOf(made) as { n: number; e: number; next(): void };
  assert.deepEqual(Object.keys(all), ["a", "b", "c", "D", "n", "next", "e"]);
  assert.deepEqual(
    Object.keys(Object.getOwnPropertyDescriptors(all)).filter((name) => "get" in describe(all, name)),
    ["n", "e"],
  );
  all.next();
  assert.deepEqual([all.n, all.e], [2, 6]);
  for (const other of [`exports.x = 1;\n${exported("a")}`, 'Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });\n'])
    assert.equal(withPlainExports(`const a = 1;\n${other}`), `const a = 1;\n${other}`, "exports something else besides");
});
const describe = (of: object, name: string): PropertyDescriptor => Object.getOwnPropertyDescriptor(of, name) ?? {};

test("chunks that load each other keep the object that they export, unless that happens on first use", () => {
  const chunk = (name: string, ...imports: readonly string[]) => ({ name, imports });
  const chunks = {
    "a.js": chunk("a", "b.js"),
    "b.js": chunk("b", "c.js"),
    "c.js": chunk("c", "a.js"),
    "d.js": chunk("d", "a.js", "gone.js"),
  };
  assert.deepEqual(
    Object.keys(chunks).map((file) => isInCycle(file, chunks, [])),
    [true, true, true, false],
  );
  assert.ok(!isInCycle("a.js", chunks, ["c"]));
});

test("code is written in ASCII and means the same", () => {
  const texts = ["…", "\ufeff", "😀 ä", "\\\\ß"];
  for (const text of texts) {
    const code = toAscii(`return [${JSON.stringify(text)}, \`${text}\`, /[${text}]/u.test(${JSON.stringify(text)})];`);
    assert.doesNotMatch(code, /[^\0-\x7f]/);
    assert.deepEqual(
      new Function(code)(),
      new Function(`return [${JSON.stringify(text)}, \`${text}\`, /[${text}]/u.test(${JSON.stringify(text)})];`)(),
    );
  }
  assert.throws(() => toAscii("String.raw`…`"), /ASCII/);
  assert.throws(() => toAscii("/\\…/"), /ASCII/);
});

test("a member of a lazy chunk keeps the sign that the bundler gave it", () => {
  const lazy = makeChunkLazy('const require_later = require("./x.cjs");\nrequire_later.inside$1(1);\nrequire_later.inside(2);\n', "later");
  assert.match(lazy, /get inside\$1\(\)/);
  assert.match(lazy, /get inside\(\)/);
});

test("files that import each other's values in a cycle are named, and files that nobody imports; types and import() make no cycle", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "cycles-"));
  deletedWith(t, folder);
  const files = {
    "main.ts": 'import "./a.ts";\nimport "./f.ts";\n',
    "forgotten.ts": 'import { d } from "./d.ts";\nexport const tool = d;\n',
    "a.ts": 'import { b } from "./b.ts";\nexport const a = b;\n',
    "b.ts": 'import { type X, c } from "./c.ts";\nexport const b = c;\n',
    "c.ts": 'export { a as c } from "./a.ts";\nexport type X = 1;\n',
    "d.ts": 'import type { A } from "./e.ts";\nexport const d = (): A => 1;\n',
    "e.ts": 'import { d } from "./d.ts";\nimport { type D2 } from "./f.ts";\nexport type A = number;\nexport const e = d;\n',
    "f.ts": 'export const f = () => import("./e.ts");\nimport { e } from "./e.ts";\nexport type D2 = typeof e;\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const { status, stderr } = spawnSync(process.execPath, ["scripts/check-cycles.ts", folder], { encoding: "utf8" });
  assert.equal(status, 1);
  const [cycle = "", ...unused] = stderr.split("\n");
  assert.deepEqual(cycle.match(/\w\.ts/g), ["a.ts", "b.ts", "c.ts"]);
  assert.deepEqual(unused.join("").match(/\w+\.ts/g), ["forgotten.ts"]);
});

test("a room of core may not import a later one, not even its types", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "layers-"));
  deletedWith(t, folder);
  const files = {
    "src/core/hooks/moments.ts": 'import type { Turn } from "../turn/turn.ts";\nexport type Seen = Turn;\n',
    "src/core/turn/turn.ts": 'import type { Seen } from "../hooks/moments.ts";\nexport type Turn = { seen?: Seen };\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [path.resolve("scripts/check-layers.ts")], { encoding: "utf8", cwd: folder });
  assert.equal(stderr, "src/core/hooks/moments.ts: hooks may not import src/core/turn/turn.ts\n");
  assert.equal(status, 1);
});

test("promises that are not awaited and handlers of untrusted input must say who is notified of a failure", () => {
  const loose = [
    "void save(file);",
    "setTimeout(() => void this.#save(), 5);",
    "void load().then((text) => text.split(','));",
    "if (x) void this.#db?.flush();",
    'server.on("upgrade", (request, socket) => {\n  open(request.url);\n});',
    'ws.on("message", (data) => this.#take(JSON.parse(data)));',
  ];
  for (const text of loose) assert.equal(looseEnds(text).length, 1, text);
  const tied = [
    "void save(file).catch(log);",
    "void load().then(use, fail);",
    "load().then(use, fail);",
    "return void socket.destroy();",
    "const forget = (): void => {};",
    "type Take = (line: string) => void;",
    "setInterval(() => void this.#cleanUp(), 5);",
    'server.on("upgrade", (request, socket) => {\n  try {\n    open(request.url);\n  } catch {\n    socket.destroy();\n  }\n});',
    'ws.on("ping", (data) => ws.pong(data)); // never throws: bytes as they came',
  ];
  for (const text of tied) assert.deepEqual(looseEnds(text), [], text);
});

test("ids and error texts are made in one way", () => {
  const others = [
    "const text = error instanceof Error ? error.message : String(error);",
    "log(cause instanceof Error\n  ? cause.stack : String(cause));",
    "failed(error instanceof Error ? error : new Error(String(error)));",
    'import { randomUUID } from "node:crypto";',
  ];
  for (const text of others) assert.deepEqual(otherWays("src/x/y.ts", `\n${text}`).length, 1, text);
  assert.match(otherWays("src/x/y.ts", "\ncrypto.randomUUID()")[0] ?? "", /^src\/x\/y\.ts:2: take randomUuid/);
  assert.deepEqual(otherWays("apps/web/src/x.ts", "crypto.randomUUID()"), [], "a browser's own");
  const fine = [
    "if (error instanceof Error && error.name === 'AbortError') return;",
    "const fields = error instanceof Error ? { ...error } : {};",
  ];
  for (const text of fine) assert.deepEqual(otherWays("src/x/y.ts", text), [], text);
});
