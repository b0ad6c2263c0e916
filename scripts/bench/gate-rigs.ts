/**
 * How the gate measures each row of rows.ts: short samples that can be taken in turn from two servers, the last release and this commit. The
 * shared scenarios measure the same, but seconds at a time, in which other load on the machine changes.
 */
import { readdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, openServer, type Recording, type Server, type Spec } from "./lab.ts";

/** Figures by the id of their row. */
export type Sample = Readonly<Record<string, number>>;

export interface Rig {
  sample(): Promise<Sample>;
  close(): Promise<void>;
}

export interface Gauge {
  readonly name: string;
  readonly rows: readonly string[];
  /** Samples of each server in a round. */
  readonly pairs: number;
  /** What is measured does not depend on what else runs. */
  readonly isParallel?: boolean;
  open(bench: Bench, spec: Spec): Promise<Rig>;
}

const pause = 20;
const directive = (what: object): string => `bench ${JSON.stringify(what)}`;
const wallClock = (): number => performance.timeOrigin + performance.now();
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const startThread = async (server: Server, { lab }: Bench, extra: object = {}): Promise<string> =>
  (await server.request("thread/start", { cwd: lab.workspace, ...extra })).result.thread.id;

/** The middle one of several samples: what takes a few milliseconds varies with everything else on the machine. */
async function middle(count: number, take: () => Promise<Sample>): Promise<Sample> {
  const taken: Sample[] = [];
  for (let i = 0; i < count; i++) taken.push(await take());
  const of = (row: string): number => taken.map((sample) => sample[row] ?? Number.NaN).sort((a, b) => a - b)[count >> 1] ?? Number.NaN;
  return Object.fromEntries(Object.keys(taken[0] ?? {}).map((row) => [row, of(row)]));
}

/** A home in which the server was started once. */
async function usedHome(bench: Bench, spec: Spec): Promise<string> {
  const home = bench.lab.home(`gate-${spec.name}`);
  await oneStart(bench, spec, home);
  return home;
}

async function oneStart({ lab }: Bench, spec: Spec, home: string): Promise<{ readonly initialize: number; readonly thread: number }> {
  const server = lab.server(spec, home);
  try {
    const first = await server.initialize();
    const second = await server.request("thread/start", { cwd: lab.workspace });
    return { initialize: first.at - server.spawnedAt, thread: second.at - server.spawnedAt };
  } finally {
    await server.close();
  }
}

/** A server that runs for all samples of a round. */
async function onServer(bench: Bench, spec: Spec, prepare: (server: Server) => Promise<() => Promise<Sample>>): Promise<Rig> {
  const home = await usedHome(bench, spec);
  const server = await openServer(bench.lab, spec, home);
  const sample = await prepare(server);
  return {
    sample,
    async close() {
      await server.close();
      bench.lab.drop(home);
    },
  };
}

const starts: Gauge = {
  name: "starts in a used home",
  rows: ["start-initialize", "start-thread"],
  pairs: 16,
  async open(bench, spec) {
    const home = await usedHome(bench, spec);
    return {
      async sample() {
        const { initialize, thread } = await oneStart(bench, spec, home);
        return { "start-initialize": initialize, "start-thread": thread };
      },
      close: async () => bench.lab.drop(home),
    };
  },
};

const firstStarts: Gauge = {
  name: "starts in an empty home",
  rows: ["first-initialize", "first-thread"],
  pairs: 12,
  open: async (bench, spec) => ({
    async sample() {
      const home = bench.lab.home(`gate-${spec.name}`);
      const { initialize, thread } = await oneStart(bench, spec, home);
      bench.lab.drop(home);
      return { "first-initialize": initialize, "first-thread": thread };
    },
    close: async () => {},
  }),
};

const memory: Gauge = {
  name: "idle memory",
  rows: ["memory-idle"],
  pairs: 6,
  isParallel: true,
  open: async (bench, spec) => ({
    async sample() {
      const home = await usedHome(bench, spec);
      const server = await openServer(bench.lab, spec, home);
      await startThread(server, bench);
      const { rssMB } = await bench.settle(server.pid, { quietMs: 1500, maxMs: 15_000 });
      await server.close();
      bench.lab.drop(home);
      return { "memory-idle": rssMB };
    },
    close: async () => {},
  }),
};

