/** The routes for the fleet that the engine belongs to: its workers, and letting one leave. */
import { array, type Infer, literals, named, natural, object, string } from "../../lib/schema.ts";
import { bounded, route } from "./define.ts";
import { Failure } from "./records.ts";

const FleetWorker = named("FleetWorker", () =>
  object({
    name: string(),
    /** `lost`: it no longer reports, and others go on with its threads. */
    state: literals("up", "draining", "lost"),
    /** Threads that it holds. */
    threads: natural(),
    labels: bounded(array(string()), { maxItems: 1000 }),
  }),
);

/** The object of a front's `GET /api/fleet`. */
export const FleetStatus = named("FleetStatus", () =>
  object({
    workers: bounded(array(FleetWorker()), { maxItems: 5000 }),
    /** Held by a worker; with a running turn; with a turn that waits for a person. */
    threads: object({ live: natural(), active: natural(), waiting: natural() }),
  }),
);
export type FleetStatus = Infer<typeof FleetStatus>;

export const DrainedWorker = named("DrainedWorker", () => object({ name: string(), state: literals("draining") }));
export type DrainedWorker = Infer<typeof DrainedWorker>;

export const fleetRoutes = {
  "GET /api/fleet": route({
    summary: "The fleet's workers and how many threads they hold; 404 where the manager has no fleet",
    scope: "read",
    answers: { 200: FleetStatus, 404: Failure, 502: Failure, 504: Failure },
  }),
  "POST /api/fleet/workers/:name/drain": route({
    summary: "Let a worker leave: it takes nothing new, gives up idle and waiting threads, lets running turns end, and exits",
    scope: "admin",
    answers: { 202: DrainedWorker, 404: Failure, 409: Failure, 502: Failure, 504: Failure },
  }),
} as const;
