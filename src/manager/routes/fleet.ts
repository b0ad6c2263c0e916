/** Handlers for the fleet that the engine belongs to. */
import type { fleetRoutes } from "../api/fleet.ts";
import type { Fleet } from "../fleet.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

function requireFleet({ fleet }: Manager): Fleet {
  if (fleet !== undefined) return fleet;
  throw failure(
    404,
    "not_a_fleet",
    "This manager has no fleet. To see one, start it with --connect and the address of a front, and with --fleet-admin-token-file.",
  );
}

export const fleetHandlers: HandlersFor<typeof fleetRoutes> = {
  "GET /api/fleet": async ({ manager }) => ok(await requireFleet(manager).status()),
  async "POST /api/fleet/workers/:name/drain"({ manager, caller, path: { name } }) {
    const fleet = requireFleet(manager);
    manager.audit.write({ type: "fleet_drain", by: caller.actor, summary: `asked the worker ${name.slice(0, 200)} to leave` });
    return { status: 202, body: await fleet.drain(name) };
  },
};
