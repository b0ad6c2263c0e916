/** What disks, clocks and other servers do to stored threads: each opens, nothing announced is lost, and the user gets a warning. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { eventually, type LiveOptions, LiveServer, rolloutsOf, verifiesLive } from "../support/live-server.ts";
import { home, preload, settings, stage, textsOf } from "../support/live-stage.ts";
import { launcher } from "../support/process.ts";
import type { Message } from "../support/wire.ts";

/** A thread of three turns, written by a server that shut down cleanly. */
async function storedThread(t: TestContext, folder: string): Promise<{ threadId: string; file: string; text: string }> {
  const server = await LiveServer.start(t, folder);
  const threadId = await server.startThread(settings(folder));
  for (const text of ["first", "second", "third"]) await server.turn(threadId, text);
  await server.stop();
  const [file = ""] = rolloutsOf(home(folder));
  return { threadId, file, text: readFileSync(file, "utf8") };
}

/** Makes the servers of a home unreachable for each other, as on systems without such sockets. */
async function cutOff(folder: string): Promise<void> {
  const live = path.join(home(folder), "parley", "live");
  await eventually(() => existsSync(live) && readdirSync(live).length > 0, "the socket of the server");
  rmSync(live, { recursive: true });
}

/** Copies of a thread under new ids, each modified in its own way. */
function plantCopies(
  original: { threadId: string; file: string; text: string },
  changes: readonly ((text: string) => string | Buffer)[],
): string[] {
  return changes.map((change, i) => {
    const id = `${original.threadId.slice(0, 24)}${String(i).padStart(12, "0")}`;
    const file = original.file.replace(original.threadId, id);
    writeFileSync(file, change(original.text.replaceAll(original.threadId, id)));
    return id;
  });
}

verifiesLive("trust.cutAnywhere", async (t) => {
  const folder = stage(t);
  const original = await storedThread(t, folder);
  const firstEnd = original.text.indexOf("\n", original.text.indexOf('"task_complete"')) + 1;
  assert.ok(firstEnd > 1);
  const span = original.text.length - firstEnd;
  const lineEnds = [...original.text.matchAll(/\n/g)].map((m) => m.index + 1).filter((at) => at >= firstEnd);
  const cuts = [
    ...new Set([
      ...lineEnds,
      ...lineEnds.map((at) => at - 1),
      ...Array.from({ length: 40 }, (_, i) => firstEnd + Math.floor((span * i) / 40)),
    ]),
  ];
  const ids = plantCopies(
    original,
    cuts.map((at) => (text) => text.slice(0, at)),
  );
  const server = await LiveServer.start(t, folder);
  for (const [i, threadId] of ids.entries()) {
    const { thread } = await server.call("thread/resume", { threadId, ...settings(folder) });
    const where = `cut at ${cuts[i]} of ${original.text.length}`;
    const turn = thread.turns[0];
    assert.equal(turn.status, "completed", where);
    assert.deepEqual(
      turn.items.map((item: Message) => item.type),
      ["userMessage", "reasoning", "agentMessage"],
      where,
    );
    if (i % 8 === 0) assert.equal((await server.turn(threadId, "afterwards")).status, "completed", where);
  }
  await server.stop();
  const again = await LiveServer.start(t, folder);
  for (const threadId of ids.filter((_, i) => i % 8 === 0)) {
    const { thread } = await again.call("thread/read", { threadId, includeTurns: true });
    assert.equal(textsOf(thread.turns).at(-1), "afterwards");
  }
});

