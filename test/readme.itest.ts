/** Checks what the README claims, so that it stays true. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { endedWith } from "./support/ending.ts";
import { chatFrames } from "./support/model-mocks/frames.ts";
import { MockProvider, stream } from "./support/model-mocks/server.ts";
import { launcher, root, scratch } from "./support/process.ts";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text ?? "");
const { name, scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

test("its first two commands are the set-up, and they exist", () => {
  assert.deepEqual(blocks("sh").slice(0, 2), ["npm ci && npm start\n", "npm ci && npm test\n"]);
  for (const [, script = ""] of readme.matchAll(/npm run (\w+)/g)) assert.ok(script in scripts, script);
});

test("its links lead somewhere", () => {
  for (const document of ["README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"])
    for (const [, target = ""] of readFileSync(path.join(root, document), "utf8").matchAll(/\]\(([^)#:]+)\)/g))
      assert.ok(existsSync(path.join(root, target)), `${document}: ${target}`);
});

test("the TypeScript examples of the documents run", (t) => {
  const folder = scratch(t);
  const installed = path.join(folder, "node_modules", name);
  mkdirSync(path.dirname(installed), { recursive: true });
  symlinkSync(root, installed);
  const examples = ["README.md", ...globSync("docs/*.md", { cwd: root })].flatMap((document) =>
    [...readFileSync(path.join(root, document), "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = ""]) => ({ document, text })),
  );
  assert.ok(examples.length >= 2);
  const { PATH } = process.env;
  for (const [n, { document, text }] of examples.entries()) {
    writeFileSync(path.join(folder, `example-${n}.ts`), text);
    const env = { PATH, HOME: folder, CODEX_HOME: path.join(folder, "home") };
    const { status, stdout, stderr } = spawnSync(process.execPath, [`example-${n}.ts`], { cwd: folder, encoding: "utf8", env });
    assert.equal(status, 0, `${document}: ${stderr}`);
    assert.match(stdout, /Offline tour/, document);
  }
});

test("parley tour plays the offline tour to its end", (t) => {
  const folder = scratch(t);
  const { status, stdout, stderr } = spawnSync(launcher, ["tour"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  assert.equal(status, 0, stderr);
  for (const sign of ["Connected: parley_tour/", "☑ Show a plan", "$ ", "± add ", "? Which kind of model", "✖ ", "That was the tour."])
    assert.ok(stdout.includes(sign), `${sign} is missing from:\n${stdout}`);
});

test("a newcomer's first hour: sees what is missing, sets up a model, gets an answer, resumes the session", async (t) => {
  await using mock = new MockProvider(stream(chatFrames({ text: "At your service" })));
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const table = `[model_providers.house]\nname = "House"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "chat"\nenv_key = "HOUSE_KEY"\n`;
  writeFileSync(path.join(home, "config.toml"), table);
  const run = async (args: readonly string[], input = ""): Promise<{ status: number; stdout: string; stderr: string }> => {
    const child = spawn(launcher, args, { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: home } });
    endedWith(t, child);
    child.stdin.end(input);
    const texts = [child.stdout, child.stderr].map(async (out) => (await out.setEncoding("utf8").toArray()).join(""));
    const [[status], stdout = "", stderr = ""] = await Promise.all([once(child, "close"), ...texts]);
    assert.doesNotMatch(stderr, /\n {4}at /, "a stack is no answer");
    return { status, stdout, stderr };
  };
  const exec = ["exec", "--skip-git-repo-check"];
  const lacking = await run([...exec, "hello"]);
  assert.deepEqual([lacking.status, lacking.stdout], [1, ""], "nothing is invented");
  assert.match(lacking.stderr, /no model is set up\. Run `parley login`/);
  const login = await run(["login", "house", "--model", "big"], "house-key-1\n");
  assert.deepEqual([login.status, /House is set up with big/.test(login.stderr)], [0, true], login.stderr);
  assert.deepEqual((await run([...exec, "hello"])).stdout, "At your service\n");
  const listed = JSON.parse((await run(["threads", "list", "--json"])).stdout);
  const [{ id }] = Array.isArray(listed) ? listed : listed.data;
  assert.equal((await run([...exec, "resume", String(id).slice(0, 13), "and now?"])).status, 0);
  assert.match(JSON.stringify(mock.requests.at(-1)?.body), /hello.*At your service.*and now\?/);
});
