import assert from "node:assert/strict";
import { test } from "node:test";
import type { FleetReport, FleetUser } from "../core/ports/fleet.ts";
import { answerFleet, isFleetPath } from "./fleet-routes.ts";

const admin: FleetUser = { admin: true, team: null, user: null, rights: "everything" };
const ofTeam = (team: string): FleetUser => ({ admin: false, team, user: "ann", rights: "look" });
const place = { threadId: "t1", team: "a", worker: null, epoch: 2, seq: 7 };
const report: FleetReport = {
  status: async () => ({ workers: [], threads: { live: 0, active: 0, waiting: 0 } }),
  place: async (threadId, team) => (threadId === "t1" && (team === null || team === "a") ? place : undefined),
  metrics: async () => "parley_fleet_takeovers_total 0\n",
  drain: async (worker) => (worker === "w 1" ? "draining" : worker === "gone" ? "lost" : "unknown"),
};

test("a thread's place is told to its team and to administrators; for all others it does not exist", async () => {
  const ask = (user: FleetUser | undefined, id: string) =>
    answerFleet({ method: "GET", pathname: `/api/fleet/threads/${id}` }, user, report);
  assert.deepEqual(JSON.parse((await ask(ofTeam("a"), "t1")).body), place);
  assert.equal((await ask(admin, "t1")).status, 200);
  assert.deepEqual(await ask(ofTeam("b"), "t1"), await ask(ofTeam("a"), "none"));
  for (const odd of ["none", "%00", "%zz", "x".repeat(300), "a/b", ""]) assert.equal((await ask(admin, odd)).status, 404, odd);
  assert.deepEqual(await ask(undefined, "t1"), await ask(ofTeam("a"), "none"));
});

test("the fleet's state, its metrics and draining are for administrators", async () => {
  const status = async (user: FleetUser | undefined, method: string, pathname: string): Promise<number> =>
    (await answerFleet({ method, pathname }, user, report)).status;
  for (const pathname of ["/api/fleet", "/metrics"])
    assert.deepEqual(
      [await status(undefined, "GET", pathname), await status(ofTeam("a"), "GET", pathname), await status(admin, "GET", pathname)],
      [401, 403, 200],
    );
  assert.equal(await status(admin, "DELETE", "/api/fleet"), 405);
  assert.equal(await status(ofTeam("a"), "POST", "/api/fleet/workers/w%201/drain"), 403);
  assert.equal(await status(admin, "GET", "/api/fleet/workers/w%201/drain"), 405);
  assert.deepEqual(
    await Promise.all(["w%201", "gone", "other"].map((name) => status(admin, "POST", `/api/fleet/workers/${name}/drain`))),
    [202, 409, 404],
  );
  assert.equal(await status(admin, "GET", "/api/fleet/other"), 404);
  assert.deepEqual(["/metrics", "/api/fleet", "/api/fleet/x", "/api/fleets", "/metricsx"].map(isFleetPath), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
