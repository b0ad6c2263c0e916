/** A front: serves clients and runs no thread. It looks after its clients' threads, wherever they are. */
import type { FleetRegistry, FleetUser, FleetWorker } from "../core/ports/fleet.ts";
import { errorMessage } from "../lib/error-text.ts";
import type { Transport } from "../rpc/transport.ts";
import { FrontClient, type FrontServices } from "./client.ts";
import { FleetView, type FleetViewOptions, sameWorker } from "./fleet-view.ts";
import type { WorkerLink } from "./routes.ts";
import { Waking } from "./waking.ts";

export interface FrontOptions extends Omit<FrontServices, "fleet" | "waking">, Pick<FleetViewOptions, "knock"> {
  readonly registry: FleetRegistry;
}

/** All threads that clients follow are compared with the registry this often; those of leaving workers with each look. */
const sweepMs = 2000;

export class Front {
  readonly fleet: FleetView;
  readonly #services: FrontServices;
  readonly #clients = new Set<FrontClient>();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #isComparing = false;

  constructor({ registry, knock, ...options }: FrontOptions) {
    this.fleet = new FleetView({ registry, knock, warn: options.warn });
    this.#services = { ...options, fleet: this.fleet, waking: new Waking() };
    this.fleet.onLook = (workers) => this.#look(workers);
  }

  start(): void {
    this.fleet
      .watch()
      .catch((error: unknown) => this.#services.warn("the fleet is not looked after any more", { error: errorMessage(error) }));
  }
  close(): void {
    this.fleet.close();
    this.#services.waking.close();
  }

  get clients(): number {
    return this.#clients.size;
  }

  serve(transport: Transport, user: FleetUser): void {
    const client = new FrontClient(this.#services, transport, user);
    this.#clients.add(client);
    client.onClose = () => this.#clients.delete(client);
  }

  #look(workers: readonly FleetWorker[]): void {
    for (const client of this.#clients) client.routes.look(workers);
    const isSweep = performance.now() - this.#sweptAt > sweepMs;
    if (isSweep) this.#sweptAt = performance.now();
    const leaving = workers.filter(({ state }) => state === "draining");
    const concerns = ({ worker }: WorkerLink): boolean => isSweep || leaving.some((one) => sameWorker(one, worker));
    if (this.#isComparing || (!isSweep && leaving.length === 0)) return;
    this.#isComparing = true;
    this.#compare(concerns)
      .catch((error: unknown) => this.#services.warn("threads were not compared with the registry", { error: errorMessage(error) }))
      .finally(() => {
        this.#isComparing = false;
      });
  }

  /** Threads that have another holder than the one at which they are followed. */
  async #compare(concerns: (at: WorkerLink) => boolean): Promise<void> {
    const followed = [...this.#clients].flatMap((client) =>
      [...client.routes.followed()].filter(({ at }) => concerns(at)).map((one) => ({ ...one, client })),
    );
    if (followed.length === 0) return;
    const held = await this.fleet.holders([...new Set(followed.map(({ threadId }) => threadId))]);
    for (const { client, threadId, at } of followed) {
      const thread = held.get(threadId);
      // One that is not in the registry was never stored, and lives as long as its worker.
      if (thread === undefined || (thread.holder !== undefined && sameWorker(thread.holder, at.worker))) continue;
      if (client.routes.following(threadId) === at) client.routes.moved(threadId, at);
    }
  }
}
