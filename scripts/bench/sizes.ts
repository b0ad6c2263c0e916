/** The sizes that users reach, as curves up to the size that has a limit: homes of many threads, long threads, many clients, large repositories, many live threads. */
import { loadavg } from "node:os";
import { errorMessage } from "../../src/lib/error-text.ts";
import { type Summary, summaryOf } from "./measure.ts";
import { measureClients } from "./size-clients.ts";
import { measureLargeHome } from "./size-home.ts";
import { measureRepository } from "./size-repository.ts";
import { measureLongThread } from "./size-thread.ts";
import { measureLiveThreads } from "./size-threads.ts";

export interface SizeRow {
  readonly name: string;
  readonly unit: string;
  /** At the largest size; undefined for what is only shown. */
  readonly limit?: number;
}
export interface Size {
  readonly title: string;
  readonly x: string;
  /** The last one is the size that the limits are for. */
  readonly full: readonly number[];
  readonly quick: readonly number[];
  /** Up to this size the other server is measured too; beyond it takes too long. */
  readonly codexUpTo: number;
  readonly rows: Readonly<Record<string, SizeRow>>;
}
/** What one server showed at one size: the values of each row. */
export type Found = Readonly<Record<string, readonly number[]>>;
export type MeasureSize = (at: number, programs: Programs, signal: AbortSignal) => Promise<Found>;
export interface Programs {
  readonly ours: string;
  /** The one to measure; ours writes nothing into the other's home. */
  readonly measured: string;
}

export const sizes = {
  home: {
    title: "A home of many threads",
    x: "threads",
    full: [1_000, 10_000, 100_000],
    quick: [1_000],
    codexUpTo: 10_000,
    rows: {
      first: { name: "first start: spawn → first page", unit: "ms", limit: 2_000 },
      list: { name: "list, warm", unit: "ms", limit: 5 },
      search: { name: "content search: a rare text in the oldest thread", unit: "ms", limit: 300 },
      part: { name: "content search: a part of a word", unit: "ms", limit: 300 },
      frequent: { name: "content search: a frequent word, 25 results", unit: "ms", limit: 300 },
      share: { name: "index, share of the files' size", unit: "%", limit: 3 },
      built: { name: "until all messages are in the index", unit: "s" },
      meanwhile: { name: "a small request meanwhile, p99", unit: "ms" },
    },
  },
  thread: {
    title: "A long thread",
    x: "MB",
    full: [10, 50, 200],
    quick: [10],
    codexUpTo: 200,
    rows: {
      resume: { name: "resume, with the last 20 turns", unit: "ms", limit: 1_000 },
      turns: { name: "the last 20 turns, of a thread that is not open", unit: "ms", limit: 1_000 },
      memory: { name: "memory after the resume, peak", unit: "MB", limit: 300 },
    },
  },
  clients: {
    title: "Many clients on one thread, a tenth of them never reads",
    x: "clients",
    full: [50, 200, 500],
    quick: [50],
    codexUpTo: 0,
    rows: {
      alone: { name: "a turn of 500 deltas of 2 kB, all read", unit: "ms" },
      beside: { name: "the same beside those who do not", unit: "ms" },
      ratio: { name: "what they cost the others", unit: "×", limit: 1.3 },
      memory: { name: "memory, peak", unit: "MB", limit: 600 },
      closed: { name: "slow clients that were disconnected", unit: "" },
    },
  },
  repository: {
    title: "A git repository of many files, ten in each folder",
    x: "files",
    full: [10_000, 50_000, 150_000],
    quick: [10_000],
    codexUpTo: 150_000,
    rows: {
      start: { name: "thread/start", unit: "ms" },
      startRatio: { name: "thread/start: ratio to an empty folder", unit: "×", limit: 1.1 },
      searchFirst: { name: "`@` search: first letter of a session", unit: "ms" },
      search: { name: "`@` search: a further letter", unit: "ms", limit: 30 },
      first: { name: "first command of a server, as soon as its turn begins", unit: "ms" },
      empty: { name: "a command that writes a file, in an empty folder", unit: "ms" },
      command: { name: "the same in the repository, with its snapshot for undo", unit: "ms" },
      commandRatio: { name: "ratio of the two, turn by turn", unit: "×", limit: 1.3 },
      undo: { name: "undo of 30 files that a command changed", unit: "ms" },
      memory: { name: "memory afterwards", unit: "MB" },
    },
  },
  threads: {
    title: "Many live threads in one server, a tenth of them streams 20 deltas a second",
    x: "threads",
    full: [10, 100, 1_000],
    quick: [100],
    codexUpTo: 1_000,
    rows: {
      startEmpty: { name: "thread/start in an empty server", unit: "ms" },
      startFull: { name: "thread/start beside the others", unit: "ms" },
      startRatio: { name: "ratio of the two", unit: "×", limit: 1.5 },
      startStreaming: { name: "thread/start while they stream", unit: "ms" },
      p50: { name: "event latency, p50", unit: "ms" },
      p99: { name: "event latency, p99", unit: "ms", limit: 50 },
      idle: { name: "memory, all idle", unit: "MB" },
      peak: { name: "memory, peak", unit: "MB", limit: 600 },
    },
  },
} as const satisfies Record<string, Size>;
export type SizeName = keyof typeof sizes;

