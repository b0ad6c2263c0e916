/** parley threads, as a user runs it, on threads of the offline model. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, existsSync, globSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { launcher, ServerProcess, scratch } from "./support/process.ts";

function place(t: TestContext) {
  const folder = scratch(t);
  const home = path.join(folder, "home");
  mkdirSync(home);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const all = { PATH: "/usr/bin:/bin", HOME: folder, CODEX_HOME: home, ...env };
    const { status, stdout, stderr } = spawnSync(launcher, args, { cwd: folder, encoding: "utf8", env: all, input: "", timeout: 90_000 });
    return { status, stdout, stderr };
  };
  const say = (text: string): string => {
    const { stdout, status, stderr } = run(["exec", "-c", "model_provider=scripted", "--json", "--skip-git-repo-check", text]);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout.split("\n")[0] ?? "").thread_id;
  };
  const threads = (...args: string[]) => run(["threads", ...args]);
  const rollout = (id: string): string =>
    path.join(home, globSync(`{sessions,archived_sessions}/**/*${id}.jsonl`, { cwd: home })[0] ?? "none");
  return { folder, home, run, say, threads, rollout };
}

test("list, show and search, as tables and as JSON", (t) => {
  const { folder, say, threads, run } = place(t);
  assert.equal(threads("list").stdout, "No threads yet.\n");
  const first = say("hello there");
  const second = say("show me a plan");
  const listed = JSON.parse(threads("list", "--json").stdout) as { id: string }[];
  assert.deepEqual(listed.map(({ id }) => id).toSorted(), [first, second].toSorted());
  for (const columns of ["50", "200"])
    for (const line of run(["threads", "list"], { COLUMNS: columns }).stdout.split("\n")) assert.ok(line.length <= Number(columns), line);
  assert.match(threads("list").stdout, new RegExp(`${second.slice(0, 13)} .* show me a plan\n`));
  assert.equal(JSON.parse(threads("list", "--json", "--limit", "1").stdout).length, 1);
  assert.equal(JSON.parse(threads("list", "--json", "--cwd", ".").stdout).length, 2);
  assert.equal(JSON.parse(threads("list", "--json", "--cwd", path.dirname(folder)).stdout).length, 0);
  for (const name of [first, first.slice(0, 13)]) assert.match(threads("show", name).stdout, /\nuser\nhello there\n/, name);
  assert.equal(JSON.parse(threads("show", "--json", first).stdout).turns.length, 1);
  assert.equal(JSON.parse(threads("search", "--json", "hello there").stdout)[0].thread.id, first);
  assert.match(threads("search", "nothing of the kind").stdout, /Nothing was found/);
  assert.match(threads("usage").stdout, /all time: [\d,]+ tokens/);
  assert.equal(JSON.parse(threads("usage", "--json", first).stdout).threadId, first);
});

test("a home that cannot be read is an error in words, and not one without threads", (t) => {
  const { folder, run, say } = place(t);
  const id = say("hello");
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  for (const args of [["list"], ["search", "hello"], ["show", id]]) {
    const { status, stdout, stderr } = run(["threads", ...args], { CODEX_HOME: file });
    assert.deepEqual([status, stdout], [1, ""], args.join(" "));
    assert.match(stderr, /^error: cannot read .*file: ENOTDIR: not a directory.* Set CODEX_HOME to a folder of your own\n$/);
  }
});

test("a process on the home that does not answer holds nothing up, and the list is still printed", async (t) => {
  const { home, run } = place(t);
  const live = path.join(home, "parley/live");
  mkdirSync(live, { recursive: true, mode: 0o700 });
  // Its name is that of a running process; it accepts and never says a word.
  const silent = path.join(live, `${process.pid}-0123456789ab.sock`);
  const server = createServer().listen(silent);
  await once(server, "listening");
  chmodSync(silent, 0o600);
  t.after(() => server.close());
  const child = spawn(launcher, ["threads", "list"], {
    env: { PATH: "/usr/bin:/bin", HOME: home, CODEX_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = await Promise.all([child.stdout.toArray(), once(child, "close")]);
  assert.equal(text.join(""), "No threads yet.\n");
  assert.equal(run(["threads", "list"]).stdout, "No threads yet.\n");
});

test("export as markdown, HTML and JSON, to stdout and into files", (t) => {
  const { folder, say, threads } = place(t);
  const id = say("hello there");
  assert.match(threads("export", id).stdout, /^# hello there\n/);
  assert.equal(JSON.parse(threads("export", "--last", "--format", "json").stdout).id, id);
  for (const [name, begin] of [
    ["story.md", "# hello there"],
    ["story.html", "<!doctype html>"],
    ["story.json", "{"],
  ] as const) {
    assert.deepEqual(threads("export", "--last", "-o", name), { status: 0, stdout: "", stderr: `Wrote ${name}\n` });
    assert.ok(readFileSync(path.join(folder, name), "utf8").startsWith(begin), name);
  }
  assert.equal(threads("export", "--last", "-o", "no/such/folder/x.md").status, 1);
});

test("archive, restore and delete; missing or ambiguous sessions are reported", (t) => {
  const { say, threads, rollout } = place(t);
  const id = say("hello");
  assert.equal(threads("archive", id).stdout, `Archived ${id}\n`);
  assert.equal(threads("list").stdout, "No threads yet.\n");
  assert.deepEqual(JSON.parse(threads("list", "--archived", "--json").stdout)[0].id, id);
  assert.equal(threads("archive", "--undo", id).stdout, `Unarchived ${id}\n`);
  assert.equal(threads("delete", id).status, 2, "nobody can be asked");
  assert.ok(existsSync(rollout(id)));
  assert.deepEqual(JSON.parse(threads("delete", "--yes", "--json", id).stdout), [id]);
  assert.equal(existsSync(rollout(id)), false);
  for (const [args, code, why] of [
    [["show", id], 1, /thread/],
    [["show", "--last"], 1, /there is no thread yet/],
    [["show"], 2, /the thread is missing/],
    [["show", "zzzz"], 1, /no thread is called 'zzzz'/],
    [["shwo"], 2, /did you mean 'show'/],
    [["list", "--limit", "x"], 2, /whole number/],
  ] as const) {
    const { status, stderr } = threads(...args);
    assert.equal(status, code, args.join(" "));
    assert.match(stderr, why);
  }
});

test("a thread that a server has open is neither archived nor deleted", async (t) => {
  const { folder, threads } = place(t);
  const server = new ServerProcess(t, [], {}, { folder });
  server.initialize();
  server.write('{"id":1,"method":"thread/start","params":{}}\n');
  const { thread } = (await server.answer(1)).result as { thread: { id: string } };
  server.write(`{"id":2,"method":"turn/start","params":{"threadId":"${thread.id}","input":[{"type":"text","text":"hello"}]}}\n`);
  await server.until(() => server.messages.find(({ method }) => method === "turn/completed"), "the end of the turn");
  const { status, stderr } = threads("delete", "--yes", thread.id);
  assert.equal(status, 1);
  assert.match(stderr, /open in another process/);
});

test("a damaged thread is repaired into a copy that can be read and continued, and stays as it is itself", (t) => {
  const { run, say, threads, rollout, folder } = place(t);
  const id = say("hello there");
  const file = rollout(id);
  assert.match(threads("repair", id).stdout, / is whole\./);
  truncateSync(file, readFileSync(file).length - 30);
  appendFileSync(file, "\0\0\0");
  const damaged = readFileSync(file);
  const check = threads("repair", "--check", id);
  assert.equal(check.status, 1);
  assert.match(check.stdout, /line \d+: /);
  const result = JSON.parse(threads("repair", "--json", file).stdout) as { threadId: string; lines: number; problems: unknown[] };
  assert.ok(result.lines > 3 && result.problems.length > 0);
  assert.deepEqual(readFileSync(file), damaged);
  assert.match(threads("show", result.threadId).stdout, /\nuser\nhello there\n/);
  assert.equal(threads("repair", "--check", result.threadId).status, 0);
  assert.equal(run(["exec", "-c", "model_provider=scripted", "--skip-git-repo-check", "resume", result.threadId, "hello again"]).status, 0);
  assert.equal(threads("repair", id, "--output", "mended.jsonl").status, 0);
  assert.equal(JSON.parse(readFileSync(path.join(folder, "mended.jsonl"), "utf8").split("\n")[0] ?? "").payload.id, id);
  assert.match(threads("repair", id, "--output", "mended.jsonl").stderr, /exists already/);
  writeFileSync(path.join(folder, "notes.txt"), "x");
  assert.match(threads("repair", "notes.txt").stderr, /is no thread/);
});

test("queue: a message waits for whoever has the thread open, and starts there", async (t) => {
  const { home, folder, run, say } = place(t);
  const id = say("hello there");
  const queue = (...args: string[]) => run(["queue", ...args]);
  assert.equal(queue("--thread", id).status, 2);
  const { stdout, status } = queue("--thread", id.slice(0, 13), "--message", "show me a plan");
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(`^Queued message [0-9a-f-]+ for thread ${id}\\.\n$`));
  const server = new ServerProcess(t, [], { CODEX_HOME: home, HOME: folder }, { folder });
  const call = async (number: number, method: string, params: object) => {
    server.write(`${JSON.stringify({ id: number, method, params })}\n`);
    return (await server.answer(number)).result;
  };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  await call(1, "initialize", { clientInfo: { name: "t", title: null, version: "1" }, capabilities });
  await call(2, "thread/resume", { threadId: id });
  const ended = (count: number) =>
    server.until(() => (server.messages.filter((m) => m.method === "turn/completed").length >= count ? true : undefined), `turn ${count}`);
  await ended(1);
  const later = JSON.parse(queue("--thread", id, "--message", "hello there", "--json").stdout);
  assert.equal(later.threadId, id);
  await ended(2);
  const texts = server.messages.flatMap((m) =>
    m.method === "item/completed" && m.params.item.type === "userMessage" ? [m.params.item.content[0].text] : [],
  );
  assert.deepEqual(texts, ["show me a plan", "hello there"]);
});
