/** Cases from 800 on: a fleet's teams, its engine, the repositories that clients name, and fronts that a manager asks. */
import type { CaseTable } from "./table.ts";

const teams = "test/fleet/teams.itest.ts";
const checkouts = "src/workspace/thread-checkouts.test.ts";

export const fleetCases: CaseTable = {
  800: [
    "a worker of one team that reads, changes, adds or deletes rows of another, or takes the threads of a live worker",
    `${teams} > a team's role sees, changes and adds nothing of another team`,
    `${teams} > a team's worker frees what a lost worker held, and nothing of one that lives and serves others too`,
  ],
  801: [
    "a token that was guessed, revoked, or read in the engine",
    `${teams} > a token is known by its digest alone, and no longer when it was revoked`,
  ],
  802: [
    "a thread of another team, asked for by its id",
    "src/front/fleet-routes.test.ts > a thread's place is told to its team and to administrators; for all others it does not exist",
    "test/fleet/front.itest.ts > routes and placement",
  ],
  803: [
    "the engine's password in outputs, logs, errors, files and the environment of commands",
    "test/fleet/one-machine.itest.ts > app-server, exec and manager ignore a fleet's address, and no command or file gets it",
    "test/fleet/fleet-command.itest.ts > before anything was made",
  ],
  804: [
    "a repository that a client names: addresses that are options or programs, hooks, filters and settings on either side",
    `${checkouts} > only addresses that name a repository and nothing else are taken`,
    `${checkouts} > files as of the last save are there on another worker, with commits and without touching the index`,
  ],
  805: [
    "a front that answers the manager with another shape, without an end or not at all, or leads it elsewhere with its token",
    "src/manager/fleet.test.ts > a front that answers with",
    "src/manager/fleet.test.ts > the token is not sent where the front leads elsewhere",
    "src/manager/fleet.test.ts > the token was in no answer, log or audit entry",
  ],
};
