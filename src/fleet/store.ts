/** The ThreadStore of one team in a fleet: records are the lines of a rollout file, in the engine's log. For a worker's App of that team. */
import type {
  Lease,
  StoredThread,
  ThreadHits,
  ThreadMeta,
  ThreadPage,
  ThreadQuery,
  ThreadRecord,
  ThreadStore,
} from "../core/ports/thread-store.ts";
import { ThreadLost } from "../core/ports/thread-store.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { isThreadId } from "../store/layout.ts";
import { modelIn } from "../store/rollout/last-model.ts";
import { parseLine } from "../store/rollout/line-records.ts";
import { gitToDisk } from "../store/rollout/session-meta.ts";
import { linesOfRecord } from "../store/rollout/write.ts";
import { type Addition, storable } from "./appender.ts";
import { headFrom, pathOf } from "./head.ts";
import type { Held, ThreadWishes } from "./leases.ts";
import { ThreadList } from "./thread-list.ts";
import { ThreadLog } from "./thread-log.ts";
import type { WorkerState } from "./worker-state.ts";
import type { FleetWorkspaces } from "./workspaces.ts";

export function createSharedStore(worker: WorkerState, team: string, workspaces?: FleetWorkspaces): ThreadStore {
  return new SharedStore(worker, team, workspaces);
}

/** Where no thread is meant, such as in a file's name. */
const noFiles = "threads of a fleet are in its engine, not in files: name the thread by its id";

class SharedStore implements ThreadStore {
  readonly #worker: WorkerState;
  readonly #team: string;
  readonly #threads: ThreadList;
  readonly #log: ThreadLog;
  readonly #workspaces: FleetWorkspaces | undefined;
  readonly isShared = true;
  onTrouble: (message: string) => void = () => {};
  onNotice: (message: string) => void = () => {};

  constructor(worker: WorkerState, team: string, workspaces: FleetWorkspaces | undefined) {
    this.#worker = worker;
    this.#team = team;
    this.#workspaces = workspaces;
    if (workspaces !== undefined) workspaces.onTrouble = (message) => this.onTrouble(message);
    this.#threads = new ThreadList(worker.query, team);
    this.#log = new ThreadLog(worker.query, worker.leases, team);
  }

  pathFor(id: string): string {
    return pathOf(id);
  }

  async append(threadId: string, records: readonly ThreadRecord[]): Promise<void> {
    const held = this.#held(threadId);
    if (held.beginning !== undefined) await held.beginning; // what follows a turn's start comes after it
    if (stateAfter(records) === "active" && this.#worker.limitsTurns(held.team)) await this.#worker.beginTurn(held);
    const waiting = this.#workspaces?.before(held, records);
    if (waiting !== undefined) await waiting;
    const addition = this.#encode(held, records);
    if (addition.lines.length > 0) await this.#worker.appender.append(held, addition);
  }

  #encode(held: Held, records: readonly ThreadRecord[]): Addition {
    const lines: string[] = [];
    const kinds: string[] = [];
    for (const record of records)
      for (const line of linesOfRecord(record, held.context).split("\n")) {
        if (line === "") continue;
        lines.push(line);
        kinds.push(record.type === "item" ? record.item.type : record.type);
      }
    const known = headFrom(records, held.hasUserMessage);
    if (known?.["hasUserMessage"] === true) held.hasUserMessage = true;
    const meta = records.find((record) => record.type === "meta")?.meta;
    const head = meta === undefined || held.onLoss === undefined ? known : { ...known, onLoss: held.onLoss };
    return {
      ...{ lines, kinds, head },
      state: stateAfter(records),
      createdMs: meta === undefined ? undefined : Math.round(meta.createdAtMs),
    };
  }

  async read(threadId: string): Promise<readonly ThreadRecord[]> {
    return isThreadId(threadId) ? await this.#log.read(threadId) : [];
  }

  /** Its records are read in one statement, and kept while they grow. */
  async readRecent(): Promise<undefined> {
    return undefined;
  }

  async adopt(file: string): Promise<string> {
    const id = file.startsWith("parley://") ? file.slice("parley://".length) : "";
    if (!isThreadId(id)) throw invalidRequest(`failed to load rollout \`${file}\`: ${noFiles}`);
    return id;
  }

  async find(threadId: string): Promise<StoredThread | undefined> {
    if (!isThreadId(threadId)) return undefined;
    await this.#worker.leases.find(threadId)?.settled;
    return await this.#threads.find(threadId);
  }

