/** What happens to the fleet of test/fleet/chaos.ts: workers, fronts and the engine are killed, workers and fronts stopped, workers drained. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../../src/lib/error-text.ts";
import type { Fate } from "./chaos-checks.ts";
import { between, oneOf } from "./chaos-dice.ts";
import { breaks, note } from "./chaos-findings.ts";
import { hangMs, type Person } from "./chaos-person.ts";
import type { FleetFront, FleetProcess, FleetStage } from "./stage.ts";

const kinds = ["worker", "front", "engine", "stop", "drain", "hang"] as const;
export type Kind = (typeof kinds)[number];
export const kindsIn = (text: string): Kind[] =>
  text.split(",").map((name) => {
    const kind = kinds.find((one) => one === name);
    if (kind === undefined) throw new Error(`${name} is none of ${kinds.join(", ")}`);
    return kind;
  });
const killing: ReadonlySet<string> = new Set(["worker", "front", "engine"]);

/** A front, or the one that is there in its place by now. */
export interface Place {
  front: FleetFront;
  isStopped?: boolean;
}

export interface Scene {
  readonly stage: FleetStage;
  readonly workers: Map<string, FleetProcess>;
  readonly places: readonly Place[];
  readonly people: readonly Person[];
}

/** One thing after another. */
export class Trouble {
  readonly counts: Partial<Record<Kind, number>> = {};
  /** What happened to which worker when, by the clock that the engine has too. */
  readonly fates: Fate[] = [];
  readonly #scene: Scene;
  readonly #returning: Promise<void>[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get kills(): number {
    return Object.entries(this.counts).reduce((sum, [kind, count]) => sum + (killing.has(kind) ? count : 0), 0);
  }

  async make(among: readonly Kind[], goesOn: () => boolean, pauseMs: readonly [number, number]): Promise<void> {
    while (goesOn()) {
      const kind = oneOf(among) ?? "worker";
      if (await this[kind]()) this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      await sleep(between(...pauseMs));
    }
    await Promise.all(this.#returning);
  }

  /** At least two stay, so that there is somebody to take over. */
  #takeWorker(): FleetProcess | undefined {
    const { workers } = this.#scene;
    const name = workers.size <= 2 ? undefined : oneOf([...workers.keys()]);
    const worker = name === undefined ? undefined : workers.get(name);
    if (name !== undefined) workers.delete(name);
    return worker;
  }
  #comesBack(name: string): void {
    const { stage, workers } = this.#scene;
    const back = async (): Promise<void> => {
      await sleep(between(200, 1500));
      for (let left = 20; left > 0; left--)
        try {
          workers.set(name, await stage.worker(name));
          return;
        } catch (error) {
          note(`${name} does not start: ${errorMessage(error).slice(0, 300)}`);
          await sleep(300);
        }
      breaks("P10 no process had to be restarted by hand", `${name} did not come back`);
    };
    this.#returning.push(back());
  }

  async worker(): Promise<boolean> {
    const killed = this.#takeWorker();
    if (killed === undefined) return false;
    const { name } = killed;
    const { stage, people } = this.#scene;
    note(`kill ${name}`);
    const fate: Fate = { name, kind: "killed", fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.fates.push(fate);
    const held = await stage.engine.query<{ id: string }>("select id from parley.threads where holder = $1", [name]).catch(() => []);
    await killed.kill();
    fate.toMs = Date.now();
    for (const { id } of held) for (const person of people) this.#returning.push(person.toldOfMove(id));
    this.#comesBack(name);
    return true;
  }

  async stop(): Promise<boolean> {
    const stopped = this.#takeWorker();
    if (stopped === undefined) return false;
    const { name } = stopped;
    note(`stop ${name}`);
    const fate: Fate = { name, kind: "stopped", fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.fates.push(fate);
    stopped.signal("SIGSTOP");
    const wake = async (): Promise<void> => {
      await sleep(between(500, 6000));
      note(`wake ${name}`);
      stopped.signal("SIGCONT");
      fate.toMs = Date.now() + noticedMs;
      this.#scene.workers.set(name, stopped);
    };
    this.#returning.push(wake());
    return true;
  }

  async drain(): Promise<boolean> {
    const drained = this.#takeWorker();
    if (drained === undefined) return false;
    const { name } = drained;
    note(`drain ${name}`);
    const fate: Fate = { name, kind: "drained", fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.fates.push(fate);
    drained.signal("SIGTERM");
    const gone = async (): Promise<void> => {
      const code = await Promise.race([drained.ended, sleep(hangMs, "hangs" as const)]);
      fate.toMs = Date.now();
      if (code !== 0) breaks("P10 no process had to be restarted by hand", `${name} was drained and ended with ${code}`);
      if (code === "hangs") await drained.kill();
      this.#comesBack(name);
    };
    this.#returning.push(gone());
    return true;
  }

  /** The other one serves. */
  #takeFront(): Place | undefined {
    return this.#scene.places.some(({ isStopped }) => isStopped) ? undefined : oneOf(this.#scene.places);
  }
  async front(): Promise<boolean> {
    const place = this.#takeFront();
    if (place === undefined) return false;
    note(`kill ${place.front.process.name}`);
    place.isStopped = true;
    await place.front.process.kill();
    const back = async (): Promise<void> => {
      place.front = await this.#scene.stage.front();
      place.isStopped = false;
    };
    this.#returning.push(
      back().catch((error: unknown) => breaks("P10 no process had to be restarted by hand", errorMessage(error).slice(0, 300))),
    );
    return true;
  }
  async hang(): Promise<boolean> {
    const place = this.#takeFront();
    if (place === undefined) return false;
    const { front } = place;
    note(`stop ${front.process.name}`);
    place.isStopped = true;
    front.process.signal("SIGSTOP");
    for (const person of this.#scene.people) person.hangs(front);
    const wake = async (): Promise<void> => {
      await sleep(between(500, 6000));
      note(`wake ${front.process.name}`);
      front.process.signal("SIGCONT");
      place.isStopped = false;
    };
    this.#returning.push(wake());
    return true;
  }

  async engine(): Promise<boolean> {
    note("kill the engine");
    const { postgres } = this.#scene.stage;
    await postgres.kill();
    await sleep(between(0, 1000));
    await postgres.up();
    return true;
  }
}

/** A worker that wakes is declared lost by then, or has beaten again. */
const noticedMs = 10_000;
