/** Paths that are not regular files, or are endless: in a cloned project, behind a model's view_image, in a home shared with other programs. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, settings, stage, textsOf } from "../support/live-stage.ts";
import { type OddKind, plantOdd } from "../support/odd-files.ts";

/** Longer than a start, a list and a turn take on any machine. */
const patienceMs = 30_000;
/** A working server takes 60 to 200 MB; each attack used to take gigabytes. */
const maxMemoryMB = 450;

const peakMemoryMB = (server: LiveServer): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]) / 1024;

/** Everything that reads a project: settings, hooks, skills, instructions, the repository, files, a turn. */
async function tryProject(server: LiveServer, cwd: string, what: string): Promise<void> {
  const asked: [string, object][] = [
    ["thread/start", { cwd, sandbox: "read-only", approvalPolicy: "never" }],
    ["config/read", { cwd, includeLayers: true }],
    ["hooks/list", { cwds: [cwd] }],
    ["skills/list", { cwds: [cwd], forceReload: true }],
    ["fuzzyFileSearch", { query: "a", roots: [cwd] }],
    ["gitDiffToRemote", { cwd }],
  ];
  let threadId: string | undefined;
  for (const [method, params] of asked) {
    const { result, error } = await server.ask(method, params, patienceMs);
    assert.notEqual(error?.code, -32603, `${method} with ${what}: ${error?.message}`);
    threadId ??= result?.thread?.id;
  }
  if (threadId !== undefined) await server.turn(threadId, "hello $odd", {}, patienceMs);
  assert.ok(peakMemoryMB(server) < maxMemoryMB, `${what}: ${peakMemoryMB(server)} MB`);
}

const gitFiles = ["HEAD", "config", "index", "packed-refs", "commondir", "refs/heads/main", "info/exclude", "shallow"].map(
  (name) => `.git/${name}`,
);
const places = [
  ...[".codex/config.toml", ".codex/hooks.json", ".codex", ".agents/skills/odd/SKILL.md", ".agents/skills/odd/agents/openai.yaml"],
  ...["AGENTS.md", "AGENTS.override.md", ".gitignore", ".ignore", ".git", "plain.txt", ...gitFiles],
];
const kinds: readonly OddKind[] = ["pipe", "zero", "sparse", "loop", "socket"];