const measures: Readonly<Record<SizeName, MeasureSize>> = {
  home: measureLargeHome,
  thread: measureLongThread,
  clients: measureClients,
  repository: measureRepository,
  threads: measureLiveThreads,
};

export interface SizeFigures {
  readonly when: string;
  readonly load: { readonly before: number; readonly highest: number };
  readonly points: readonly SizePoint[];
}
export interface SizePoint {
  readonly size: SizeName;
  readonly at: number;
  /** When it was measured and at what load; without them, in the run that the figures are of. */
  readonly when?: string;
  readonly load?: number;
  /** Undefined: it failed. */
  readonly ours: Readonly<Record<string, Summary>> | undefined;
  readonly codex: Readonly<Record<string, Summary>> | undefined;
}

export interface SizePlan {
  readonly ours: string;
  readonly codex: string | undefined;
  readonly quick: boolean;
  readonly only?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export async function measureSizes({ ours, codex, quick, only, signal }: SizePlan): Promise<SizeFigures> {
  const before = loadavg()[0] ?? 0;
  const load = [before];
  const points: SizePoint[] = [];
  for (const size of Object.keys(sizes) as SizeName[]) {
    if (only !== undefined && !only.includes(size)) continue;
    for (const at of quick ? sizes[size].quick : sizes[size].full) {
      const measured = async (program: string): Promise<Record<string, Summary> | undefined> => {
        if (signal.aborted) return undefined;
        const started = performance.now();
        try {
          const found = await measures[size](at, { ours, measured: program }, signal);
          return Object.fromEntries(Object.entries(found).map(([row, values]) => [row, summaryOf(values)]));
        } catch (error) {
          process.stderr.write(`sizes: ${size} ${at}: FAILED ${errorMessage(error)}\n`);
          return undefined;
        } finally {
          const seconds = ((performance.now() - started) / 1000).toFixed(0);
          process.stderr.write(`sizes: ${size} ${at}, ${program === ours ? "ours" : "codex"}: ${seconds} s\n`);
        }
      };
      const own = await measured(ours);
      const theirs = codex !== undefined && at <= sizes[size].codexUpTo ? await measured(codex) : undefined;
      const now = loadavg()[0] ?? 0;
      if (!signal.aborted) points.push({ size, at, when: new Date().toISOString(), load: now, ours: own, codex: theirs });
      load.push(now);
    }
  }
  return { when: new Date().toISOString(), load: { before, highest: Math.max(...load) }, points };
}