const turns: Gauge = {
  name: "one-token turns",
  rows: ["turn", "turn-cpu", "first-delta"],
  pairs: 30,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const thread = await startThread(server, bench);
      let text = "";
      let firstAt = 0;
      server.on("item/agentMessage/delta", ({ delta }, at) => {
        if (text === "") firstAt = at;
        text += String(delta);
      });
      const sample = async (): Promise<Sample> => {
        await sleep(pause);
        text = "";
        const before = bench.cpuMs(server.pid);
        const { ms } = await server.turn(thread, "hello");
        await sleep(pause / 2); // what follows the last notification belongs to the turn
        const written = bench.stamps(text).find(([tag]) => tag === "")?.[1] ?? Number.NaN;
        return { turn: ms, "turn-cpu": bench.cpuMs(server.pid) - before, "first-delta": firstAt - written };
      };
      await middle(5, sample);
      return () => middle(3, sample);
    }),
};

const streams: Gauge = {
  name: "a stream of 4,000 deltas",
  rows: ["stream-rate", "stream-cpu"],
  pairs: 12,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const thread = await startThread(server, bench);
      const sample = async (): Promise<Sample> => {
        const seen = { first: 0, last: 0, count: 0 };
        server.tap = (line, at) => {
          if (!line.includes('"item/agentMessage/delta"')) return false;
          for (const [tag, ms] of bench.stamps(line)) {
            if (tag !== "") continue;
            seen.first ||= ms;
            seen.count++;
          }
          seen.last = at;
          return true;
        };
        const before = bench.cpuMs(server.pid);
        await server.turn(thread, directive({ kind: "message", n: 4000, rate: 0 }));
        server.tap = null;
        return {
          "stream-rate": seen.count / (seen.last - seen.first),
          "stream-cpu": (bench.cpuMs(server.pid) - before) / seen.count,
        };
      };
      for (let i = 0; i < 2; i++) await sample();
      return sample;
    }),
};

const commands: Gauge = {
  name: "commands",
  rows: ["commands-full", "commands-sandboxed"],
  pairs: 12,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const threadOf = (sandbox: string): Promise<string> => startThread(server, bench, { approvalPolicy: "never", sandbox });
      const [full, sandboxed] = [await threadOf("danger-full-access"), await threadOf("workspace-write")];
      const each = async (thread: string): Promise<number> =>
        (await server.turn(thread, directive({ kind: "tools", n: 6, cmd: "echo ok %i" }))).ms / 6;
      const sample = async (): Promise<Sample> => ({ "commands-full": await each(full), "commands-sandboxed": await each(sandboxed) });
      await sample();
      return sample;
    }),
};

const approvals: Gauge = {
  name: "approvals",
  rows: ["approval"],
  pairs: 12,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const thread = await startThread(server, bench, { approvalPolicy: "untrusted", sandbox: "danger-full-access" });
      let answeredAt = 0;
      let waits: number[] = [];
      server.onRequest = () => {
        answeredAt = wallClock();
        return { decision: "accept" };
      };
      server.on("item/completed", (params) => {
        const item = params["item"] as { readonly type: string; readonly aggregatedOutput?: string };
        if (item.type === "commandExecution") waits.push(Number(item.aggregatedOutput?.trim()) / 1e6 - answeredAt);
      });
      const sample = async (): Promise<Sample> => {
        waits = [];
        await server.turn(thread, directive({ kind: "tools", n: 4, cmd: "date +%s%N", mark: true }));
        return { approval: waits.toSorted((a, b) => a - b)[1] ?? Number.NaN };
      };
      await sample();
      return sample;
    }),
};

const sandboxedExec: Gauge = {
  name: "command/exec in the sandbox",
  rows: ["exec-sandboxed"],
  pairs: 24,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const sandboxPolicy = { type: "workspaceWrite", writableRoots: [], networkAccess: false };
      const sample = async (): Promise<Sample> => {
        const begun = monotonicMs();
        for (let i = 0; i < 3; i++)
          await server.request("command/exec", { command: ["true"], cwd: bench.lab.workspace, timeoutMs: 10_000, sandboxPolicy });
        return { "exec-sandboxed": 3 / (monotonicMs() - begun) };
      };
      for (let i = 0; i < 2; i++) await sample();
      return sample;
    }),
};

const manyThreads: Gauge = {
  name: "20 threads at once",
  rows: ["threads-done", "threads-memory"],
  pairs: 8,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const threads: string[] = [];
      for (let i = 0; i < 20; i++) threads.push(await startThread(server, bench));
      const sample = async (): Promise<Sample> => {
        const peak = bench.watchPeak(server.pid, 100);
        const begun = monotonicMs();
        await Promise.all(threads.map((id) => server.turn(id, directive({ kind: "message", n: 40, rate: 0 }))));
        return { "threads-done": monotonicMs() - begun, "threads-memory": peak() };
      };
      await sample();
      return sample;
    }),
};

