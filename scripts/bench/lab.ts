/** The part of the shared benchmark that the bench command uses: scenarios, servers in homes of their own, and clones of threads. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export interface Spec {
  readonly name: "codex" | "ours";
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Who wrote the stored threads; both servers are measured on the same. */
  recordWith?: Spec;
}
export type Figures = Readonly<Record<string, number | string>>;

export interface Answer {
  /** The result of thread/start; other results are ignored. */
  readonly result: { readonly thread: { readonly id: string } };
  readonly ms: number;
  readonly at: number;
}
export interface Server {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly spawnedAt: number;
  initialize(): Promise<Answer>;
  request(method: string, params: object, timeoutMs?: number): Promise<Answer>;
  turn(threadId: string, text: string, extra?: object, timeoutMs?: number): Promise<{ readonly ms: number }>;
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
  settle(pid: number, limits: { readonly quietMs: number; readonly maxMs: number }): Promise<unknown>;
  /** Ends every remaining server, and the model. May be called again. */
  stop(): void;
}

/** Undefined if the shared folder is not beside the checkout. */
export async function openBench(shared: string, root: string): Promise<Bench | undefined> {
  const lib = path.join(shared, "bench", "lib");
  if (!existsSync(path.join(lib, "scenarios.mjs"))) return undefined;
  const load = (name: string) => import(pathToFileURL(path.join(lib, name)).href);
  const [{ Lab, startMock }, { scenarios }, { record, cloneSmall, cloneBig }, { settle }] = await Promise.all(
    ["lab.mjs", "scenarios.mjs", "store.mjs", "proc.mjs"].map(load),
  );
  const mock = await startMock();
  const lab: Lab = new Lab({ root, mock });
  const servers = new Set<Server>();
  const start = lab.server.bind(lab);
  lab.server = (spec, home) => {
    const server = start(spec, home);
    servers.add(server);
    server.child.once("exit", () => servers.delete(server));
    return server;
  };
  const stop = (): void => {
    for (const { child } of servers) child.kill("SIGKILL");
    if (mock.child.connected) mock.stop(); // a signal from the terminal reaches it too
  };
  return { lab, scenarios, record, cloneSmall, cloneBig, settle, stop };
}
