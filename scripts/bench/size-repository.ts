/** A git repository of many files beside an empty folder: threads, `@` search, commands with their undo snapshot, and undo itself. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Bench, inLab, openServer, type Server, type Spec } from "./lab.ts";
import type { Found, MeasureSize } from "./sizes.ts";

const commandsPerTurn = 10;
const rounds = 8;

export const measureRepository: MeasureSize = (files, programs) =>
  inLab(programs, async (bench, spec) => {
    const base = path.join(path.dirname(bench.lab.workspace), "repository");
    const folders = { large: path.join(base, "large"), empty: path.join(base, "empty") };
    try {
      makeRepository(folders.large, files);
      mkdirSync(folders.empty);
      return await measureOne(bench, spec, folders);
    } finally {
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  });

interface Folders {
  readonly large: string;
  readonly empty: string;
}

/** Ten files in each folder, three levels deep. */
function makeRepository(root: string, files: number): void {
  for (let i = 0; i < files; i++) {
    const folder = path.join(
      root,
      `package-${Math.floor(i / 5000)}`,
      `module-${Math.floor(i / 100) % 50}`,
      `part-${Math.floor(i / 10) % 10}`,
    );
    if (i % 10 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `source-file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(5));
  }
  const git = (...args: string[]): void => {
    const { status, stderr } = spawnSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@example.test", ...args], { cwd: root });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  };
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=files");
}

async function measureOne(bench: Bench, spec: Spec, folders: Folders): Promise<Found> {
  const { lab } = bench;
  const home = lab.home(`${spec.name}-repository`);
  const found = new Figures();
  try {
    const server = await openServer(lab, spec, home);
    try {
      await measureStarts(server, folders, found);
      await measureSearch(server, folders.large, found);
      await measureCommands(server, folders, found);
      if (spec.name === "ours") await measureUndo(server, folders.large, found);
      const { rssMB } = await bench.settle(server.pid, { quietMs: 500, maxMs: 10_000 });
      found.add("memory", rssMB);
    } finally {
      await server.close();
    }
  } finally {
    lab.drop(home);
  }
  return found.all;
}

class Figures {
  readonly all: Record<string, number[]> = {};

  add(row: string, value: number): void {
    this.all[row] = [...(this.all[row] ?? []), value];
  }
}

async function start(server: Server, cwd: string): Promise<{ id: string; ms: number }> {
  const { result, ms } = await server.request("thread/start", { cwd, approvalPolicy: "never", sandbox: "danger-full-access" });
  return { id: result.thread.id, ms };
}

async function measureStarts(server: Server, folders: Folders, found: Figures): Promise<void> {
  for (const folder of [folders.empty, folders.large]) await start(server, folder);
  for (let i = 0; i < rounds * 3; i++) {
    const [empty, large] = [await start(server, folders.empty), await start(server, folders.large)];
    found.add("start", large.ms);
    found.add("startRatio", large.ms / empty.ms);
  }
}

/** A name typed letter by letter, as a client sends it. */
async function measureSearch(server: Server, root: string, found: Figures): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const sessionId = `session-${round}`;
    const ask = async (method: string, params: object, query: string): Promise<number> => {
      const done = server.wait("fuzzyFileSearch/sessionUpdated", (of) => of["query"] === query && Array.isArray(of["files"]));
      const sent = performance.now();
      await server.request(method, { sessionId, ...params });
      await done;
      return performance.now() - sent;
    };
    await server.request("fuzzyFileSearch/sessionStart", { sessionId, roots: [root] });
    const word = `file-${round}42${round}`;
    for (let length = 1; length <= word.length; length++) {
      const query = word.slice(0, length);
      const ms = await ask("fuzzyFileSearch/sessionUpdate", { query }, query);
      found.add(length === 1 ? "searchFirst" : "search", ms);
    }
    await server.request("fuzzyFileSearch/sessionStop", { sessionId });
  }
}

const commands = (n: number, cmd: string): string => `bench ${JSON.stringify({ kind: "tools", n, cmd })}`;

async function measureCommands(server: Server, folders: Folders, found: Figures): Promise<void> {
  const [empty, large] = [await start(server, folders.empty), await start(server, folders.large)];
  found.add("first", (await server.turn(large.id, commands(1, "echo first > first.txt"))).ms);
  await server.turn(empty.id, commands(2, "echo first > first.txt"));
  for (let round = 0; round < rounds; round++) {
    const each = async (id: string): Promise<number> =>
      (await server.turn(id, commands(commandsPerTurn, `echo %i ${round} > written.txt`))).ms / commandsPerTurn;
    const [here, there] = round % 2 === 0 ? [await each(empty.id), await each(large.id)] : await reversed(each, large.id, empty.id);
    found.add("empty", here);
    found.add("command", there);
    found.add("commandRatio", there / here);
  }
}

async function reversed(each: (id: string) => Promise<number>, large: string, empty: string): Promise<[number, number]> {
  const there = await each(large);
  return [await each(empty), there];
}

/** Fails if the files are not as they were. */
async function measureUndo(server: Server, root: string, found: Figures): Promise<void> {
  const { id } = await start(server, root);
  for (let round = 0; round < rounds; round++) {
    const folder = path.join("package-1", `module-${round}`);
    const file = path.join(root, folder, "part-0", `source-file-${5000 + round * 100}.ts`);
    const before = readFileSync(file, "utf8");
    const cmd = `cd ${folder}; for f in part-0/*; do echo changed >> $f; done; rm part-1/*; mkdir -p new; for i in 1 2 3 4 5 6 7 8 9 0; do echo n > new/$i; done`;
    const { turn } = await server.turn(id, commands(1, cmd));
    if (readFileSync(file, "utf8") === before) throw new Error("the command changed nothing");
    const { result, ms } = await server.request("turn/revert", { threadId: id, turnId: turn.id });
    if (readFileSync(file, "utf8") !== before || result.restored?.length !== 30)
      throw new Error(`undo failed: ${JSON.stringify(result).slice(0, 300)}`);
    found.add("undo", ms);
  }
}
