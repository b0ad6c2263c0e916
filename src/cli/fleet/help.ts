/** The help text of `parley fleet`. */
import { fleetRights } from "../../core/ports/fleet.ts";
import { fleetFileFlag, type Help, jsonFlag } from "../help/text.ts";

const limit = "a whole number, or none to lift the limit";

export const help = {
  summary: "Set up and operate a fleet: many machines on one PostgreSQL",
  text: [
    "The engine's address is a secret, so that it is in no flag: it comes from PARLEY_FLEET=postgres://USER:PASSWORD@HOST:PORT/DB, or from the file of --fleet-file. docs/start-fleet.md begins with nothing and ends with two hosts.",
  ],
  usage: ["<COMMAND>"],
  commands: {
    init: {
      summary: "Make or upgrade the fleet's tables",
      text: ["They are in the schema `parley` of the database. It may be run again at any time, also while workers run."],
      usage: ["[OPTIONS]"],
      flags: [fleetFileFlag],
      examples: [["PARLEY_FLEET=postgres://parley:…@db/parley parley fleet init", "Once, and after each upgrade of Parley"]],
    },
    team: {
      summary: "Make or change a team, or list them",
      text: [
        "A team owns threads; no other team sees them. Where the engine's user may create roles, the team gets a role that is limited to its rows, which workers with --team use.",
      ],
      usage: ["<NAME> [--max-threads N] [--max-turns N] [--worker-address]", "--list [--json]"],
      flags: [
        { name: "max-threads", value: "N", text: `Live threads at once: ${limit}` },
        { name: "max-turns", value: "N", text: `Running turns at once: ${limit}` },
        {
          name: "worker-address",
          text: "Print an engine's address with a new password for workers of this team alone; the one printed before stops working",
        },
        { name: "list", text: "List the teams with their limits" },
        jsonFlag,
        fleetFileFlag,
      ],
      examples: [
        ["parley fleet team core --max-threads 200 --max-turns 20", "A team with limits"],
        ["parley fleet team guests --worker-address > guests.address", "For a host that must reach nothing of other teams"],
      ],
    },
    token: {
      summary: "Make, list and revoke tokens of clients",
      text: ["A new token is printed once, on one line. The engine keeps only its digest."],
      usage: ["--team TEAM --user USER [--rights RIGHTS]", "--admin", "--list [--team TEAM] [--json]", "--revoke ID"],
      flags: [
        { name: "team", value: "TEAM", text: "Whose threads its client may use" },
        { name: "user", value: "USER", text: "Who uses it, for the audit log" },
        {
          name: "rights",
          value: "RIGHTS",
          choices: fleetRights,
          text: "look: read; answer: also answer questions; drive: also start turns; everything (default): also settings and deletion",
        },
        { name: "admin", text: "A token that reads the fleet's state, its metrics and every team" },
        { name: "list", text: "List the tokens with their ids" },
        { name: "revoke", value: "ID", text: "End the token with this id of the list" },
        jsonFlag,
        fleetFileFlag,
      ],
      examples: [
        ["parley fleet token --team core --user ann", "Print a token that may do everything in the team"],
        ["parley fleet token --admin > admin.token", "For dashboards and Prometheus"],
      ],
    },
    status: {
      summary: "Show the workers and how many threads they have",
      usage: ["[--json]"],
      flags: [jsonFlag, fleetFileFlag],
      examples: [["parley fleet status --json", "The object of GET /api/fleet"]],
    },
    drain: {
      summary: "Let a worker finish its turns, give its threads up and end",
      text: ["The same as SIGTERM to that worker, from anywhere. Its threads go on elsewhere."],
      usage: ["<WORKER>"],
      flags: [fleetFileFlag],
      exitCodes: "0 it drains, 1 there is no such worker or it is lost, 2 the command line is wrong",
      examples: [["parley fleet drain host-1", "Before an upgrade of that host"]],
    },
    export: {
      summary: "Write threads as files, in a folder that is laid out as a home",
      text: ["Files that exist stay as they are. Queues, goals and open questions are not part of a thread's file."],
      usage: ["<THREAD> <DIR>", "--all [--team TEAM] <DIR>"],
      flags: [
        { name: "all", text: "Every thread" },
        { name: "team", value: "TEAM", text: "With --all: only those of this team" },
        fleetFileFlag,
      ],
      examples: [["parley fleet export --all backup", "CODEX_HOME=backup parley threads list shows them"]],
    },
    import: {
      summary: "Take the threads of a home into the fleet",
      text: ["The home's files stay as they are, and so do threads that the fleet has already: it may be run again."],
      usage: ["<HOME> --team <TEAM>"],
      flags: [{ name: "team", value: "TEAM", text: "Whose threads they become" }, fleetFileFlag],
      exitCodes: "0 all of them are in the fleet, 1 some could not be read, 2 the command line is wrong",
      examples: [["parley fleet import ~/.codex --team core", "What was on one machine, for the team"]],
    },
  },
  examples: [
    ["parley fleet init", "Make the tables"],
    ["parley fleet team core", "A team"],
    ["parley fleet token --team core --user ann", "A token for its clients"],
    ["parley fleet status", "Who is there"],
  ],
} as const satisfies Help;