verifiesLive("trust.damagedMiddle", async (t) => {
  const folder = stage(t);
  const original = await storedThread(t, folder);
  const at = original.text.indexOf("\n", original.text.indexOf('"task_complete"')) + 1;
  const insert = (what: string) => (text: string) => text.slice(0, at) + what + text.slice(at);
  const nul = "\0".repeat(4096);
  const ids = plantCopies(original, [
    insert(`${nul}\n`),
    insert(nul),
    insert('{"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payl\n'),
    insert('{"timestamp":"2026-01-01T00:00:00.000Z","type":"brand_new","payload":{"deep":[[[[1]]]]}}\n'),
    insert('null\n42\n[]\n"text"\n{}\n{"type":"event_msg"}\n{"type":"event_msg","payload":null}\n'),
    insert(`{"type":"event_msg","payload":{"type":"user_message","message":${"[".repeat(100_000)}\n`),
    (text) => text + nul,
    (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x80, 0x0a])]),
    (text) => text.replaceAll("\n", "\r\n"),
    (text) => `\ufeff${text}`,
  ]);
  const server = await LiveServer.start(t, folder);
  for (const [i, threadId] of ids.entries()) {
    const { thread } = await server.call("thread/resume", { threadId, ...settings(folder) });
    assert.ok(textsOf(thread.turns).includes("first"), `damage ${i} took the first turn: ${textsOf(thread.turns)}`);
    // Only records on damaged lines may be lost.
    assert.ok(textsOf(thread.turns).includes("third"), `damage ${i} took the third turn: ${textsOf(thread.turns)}`);
    assert.equal((await server.turn(threadId, "afterwards")).status, "completed");
  }
  await server.stop();
  const again = await LiveServer.start(t, folder);
  for (const threadId of ids) {
    const { thread } = await again.call("thread/read", { threadId, includeTurns: true });
    assert.deepEqual([textsOf(thread.turns)[0], textsOf(thread.turns).at(-1)], ["first", "afterwards"]);
  }
});

/** A program that starts the server with its own small disk mounted at the home's sessions; the disk disappears with the process. */
function onSmallDisk(folder: string, at: string): string {
  const file = path.join(folder, "on-small-disk");
  writeFileSync(
    file,
    `#!/bin/sh\nexec unshare ${process.getuid?.() === 0 ? "-m" : "-Urm"} sh -c 'mount -t tmpfs -o size=2m tmpfs "${at}" && exec "${launcher}" app-server'\n`,
    { mode: 0o700 },
  );
  return file;
}

verifiesLive("trust.fullDisk", async (t) => {
  const folder = stage(t);
  const sessions = path.join(home(folder), "sessions");
  mkdirSync(sessions);
  const server = await LiveServer.start(t, folder, { program: onSmallDisk(folder, sessions) });
  const threadId = await server.startThread(settings(folder));
  await server.turn(threadId, "with room");
  // The server's private mount is accessed through /proc.
  const inside = `/proc/${server.child.pid}/root${sessions}`;
  const filler = path.join(inside, "filler");
  assert.notEqual(spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k"], { stdio: "ignore" }).status, 0, "the disk has no end");
  // Uses up the last free bytes of the thread file's last page.
  await server.turn(threadId, `while full ${"x".repeat(20_000)}`);
  await server.turn(threadId, "still full");
  const { params } = await server.waitFor((m) => m.method === "warning" && /stored/.test(m.params.message), "the warning");
  assert.match(params.message, /disk is full/);
  const { thread: held } = await server.call("thread/read", { threadId, includeTurns: true });
  assert.equal(held.turns.length, 3, "what the disk did not store is not announced");
  rmSync(filler);
  await server.turn(threadId, "room again");
  const copy = path.join(folder, "copy");
  cpSync(inside, copy, { recursive: true });
  await server.stop();
  cpSync(copy, sessions, { recursive: true });
  const again = await LiveServer.start(t, folder);
  const { thread } = await again.call("thread/resume", { threadId });
  assert.deepEqual(
    textsOf(thread.turns).map((text) => text.slice(0, 10)),
    ["with room", "while full", "still full", "room again"],
  );
  assert.deepEqual(
    thread.turns.map((turn: Message) => turn.status),
    ["completed", "completed", "completed", "completed"],
  );
});

verifiesLive("trust.twoServers", async (t) => {
  const folder = stage(t, [
    { user: "/slow/", steps: [{ run: "while [ ! -f go ]; do sleep 0.05; done" }, { say: "late" }] },
    { user: "/./", steps: [{ say: "{{user}}" }] },
  ]);
  const [one, two] = [await LiveServer.start(t, folder), await LiveServer.start(t, folder)];
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "by one");
  await cutOff(folder);
  const turnId = await one.startTurn(threadId, "slow");
  const taken = await two.ask("thread/resume", { threadId, ...settings(folder) });
  const refused = taken.error ?? (await two.ask("turn/start", { threadId, input: [{ type: "text", text: "by two" }] })).error;
  assert.match(refused.message, new RegExp(`${one.child.pid}`), "it is not said who holds the thread");
  writeFileSync(path.join(folder, "workspace", "go"), "");
  await one.turnEnd(turnId);
  // Other threads of the same home are unaffected, and both servers list all of them.
  const other = await two.startThread(settings(folder));
  await two.turn(other, "elsewhere");
  for (const server of [one, two]) {
    const { data } = await server.call("thread/list", {});
    assert.deepEqual(new Set(data.map((thread: Message) => thread.id)), new Set([threadId, other]));
  }
  await one.stop();
  await two.call("thread/resume", { threadId, ...settings(folder) });
  assert.equal((await two.turn(threadId, "by two")).status, "completed");
  await two.stop();
  for (const file of rolloutsOf(home(folder))) for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) JSON.parse(line);
  const third = await LiveServer.start(t, folder);
  const { thread } = await third.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual(textsOf(thread.turns), ["by one", "slow", "by two"]);
});