for (const trust of ["untrusted", "trusted"])
  verifiesLive(
    "trust.oddProjectFiles",
    async (t) => {
      const folder = stage(t);
      const projects = kinds.flatMap((kind) =>
        places.map((place) => ({ kind, place, cwd: path.join(folder, `${kind} ${places.indexOf(place)}`) })),
      );
      const levels = projects.map(({ cwd }) => `[projects.${JSON.stringify(cwd)}]\ntrust_level = "${trust}"\n`);
      appendFileSync(path.join(home(folder), "config.toml"), `\n${levels.join("")}`);
      const server = await LiveServer.start(t, folder);
      for (const { kind, place, cwd } of projects) {
        if (place.startsWith(".git/")) writeUnless(place, path.join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
        plantOdd(kind, path.join(cwd, place));
        await tryProject(server, cwd, `${place} as ${kind}`);
      }
      // The worktree's record in the main repository, which a .git file refers to.
      const record = path.join(folder, "main/.git/worktrees/w");
      for (const name of ["gitdir", "commondir", "HEAD"]) plantOdd("pipe", path.join(record, name));
      writeFileSync(path.join(folder, "workspace/.git"), `gitdir: ${record}\n`);
      await tryProject(server, path.join(folder, "workspace"), "a worktree's record");
      // Branch folders that link back to their parent, twice: an endless tree.
      const refs = path.join(folder, "refs/.git/refs/remotes");
      writeUnless("", path.join(folder, "refs/.git/HEAD"), `${"0".repeat(40)}\n`);
      mkdirSync(refs, { recursive: true });
      for (const name of ["a", "b"]) symlinkSync(".", path.join(refs, name));
      await tryProject(server, path.join(folder, "refs"), "refs that lead to themselves");
      await server.stop();
    },
    { detail: trust },
  );

function writeUnless(place: string, file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (!file.endsWith(`/${place}`)) writeFileSync(file, text);
}

verifiesLive("trust.oddImages", async (t) => {
  const looks = (kind: OddKind) => Array.from({ length: 6 }, (_, i) => ({ call: "view_image", with: { path: `${kind}-${i}.png` } }));
  const folder = stage(t, [
    { user: "/pipes/", steps: [...looks("pipe"), { say: "seen" }] },
    { user: "/sparse/", steps: [...looks("sparse"), ...looks("zero"), { say: "seen" }] },
    { user: "/wait/", steps: [{ run: "sleep 60" }] },
  ]);
  for (const kind of ["pipe", "sparse", "zero"] as const)
    for (let i = 0; i < 6; i++) plantOdd(kind, path.join(folder, "workspace", `${kind}-${i}.png`));
  const server = await LiveServer.start(t, folder);
  const threadId = await server.startThread(settings(folder));
  for (const text of ["pipes", "sparse"]) assert.equal((await server.turn(threadId, text, {}, patienceMs)).status, "completed");
  // The file I/O threads are not blocked: an interrupt gets through, and a bad attachment is refused with an error message.
  const turnId = await server.startTurn(threadId, "wait");
  await server.waitFor((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
  await server.call("turn/interrupt", { threadId, turnId });
  assert.equal((await server.turnEnd(turnId, patienceMs)).status, "interrupted");
  const image = path.join(folder, "workspace/pipe-0.png");
  const { result } = await server.ask("turn/start", { threadId, input: [{ type: "localImage", path: image }] }, patienceMs);
  if (result !== undefined) await server.turnEnd(result.turn.id, patienceMs);
  assert.ok(peakMemoryMB(server) < maxMemoryMB, `${peakMemoryMB(server)} MB`);
});

/** A compressed Codex file: a thread header, then as many bytes as the attacker likes. */
function packedThread(folder: string, id: string, rest: Buffer): string {
  const day = path.join(home(folder), "sessions/2026/01/02");
  mkdirSync(day, { recursive: true });
  const meta = { id, timestamp: "2026-01-02T03:04:05.000Z", cwd: "/", originator: "x", cli_version: "1", source: "cli" };
  const lines = [
    { timestamp: meta.timestamp, type: "session_meta", payload: meta },
    { timestamp: meta.timestamp, type: "event_msg", payload: { type: "user_message", message: "packed words" } },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const file = path.join(day, `rollout-2026-01-02T03-04-05-${id}.jsonl.zst`);
  writeFileSync(file, zstdCompressSync(Buffer.concat([Buffer.from(text), rest])));
  return file;
}

verifiesLive("trust.packedBomb", async (t) => {
  const folder = stage(t);
  const giant = Buffer.alloc(1.5 * 1024 ** 3, 32);
  const [bomb, bad, good] = [1, 2, 3].map((n) => `0199aaaa-0000-7000-8000-00000000000${n}`) as [string, string, string];
  packedThread(folder, bomb, giant);
  // Only the decompression bomb, without a line end.
  const day = path.join(home(folder), "sessions/2026/01/02");
  writeFileSync(path.join(day, `rollout-2026-01-02T03-04-05-${bad}.jsonl.zst`), zstdCompressSync(giant));
  packedThread(
    folder,
    good,
    Buffer.from(`${JSON.stringify({ type: "event_msg", payload: { type: "agent_message", message: "needle" } })}\n`),
  );
  const server = await LiveServer.start(t, folder);
  const { data } = await server.call("thread/list", {});
  assert.deepEqual(new Set(data.map((thread: { id: string }) => thread.id)), new Set([bomb, good]));
  for (const thread of data) assert.equal(thread.preview, "packed words");
  const { data: hits } = await server.call("thread/search", { searchTerm: "needle" });
  assert.deepEqual(
    hits.map((hit: { thread: { id: string } }) => hit.thread.id),
    [good],
  );
  const refused = await server.ask("thread/resume", { threadId: bomb, ...settings(folder) }, patienceMs);
  assert.match(refused.error?.message ?? "resumed", /larger|unpack/i);
  await server.ask("thread/read", { threadId: bad, includeTurns: true }, patienceMs);
  const { thread } = await server.call("thread/resume", { threadId: good, ...settings(folder) });
  assert.deepEqual(textsOf(thread.turns), ["packed words"]);
  const { status, error } = await server.turn(good, "and on");
  assert.equal(status, "completed", JSON.stringify(error));
  assert.ok(peakMemoryMB(server) < maxMemoryMB, `${peakMemoryMB(server)} MB`);
});
