/** The part of the shared benchmark that the bench command uses: scenarios, servers in homes of their own, and clones of threads. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export interface Spec {
  /** `release` is what the gate compares with. */
  readonly name: "codex" | "ours" | "release";
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Who wrote the stored threads; both servers are measured on the same. */
  recordWith?: Spec;
  /** What it wrote, so that it does so once. */
  recorded?: Promise<Recording>;
}
export type Figures = Readonly<Record<string, number | string>>;

export interface Answer {
  /** The results of thread/start, thread/list and turn/revert; others are ignored. */
  readonly result: { readonly thread: { readonly id: string }; readonly restored?: readonly string[]; readonly nextCursor?: string | null };
  readonly ms: number;
  readonly at: number;
}
export interface Server {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly spawnedAt: number;
  initialize(): Promise<Answer>;
  request(method: string, params: object, timeoutMs?: number): Promise<Answer>;
  turn(
    threadId: string,
    text: string,
    extra?: object,
    timeoutMs?: number,
  ): Promise<{ readonly ms: number; readonly turn: { readonly id: string } }>;
  send(message: object): void;
  /** Calls for every such notification, until the returned function is called. */
  on(method: string, listener: (params: Readonly<Record<string, unknown>>, at: number) => void): () => void;
  /** Answers a request of the server. */
  onRequest: (message: Readonly<Record<string, unknown>>) => object;
  /** Resolves at the next such notification. */
  wait(method: string, fits: (params: Readonly<Record<string, unknown>>) => boolean): Promise<unknown>;
  /** Sees every line first; true: it need not be parsed. */
  tap: ((line: string, at: number) => boolean) | null;
  close(): Promise<number>;
}
export interface Lab {
  readonly workspace: string;
  home(label: string): string;
  drop(home: string): void;
  server(spec: Spec, home: string): Server;
}
export interface Recording {
  readonly small: unknown;
  readonly big: unknown;
}

export interface Bench {
  readonly lab: Lab;
  readonly scenarios: Readonly<Record<string, (lab: Lab, spec: Spec, options: { readonly quick: boolean }) => Promise<Figures>>>;
  record(lab: Lab, spec: Spec): Promise<Recording>;
  cloneSmall(home: string, small: unknown, count: number, at: { readonly endMs: number; readonly gapMs: number }): unknown;
  cloneBig(home: string, big: unknown, items: number, at: { readonly endMs: number }): { readonly id: string };
  /** Resolves when a server has been idle for a while. */
  settle(pid: number, limits: { readonly quietMs: number; readonly maxMs: number }): Promise<{ readonly rssMB: number }>;
  /** Follows the memory of a process and its children until the returned function is called, which gives the highest in MB. */
  watchPeak(pid: number, everyMs: number): () => number;
  /** Milliseconds of processor time that a process has used, without its children. */
  cpuMs(pid: number): number;
  /** The clock stamps in a text that the model wrote: when each was sent. */
  stamps(text: string): readonly (readonly [tag: string, ms: number])[];
  /** Ends every remaining server, and the model. May be called again. */
  stop(): void;
}

/** Undefined if the shared folder is not beside the checkout. */
export async function openBench(shared: string, root: string): Promise<Bench | undefined> {
  const lib = path.join(shared, "bench", "lib");
  if (!existsSync(path.join(lib, "scenarios.mjs"))) return undefined;
  const load = (name: string) => import(pathToFileURL(path.join(lib, name)).href);
  const [{ Lab, startMock }, { scenarios }, { record, cloneSmall, cloneBig }, { settle, watchPeak, cpuFine }, { stamps }] =
    await Promise.all(["lab.mjs", "scenarios.mjs", "store.mjs", "proc.mjs", "clock.mjs"].map(load));
  const mock = await startMock();
  const lab: Lab = new Lab({ root, mock });
  const servers = new Set<Server>();
  const start = lab.server.bind(lab);
  lab.server = (spec, home) => {
    const server = start(spec, home);
    servers.add(server);
    const turn = server.turn.bind(server);
    server.turn = (threadId, text, extra, timeoutMs) => turn(threadId, withoutLoop(text), extra, timeoutMs);
    server.child.once("exit", () => servers.delete(server));
    return server;
  };
  const stop = (): void => {
    for (const { child } of servers) child.kill("SIGKILL");
    if (mock.child.connected) mock.stop(); // a signal from the terminal reaches it too
  };
  return { lab, scenarios, record, cloneSmall, cloneBig, settle, watchPeak, cpuMs: cpuFine, stamps, stop };
}

/** The shared play has a hundred commands that are all the same, and we stop a turn that goes round in circles: here each prints its number. */
const withoutLoop = (text: string): string => text.replace('"cmd":"echo ok"', '"cmd":"echo ok %i"');

/** A server that was initialized with everything that it has to offer. */
export async function openServer(lab: Lab, spec: Spec, home: string): Promise<Server> {
  const server = lab.server(spec, home);
  const clientInfo = { name: "bench", title: "bench", version: "0.0.0" };
  await server.request("initialize", { clientInfo, capabilities: { experimentalApi: true } });
  server.send({ method: "initialized" });
  return server;
}

/** Both measured programs have the same name for their server. The data are beside the checkout's packages: below a temp folder a sandbox is stricter. */
export async function inLab<T>(
  { ours, measured }: { readonly ours: string; readonly measured: string },
  work: (bench: Bench, spec: Spec) => Promise<T>,
): Promise<T> {
  const root = path.resolve(import.meta.dirname, "../..");
  const place = path.join(root, "node_modules/.cache/parley-bench", `size-${process.pid}`);
  mkdirSync(place, { recursive: true });
  const bench = await openBench(process.env["PARLEY_SHARED"] ?? path.resolve(root, "../shared"), place);
  try {
    if (bench === undefined) throw new Error("the shared benchmark is not there (PARLEY_SHARED)");
    return await work(bench, { name: measured === ours ? "ours" : "codex", command: `'${measured}' app-server`, env: {} });
  } finally {
    bench?.stop();
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