verifiesLive("trust.heldThread", async (t) => {
  const folder = stage(t, [
    { user: "/slow/", steps: [{ say: "hm" }, { run: "sleep 60" }, { say: "never" }] },
    { user: "/./", steps: [{ say: "{{user}}" }] },
  ]);
  const [one, two] = [await LiveServer.start(t, folder), await LiveServer.start(t, folder)];
  const threadId = await one.startThread(settings(folder));
  await one.turn(threadId, "by one");
  await cutOff(folder);
  const turnId = await one.startTurn(threadId, "slow");
  await two.call("thread/resume", { threadId, ...settings(folder) });
  const writes: [string, object][] = [
    ["thread/archive", {}],
    ["thread/delete", {}],
    ["thread/metadata/update", { gitInfo: { branch: "b" } }],
    ["thread/shellCommand", { command: "true" }],
    ["thread/inject_items", { items: [{ type: "message", role: "user", content: [{ type: "input_text", text: "x" }] }] }],
    ["thread/compact/start", {}],
    ["thread/rollback", { numTurns: 1 }],
    ["review/start", { target: { type: "uncommittedChanges" } }],
  ];
  for (const [method, params] of writes) {
    const { error } = await two.ask(method, { threadId, ...params });
    assert.match(error?.message ?? `${method} went through`, new RegExp(`open in another process: pid ${one.child.pid}`));
  }
  // An accepted message outlives the server that accepted it.
  await one.call("turn/steer", { threadId, expectedTurnId: turnId, input: [{ type: "text", text: "and this" }] });
  await one.kill();
  const { thread } = await two.call("thread/resume", { threadId, ...settings(folder) });
  const last = thread.turns.at(-1).items.flatMap((item: Message) => (item.type === "userMessage" ? [item.content[0].text] : []));
  assert.deepEqual(last, ["slow", "and this"]);
  assert.equal((await two.turn(threadId, "by two")).status, "completed");
  await two.call("thread/archive", { threadId });
});

