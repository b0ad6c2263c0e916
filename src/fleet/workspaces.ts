/**
 * The folders that threads of a team have asked for (`fleet.git`): made on the worker that runs the thread, saved before the end of each turn
 * is stored and so before it is announced, and known to the next worker by the thread's row.
 */
import { RepositoryRefusal } from "../core/ports/repository.ts";
import type { ThreadRecord } from "../core/ports/thread-store.ts";
import type { CheckoutSource, Checkouts, SavedFiles, ThreadWorkspaces } from "../core/ports/thread-workspace.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { Held } from "./leases.ts";
import type { WorkerState } from "./worker-state.ts";

/** What `threads.workspace` contains. */
interface Kept extends CheckoutSource {
  readonly saved: SavedFiles | null;
}

export interface FleetWorkspaces extends ThreadWorkspaces {
  /**
   * Called by the store before it appends records of a thread that this worker holds, in their order. Undefined where there is nothing to
   * wait for. What git refuses is no reason to reject.
   */
  before(held: Held, records: readonly ThreadRecord[]): Promise<void> | undefined;
  /** The thread was deleted. */
  remove(threadId: string): Promise<void>;
  /** Told once for each thing that a person should know. */
  onTrouble: (message: string) => void;
}

interface Here {
  kept: Kept;
  /** Whether the row says so too. */
  isStored: boolean;
  /** Records are appended in their order, whatever each of them waits for. */
  last: Promise<unknown>;
}

const maxKnown = 10_000;

export function createWorkspaces(worker: WorkerState, team: string, checkouts: Checkouts): FleetWorkspaces {
  return new Workspaces(worker, team, checkouts);
}

class Workspaces implements FleetWorkspaces {
  readonly #worker: WorkerState;
  readonly #team: string;
  readonly #checkouts: Checkouts;
  readonly #here = new Map<string, Here>();
  onTrouble: (message: string) => void = () => {};

  constructor(worker: WorkerState, team: string, checkouts: Checkouts) {
    this.#worker = worker;
    this.#team = team;
    this.#checkouts = checkouts;
  }

  async begin(threadId: string, config: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    try {
      const source = this.#checkouts.sourceIn(config);
      if (source === undefined) return undefined;
      const folder = await this.#checkouts.open(threadId, source, undefined);
      this.#know(threadId, { ...source, saved: null }, false);
      return folder;
    } catch (error) {
      throw error instanceof RepositoryRefusal ? invalidRequest(error.message) : error;
    }
  }

  async resume(threadId: string): Promise<string | undefined> {
    const [row] = await this.#worker.query<{ workspace: Kept | null }>("select workspace from parley.threads where id = $1 and team = $2", [
      threadId,
      this.#team,
    ]);
    const kept = row?.workspace ?? undefined;
    if (kept === undefined) return undefined;
    try {
      const folder = await this.#checkouts.open(threadId, kept, kept.saved ?? undefined);
      this.#know(threadId, kept, true);
      return folder;
    } catch (error) {
      // The thread can be read and its questions answered; what needs the folder fails by itself.
      if (!(error instanceof RepositoryRefusal)) throw error;
      this.onTrouble(`The files of thread ${threadId} are not on this worker: ${error.message}`);
      return this.#checkouts.placeOf(threadId, kept);
    }
  }

  #know(threadId: string, kept: Kept, isStored: boolean): void {
    if (this.#here.size >= maxKnown)
      for (const id of this.#here.keys()) if (this.#worker.leases.find(id) === undefined) this.#here.delete(id);
    this.#here.set(threadId, { kept, isStored, last: Promise.resolve() });
  }

  before(held: Held, records: readonly ThreadRecord[]): Promise<void> | undefined {
    const here = this.#here.get(held.id);
    if (here === undefined) return undefined;
    const next = here.last.then(() => this.#before(held, here, records));
    here.last = next.catch(() => {});
    return next;
  }

  async #before(held: Held, here: Here, records: readonly ThreadRecord[]): Promise<void> {
    if (!here.isStored) await this.#keep(held, here);
    if (!records.some((record) => record.type === "turnEnded")) return;
    const { saved, ...source } = here.kept;
    try {
      const now = await this.#checkouts.save(held.id, source, saved ?? undefined);
      if (now.warning !== undefined) this.onTrouble(`Some files of thread ${held.id} were not saved: ${now.warning}`);
      if (now.saved.commit === saved?.commit && now.saved.branch === saved.branch) return;
      here.kept = { ...source, saved: now.saved };
      here.isStored = false;
    } catch (error) {
      // The turn ends all the same: it has done its work here.
      if (!(error instanceof RepositoryRefusal)) throw error;
      this.onTrouble(`The files of thread ${held.id} were not saved; another worker would have those of the turn before: ${error.message}`);
    }
    if (!here.isStored) await this.#keep(held, here);
  }

  async #keep(held: Held, here: Here): Promise<void> {
    await this.#worker.fenced(
      held,
      "update parley.threads set workspace = $5 where id = $1 and holder = $2 and boot = $3 and epoch = $4 returning 1",
      [JSON.stringify(here.kept)],
    );
    here.isStored = true;
  }

  async remove(threadId: string): Promise<void> {
    this.#here.delete(threadId);
    await this.#checkouts.remove(threadId);
  }
}