  async hasOpenTurn(threadId: string): Promise<boolean> {
    const open = "select 1 from parley.threads where id = $1 and team = $2 and state <> 'idle'";
    return isThreadId(threadId) && (await this.#worker.query(open, [threadId, this.#team])).length > 0;
  }

  async lastModel(threadId: string): ReturnType<ThreadStore["lastModel"]> {
    if (!isThreadId(threadId)) return { model: null, effort: null };
    return modelIn(await this.#log.lastLines(threadId, ["turnContext", "steered"], 1));
  }

  list(query: ThreadQuery): Promise<ThreadPage> {
    return this.#threads.list(query);
  }
  search(term: string, limit: number, among: Partial<ThreadQuery> = {}): Promise<ThreadHits> {
    return this.#threads.search(term, limit, among);
  }

  async rename(threadId: string, name: string): Promise<void> {
    await this.#change(threadId, "head = coalesce(head, '{}') || $3::jsonb", storable({ name }));
  }

  /** As in a file: the first line is repeated with the new facts, and the last one wins. */
  async updateGit(threadId: string, git: ThreadMeta["git"]): Promise<void> {
    const lease = await this.lease(threadId, "");
    try {
      const held = this.#held(threadId);
      await held.settled;
      const [line] = await this.#log.lastLines(threadId, ["meta"], 1);
      const first = line === undefined ? undefined : parseLine(line);
      if (line === undefined || first?.type !== "session_meta") return;
      const { timestamp: _, ordinal: __, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const payload = { ...first.payload, git: git == null ? undefined : gitToDisk(git) };
      const ordinal = held.context.ordinal === undefined ? {} : { ordinal: held.context.ordinal++ };
      const again = JSON.stringify({ timestamp: new Date().toISOString(), ...ordinal, ...rest, payload, parley: undefined });
      const isPaginated = first.payload["history_mode"] === "paginated";
      const lines = isPaginated ? [] : [again];
      if (isPaginated) await this.#change(threadId, "head = head || $3::jsonb", storable({ git: git ?? null }));
      else
        await this.#worker.appender.append(held, {
          ...{ lines, kinds: ["meta"], head: { git: git ?? null }, state: undefined, createdMs: undefined },
        });
    } finally {
      lease.release();
    }
  }

  archive(threadId: string): Promise<void> {
    return this.#change(threadId, "archived = $3", true);
  }
  unarchive(threadId: string): Promise<void> {
    return this.#change(threadId, "archived = $3", false);
  }
  /** Forks are copies here: none needs another thread's records. */
  async refuseForked(): Promise<void> {}

  async delete(threadId: string): Promise<void> {
    this.#log.forget(threadId);
    await this.#worker.query("delete from parley.threads where id = $1 and team = $2", [threadId, this.#team]);
    const held = this.#worker.leases.find(threadId);
    if (held !== undefined) this.#worker.leases.drop(held);
    await this.#workspaces?.remove(threadId);
  }

  /** The worker that had the thread when it was last asked for here. */
  socketOf(threadId: string): string | undefined {
    return this.#worker.leases.holderOf(threadId);
  }

  async lease(threadId: string, _client: string, config?: Readonly<Record<string, unknown>> | null): Promise<Lease> {
    if (!isThreadId(threadId)) throw new Error(`not a thread id: ${threadId}`);
    return await this.#worker.leases.lease(threadId, this.#team, wishesIn(config ?? {}));
  }

  async close(): Promise<void> {
    await Promise.all(this.#worker.leases.all.map((held) => held.settled));
    await this.#worker.leases.settled();
  }

  #held(threadId: string): Held {
    const held = this.#worker.leases.find(threadId);
    if (held === undefined || held.team !== this.#team) throw new ThreadLost(threadId);
    return held;
  }
  async #change(threadId: string, assignment: string, value: unknown): Promise<void> {
    await this.#worker.leases.find(threadId)?.settled;
    await this.#worker.query(`update parley.threads set ${assignment} where id = $1 and team = $2`, [threadId, this.#team, value]);
  }
}

function wishesIn(config: Readonly<Record<string, unknown>>): ThreadWishes {
  const table = config["fleet"] as { readonly labels?: unknown; readonly on_loss?: unknown } | undefined;
  const labels = config["fleet.labels"] ?? table?.labels ?? [];
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string"))
    throw invalidRequest("fleet.labels must be a list of texts");
  const onLoss = config["fleet.on_loss"] ?? table?.on_loss ?? undefined;
  if (onLoss !== undefined && onLoss !== "interrupt" && onLoss !== "continue")
    throw invalidRequest('fleet.on_loss must be "interrupt" or "continue"');
  return { labels, onLoss };
}

/** A fork begins with turns of another thread, which do not run in this one. */
function stateAfter(records: readonly ThreadRecord[]): Addition["state"] {
  const last = records.findLast((record) => record.type === "turnStarted" || record.type === "turnEnded");
  if (last === undefined) return undefined;
  const meta = records.find((record) => record.type === "meta")?.meta;
  return last.type === "turnStarted" && last.atMs >= (meta?.createdAtMs ?? 0) ? "active" : "idle";
}