verifiesLive("trust.twoServersRace", async (t) => {
  const folder = stage(t);
  const servers = await Promise.all([1, 2, 3].map(() => LiveServer.start(t, folder)));
  const [first] = servers;
  assert.ok(first);
  const threadId = await first.startThread(settings(folder));
  await first.turn(threadId, "begun");
  await first.call("thread/unsubscribe", { threadId });
  // All compete for it repeatedly: one of them runs it at a time, what the others send joins its turn or begins another, and nothing is mixed.
  const accepted = ["begun"];
  for (let round = 0; round < 6; round++)
    await Promise.all(
      servers.map(async (server, i) => {
        const opened = await server.ask("thread/resume", { threadId, ...settings(folder) });
        if (opened.error !== undefined) return;
        const text = `${round} by ${i}`;
        const started = await server.ask("turn/start", { threadId, input: [{ type: "text", text }] });
        if (started.error === undefined) {
          accepted.push(text);
          await server.turnEnd(started.result.turn.id);
        }
        await server.ask("thread/unsubscribe", { threadId });
      }),
    );
  assert.ok(accepted.length > 3, `${accepted.length} messages`);
  for (const server of servers) await server.stop();
  const again = await LiveServer.start(t, folder);
  const { thread } = await again.call("thread/resume", { threadId });
  const items: Message[] = thread.turns.flatMap((turn: Message) => turn.items);
  const kept = items.flatMap((item) => (item.type === "userMessage" ? [item.content[0].text] : []));
  assert.deepEqual(kept.toSorted(), accepted.toSorted());
  for (const turn of thread.turns) assert.equal(turn.items.at(-1).type, "agentMessage", JSON.stringify(turn.items));
});

verifiesLive("trust.clockJumps", async (t) => {
  const folder = stage(t);
  const clock = path.join(folder, "clock");
  writeFileSync(clock, "0");
  const options: LiveOptions = { env: { NODE_OPTIONS: preload("clock"), PARLEY_TEST_CLOCK: clock } };
  const day = 24 * 3600 * 1000;
  const jumps = [0, -day, 3650 * day, -day, -3650 * day, 0];
  const server = await LiveServer.start(t, folder, options);
  const threadId = await server.startThread(settings(folder));
  const others: string[] = [];
  for (const [i, jump] of jumps.entries()) {
    writeFileSync(clock, String(jump));
    assert.equal((await server.turn(threadId, `jump ${i}`)).status, "completed");
    others.push(await server.startThread(settings(folder)));
    await server.turn(others.at(-1) ?? "", `other ${i}`);
    for (const sortKey of ["created_at", "updated_at"]) await server.call("thread/list", { sortKey });
  }
  assert.equal(new Set(others).size, jumps.length, "two threads share an id");
  const inOrder = jumps.map((_, i) => `jump ${i}`);
  const live = await server.call("thread/read", { threadId, includeTurns: true });
  assert.deepEqual(textsOf(live.thread.turns), inOrder);
  await server.stop();
  const again = await LiveServer.start(t, folder);
  const { thread } = await again.call("thread/resume", { threadId });
  assert.deepEqual(textsOf(thread.turns), inOrder, "turns are ordered by the clock");
  // Paging finds every thread exactly once, whatever its timestamps.
  for (const sortKey of ["created_at", "updated_at", "recency_at"]) {
    const seen: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: Message = await again.call("thread/list", { limit: 2, cursor, sortKey });
      seen.push(...page.data.map((entry: Message) => entry.id));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    assert.deepEqual([...seen].sort(), [threadId, ...others].sort(), sortKey);
  }
});

verifiesLive("trust.outOfMemory", async (t) => {
  const folder = stage(t, [
    { user: "/slow/", steps: [{ say: "half of it" }, { run: "true" }, { pause: 60_000 }, { say: "never" }] },
    { user: "/./", steps: [{ say: "{{user}}" }] },
  ]);
  const server = await LiveServer.start(t, folder, { env: { NODE_OPTIONS: `--max-old-space-size=64 ${preload("memory")}` } });
  const threadId = await server.startThread(settings(folder));
  await server.turn(threadId, "before");
  const turnId = await server.startTurn(threadId, "slow");
  await server.waitFor((m) => m.method === "item/completed" && m.params.item.type === "commandExecution", "the command");
  server.child.kill("SIGUSR2");
  const { code, signal, stderr } = await server.ended;
  assert.notEqual(code, 0, String(signal));
  assert.match(stderr, /heap out of memory/);
  const again = await LiveServer.start(t, folder);
  const { thread } = await again.call("thread/resume", { threadId, ...settings(folder) });
  assert.deepEqual(textsOf(thread.turns), ["before", "slow"]);
  const cut = thread.turns.find((turn: Message) => turn.id === turnId);
  assert.equal(cut.status, "interrupted");
  assert.deepEqual(
    cut.items.map((item: Message) => item.type),
    ["userMessage", "agentMessage", "commandExecution"],
  );
  assert.equal((await again.turn(threadId, "after")).status, "completed");
});

