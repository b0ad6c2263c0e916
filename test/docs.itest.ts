/** Runs every command in the documents, follows every link, and checks that every error text of the troubleshooting page is one of ours. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { buildSite } from "../scripts/site.ts";
import { endedWith } from "./support/ending.ts";
import { launcher, root, scratch } from "./support/process.ts";

const documents = ["README.md", "examples/README.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: root }).sort()];
interface Block {
  readonly document: string;
  /** "" is run as it is; "serve" starts something that keeps running; "manager" needs a running manager; "elsewhere" cannot be run here. */
  readonly how: string;
  readonly text: string;
}
const blocks: readonly Block[] = documents.flatMap((document) =>
  [...readFileSync(path.join(root, document), "utf8").matchAll(/^```sh(?: (\w+))?\n(.*?)^```/gms)].map(([, how = "", text = ""]) => ({
    document,
    how,
    text,
  })),
);

/** What cannot be run in a test, and where it is tested instead. */
const elsewhere: Readonly<Record<string, string>> = {
  "npm ci && npm start": "the first lines of the README: .ci/run begins with npm ci, test/manager.itest.ts starts it",
  "npm ci && npm test": "this very run",
  "parley manager --listen 0.0.0.0:4180 --tls-cert":
    "src/manager and test/manager.itest.ts serve with TLS; a test listens on loopback only",
  "parley manager --connect": "test/manager.itest.ts",
  "printf %s 'postgres://": "test/fleet/fleet-command.itest.ts reads such a file",
  "parley fleet": "test/fleet/fleet-command.itest.ts and transfer.itest.ts",
  "parley worker": "test/fleet/worker.itest.ts",
  "parley manager --fleet": "test/fleet/front.itest.ts",
  "TOKEN=": "test/fleet: clients with a token; the terminal's --remote is in test/tui",
  "parley plugin": "test/plugin-command.itest.ts: a marketplace of the example's name is on no machine of ours",
  "parley exec --oss": "src/models tests and src/main/local-model: needs a model server",
  "printenv GROQ_API_KEY | parley login": "test/settings-commands.itest.ts sets a provider up; this one would have to know the key",
  "npm run pack": "test/pack.itest.ts",
  "npm install -g ./parley-0.1.0.tgz": "scripts/ship-check.ts; test/pack.itest.ts installs it into a folder",
};

function place(t: TestContext) {
  const folder = scratch(t);
  const work = path.join(folder, "work");
  const bin = path.join(folder, "bin");
  const home = path.join(folder, "home");
  for (const made of [work, bin, home]) mkdirSync(made);
  symlinkSync(launcher, path.join(bin, "parley"));
  symlinkSync(path.join(root, "examples"), path.join(work, "examples"));
  mkdirSync(path.join(work, "bin"));
  symlinkSync(launcher, path.join(work, "bin", "parley"));
  spawnSync("sh", ["-c", "git init -q . && git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m 'First words'"], {
    cwd: work,
  });
  writeFileSync(path.join(work, "hello.txt"), "hello\n");
  // The pages assume a model; here a scripted one is used instead, also in homes that a page creates.
  const script = path.join(folder, "scenario.json");
  writeFileSync(script, JSON.stringify({ loop: true, sample_schemas: true, turns: [[{ say: "ok" }]] }));
  const node = path.dirname(process.execPath);
  const env = { PATH: `${bin}:${node}:/usr/bin:/bin`, HOME: folder, CODEX_HOME: home, TERM: "dumb", PARLEY_SCENARIO: script };
  return { work, env };
}
const reasonFor = (line: string): string | undefined => Object.entries(elsewhere).find(([start]) => line.startsWith(start))?.[1];
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");