const output: Gauge = {
  name: "10 MB of output",
  rows: ["output-turn", "output-memory"],
  pairs: 10,
  open: (bench, spec) =>
    onServer(bench, spec, async (server) => {
      const thread = await startThread(server, bench, { approvalPolicy: "never", sandbox: "danger-full-access" });
      const cmd = "yes 'the quick brown fox jumps over the lazy dog 0123456789 abcdefghijk' | head -c 10485760";
      const sample = async (): Promise<Sample> => {
        const peak = bench.watchPeak(server.pid, 50);
        const { ms } = await server.turn(thread, directive({ kind: "tools", n: 1, cmd }));
        return { "output-turn": ms, "output-memory": peak() };
      };
      await sample();
      return sample;
    }),
};

/** Threads that the release has written, for both servers. */
async function recordingOf(bench: Bench, spec: Spec): Promise<Recording> {
  const by = spec.recordWith ?? spec;
  by.recorded ??= bench.record(bench.lab, by);
  return await by.recorded;
}

const listed = 500;
function filledHome(bench: Bench, spec: Spec, { small }: Recording): string {
  const home = bench.lab.home(`gate-${spec.name}-store`);
  const endMs = Date.now() - 3_600_000;
  bench.cloneSmall(home, small, listed, { endMs, gapMs: 600_000 });
  age(path.join(home, "sessions"), endMs / 1000);
  return home;
}

/** Folders that changed a moment ago are read anew by each list: of two homes the younger one seemed slower, up to nearly four times. */
function age(folder: string, seconds: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) age(path.join(folder, entry.name), seconds);
  utimesSync(folder, seconds, seconds);
}

const firstPages: Gauge = {
  name: "the first start on stored threads",
  rows: ["first-page"],
  pairs: 10,
  async open(bench, spec) {
    const recording = await recordingOf(bench, spec);
    return {
      async sample() {
        const home = filledHome(bench, spec, recording);
        const server = await openServer(bench.lab, spec, home);
        const { at } = await server.request("thread/list", { limit: 50 });
        await server.close();
        bench.lab.drop(home);
        return { "first-page": at - server.spawnedAt };
      },
      close: async () => {},
    };
  },
};

const lists: Gauge = {
  name: "lists of stored threads",
  rows: ["list-warm", "list-updated", "list-all"],
  pairs: 30,
  async open(bench, spec) {
    const home = filledHome(bench, spec, await recordingOf(bench, spec));
    const server = await openServer(bench.lab, spec, home);
    const list = (extra: object): ReturnType<Server["request"]> => server.request("thread/list", { limit: 50, ...extra });
    const sample = async (): Promise<Sample> => {
      const short = await middle(5, async () => ({
        "list-warm": (await list({})).ms,
        "list-updated": (await list({ sortKey: "updated_at" })).ms,
      }));
      const begun = monotonicMs();
      let cursor: string | null | undefined = null;
      do cursor = (await list({ limit: 100, cursor })).result.nextCursor;
      while (typeof cursor === "string");
      return { ...short, "list-all": monotonicMs() - begun };
    };
    await middle(2, sample);
    await bench.settle(server.pid, { quietMs: 500, maxMs: 5000 });
    return {
      sample,
      async close() {
        await server.close();
        bench.lab.drop(home);
      },
    };
  },
};

const longThreads: Gauge = {
  name: "a new process on stored threads, and a long one",
  rows: ["list-updated-first", "read-long", "resume-long"],
  pairs: 8,
  async open(bench, spec) {
    const recording = await recordingOf(bench, spec);
    const home = filledHome(bench, spec, recording);
    const { id: threadId } = bench.cloneBig(home, recording.big, 2000, { endMs: Date.now() - 3_630_000 });
    const sample = async (): Promise<Sample> => {
      const server = await openServer(bench.lab, spec, home);
      try {
        await server.request("thread/list", { limit: 50 });
        const updated = await server.request("thread/list", { limit: 50, sortKey: "updated_at" });
        const resumed = await server.request("thread/resume", { threadId });
        const read = await server.request("thread/read", { threadId, includeTurns: true });
        return { "list-updated-first": updated.ms, "resume-long": resumed.ms, "read-long": read.ms };
      } finally {
        await server.close();
      }
    };
    await sample();
    return { sample, close: async () => bench.lab.drop(home) };
  },
};

export const gauges: readonly Gauge[] = [
  ...[starts, firstStarts, memory, turns, streams, commands, approvals, sandboxedExec, manyThreads, output],
  ...[firstPages, lists, longThreads],
];