verifiesLive("trust.homeTaken", async (t) => {
  for (const harm of ["moved", "deleted"] as const) {
    const folder = stage(t, [
      { user: "/run/", steps: [{ run: "echo ran" }, { say: "did" }] },
      { user: "/./", steps: [{ say: "{{user}}" }] },
    ]);
    // This is only about what the server stores in the home, not about what it reads there at every turn.
    const scenario = path.join(folder, "scenario.json");
    renameSync(path.join(home(folder), "scenario.json"), scenario);
    rmSync(path.join(home(folder), "config.toml"));
    const server = await LiveServer.start(t, folder, { env: { PARLEY_SCENARIO: scenario } });
    const threadId = await server.startThread(settings(folder));
    await server.turn(threadId, "before");
    const moved = `${home(folder)}-moved`;
    if (harm === "moved") renameSync(home(folder), moved);
    else rmSync(home(folder), { recursive: true });
    assert.equal((await server.turn(threadId, "after")).status, "completed");
    // An open file moves with its folder; a deleted one is started again, with a warning.
    if (harm === "moved")
      assert.match(
        rolloutsOf(moved)
          .map((file) => readFileSync(file, "utf8"))
          .join(),
        /"after"/,
      );
    else await server.waitFor((m) => m.method === "warning" && /removed/.test(m.params.message), "the warning");
    const other = await server.startThread(settings(folder));
    assert.equal((await server.turn(other, "another")).status, "completed");
    assert.equal((await server.turn(other, "run")).status, "completed");
    const ran = server.messages.find((m) => m.method === "item/completed" && m.params.item.type === "commandExecution");
    assert.equal(ran?.params.item.aggregatedOutput.trim(), "ran", JSON.stringify(ran));
    const { thread } = await server.call("thread/read", { threadId: other, includeTurns: true });
    assert.deepEqual(textsOf(thread.turns), ["another", "run"]);
    await server.stop();
  }
});

verifiesLive("trust.readOnlyHome", async (t) => {
  const folder = stage(t, [{ user: "/./", steps: [{ run: "echo ran" }, { say: "{{user}}" }] }]);
  const at = home(folder);
  // A read-only mount, because root may write despite file modes.
  const program = path.join(folder, "on-read-only");
  const flags = process.getuid?.() === 0 ? "-m" : "-Urm";
  writeFileSync(
    program,
    `#!/bin/sh\nexec unshare ${flags} sh -c 'mount --bind "${at}" "${at}" && mount -o remount,bind,ro "${at}" && exec "${launcher}" app-server'\n`,
  );
  chmodSync(program, 0o700);
  const server = await LiveServer.start(t, folder, { program });
  const threadId = await server.startThread(settings(folder));
  const turn = await server.turn(threadId, "go");
  assert.equal(turn.status, "completed", JSON.stringify(turn.error));
  const { params } = await server.waitFor((m) => m.method === "warning" && /stored/.test(m.params.message), "the warning");
  assert.match(params.message, /read-only/);
  const command = server.messages.find((m) => m.method === "item/completed" && m.params.item.type === "commandExecution").params.item;
  assert.equal(command.status, "failed");
  assert.match(command.aggregatedOutput, /audit log .* cannot be written: the file system is read-only/);
  await server.stop();
  assert.ok(!existsSync(path.join(at, "sessions")));
});