for (const document of documents) {
  const plain = blocks.filter(
    (block) => block.document === document && block.how === "" && !linesOf(block.text).every((line) => reasonFor(line) !== undefined),
  );
  // The README and the examples page assume a checkout, and their commands have their own tests.
  if (plain.length === 0 || document === "README.md" || document === "examples/README.md" || document === "CONTRIBUTING.md") continue;
  test(`${document}: its commands do what they say`, { timeout: 300_000 }, (t) => {
    const { work, env } = place(t);
    // An existing thread, for pages that start from one.
    spawnSync("parley", ["exec", "hello"], { cwd: work, env });
    for (const { text } of plain) {
      const { status, stderr, error } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", text], {
        cwd: work,
        env,
        encoding: "utf8",
        timeout: 60_000,
        input: "",
      });
      assert.equal(status, 0, `${text}\n${stderr}${error?.message ?? ""}`);
    }
  });
}

/** The same command on any free port: the usual one may be in use on this machine. */
const anyPort = (text: string): string =>
  text.includes("--listen") ? text.replace(/(127\.0\.0\.1):\d+/, "$1:0") : `${text} --listen 127.0.0.1:0`;

test("commands that keep running start and print where they listen", { timeout: 300_000 }, async (t) => {
  for (const { text } of blocks.filter(({ how }) => how === "serve")) {
    const { work, env } = place(t);
    const child = spawn("bash", ["-c", `exec ${anyPort(text.trim())}`], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
    endedWith(t, child);
    await printed(child, /127\.0\.0\.1:\d+/, text);
    child.kill("SIGTERM");
    await once(child, "close");
  }
});

test("commands for a manager work on one", { timeout: 300_000 }, async (t) => {
  const { work, env } = place(t);
  const child = spawn("parley", ["manager", "--no-open", "--listen", "127.0.0.1:0"], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
  endedWith(t, child);
  const port = /127\.0\.0\.1:(\d+)/.exec(await printed(child, /127\.0\.0\.1:\d+/, "parley manager"))?.[1] ?? "";
  for (const line of blocks.filter(({ how }) => how === "manager").flatMap(({ text }) => linesOf(text))) {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", line.replace("4180", port).replace("curl -s", "curl -sf")], {
      cwd: work,
      env,
      encoding: "utf8",
    });
    assert.equal(status, 0, `${line}\n${stderr}`);
    JSON.parse(stdout);
  }
  child.kill("SIGTERM");
  await once(child, "close");
});

test("what is not run here is named with the place where it is", () => {
  for (const { document, text } of blocks.filter(({ how }) => how === "elsewhere"))
    for (const line of linesOf(text)) assert.ok(reasonFor(line), `${document}: ${line}`);
  for (const how of new Set(blocks.map((block) => block.how))) assert.ok(["", "serve", "manager", "elsewhere"].includes(how), how);
});

test("the site holds every document, and no link leads nowhere", (t) => {
  const pages = buildSite(path.join(scratch(t), "site"));
  for (const document of globSync("docs/*.md", { cwd: root })) assert.ok(pages.includes(document), document);
});

test("the index names every document", () => {
  const index = readFileSync(path.join(root, "docs/README.md"), "utf8");
  for (const file of globSync("docs/*.md", { cwd: root }))
    assert.ok(file === "docs/README.md" || index.includes(`](${path.basename(file)})`), file);
});

test("error texts of the troubleshooting page are texts of the product", () => {
  const sources = [...globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts")), "bin/parley"]
    .map((file) => readFileSync(path.join(root, file), "utf8"))
    .join("\n");
  const rows = readFileSync(path.join(root, "docs/troubleshooting.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| the text"));
  /** Messages of Node, the system or providers, or descriptions of a state. */
  const foreign = /self-signed|ENOSPC|no space|usage limit|unable to get|config\.toml|expectedVersion|exited with 124|429|401|404/;
  for (const row of rows)
    for (const [, text = ""] of (row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g))
      assert.ok(foreign.test(text) || sources.includes(text), `no source says: ${text}`);
});

async function printed(child: ChildProcess, what: RegExp, name: string): Promise<string> {
  let text = "";
  const found = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (what.test(text)) found.resolve(text);
    });
  child.on("close", () => found.reject(new Error(`${name} ended: ${text}`)));
  return found.promise;
}
