/** `parley fleet`: sets up and operates a fleet. Each command works on the engine itself; no worker or front needs to run. */
import type { FleetStatus } from "../../core/ports/fleet.ts";
import { drainWorker, fleetStatus } from "../../fleet/report.ts";
import { refreshTeamRoles } from "../../fleet/roles.ts";
import { upgradeSchema } from "../../fleet/schema.ts";
import { outputWidth, table } from "../threads/table.ts";
import {
  type Values as FlagValues,
  print,
  printJson,
  type Run,
  readFlags,
  refuseMore,
  StartError,
  UsageError,
  unknownSubcommand,
} from "../usage.ts";
import { fleetAddress, withEngine } from "./engine.ts";
import { help } from "./help.ts";

const commands = help.commands;
type Name = keyof typeof commands;
export type Values<N extends Name> = FlagValues<(typeof commands)[N]>;

const actions: { readonly [N in Name]: (args: readonly string[], values: Values<N>) => Promise<number> } = {
  init,
  team: async (...given) => (await import("./team.ts")).team(...given),
  token: async (...given) => (await import("./token.ts")).token(...given),
  status,
  drain,
  export: async (...given) => (await import("./transfer.ts")).exportThreads(...given),
  import: async (...given) => (await import("./transfer.ts")).importThreads(...given),
};

export const run: Run = async (args) => {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("../help/help.ts")).run(["fleet", ...rest]);
  const name = Object.keys(commands).find((known): known is Name => known === subcommand);
  if (name === undefined) throw unknownSubcommand(subcommand, Object.keys(commands));
  return await act(name, rest);
};

async function act<N extends Name>(name: N, args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, commands[name]);
  return await actions[name](positionals, values);
}

async function init(args: readonly string[], values: Values<"init">): Promise<number> {
  refuseMore(args);
  const { from, to } = await withEngine(
    fleetAddress(values["fleet-file"]),
    async (engine) => {
      const versions = await upgradeSchema(engine);
      await engine.transaction(refreshTeamRoles);
      return versions;
    },
    { tables: false },
  );
  if (from === to) return print(`The fleet's tables are there, of version ${to}.\n`);
  return print(
    from === 0 ? `The fleet's tables were made, of version ${to}.\n` : `The fleet's tables were upgraded from version ${from} to ${to}.\n`,
  );
}

async function status(args: readonly string[], values: Values<"status">): Promise<number> {
  refuseMore(args);
  const found = await withEngine(fleetAddress(values["fleet-file"]), ({ query }) => fleetStatus(query));
  return values.json === true ? printJson(found) : print(statusText(found));
}

function statusText({ workers, threads }: FleetStatus): string {
  const counts = `${threads.live} live threads: ${threads.active} with a running turn, ${threads.waiting} waiting for a person.\n`;
  if (workers.length === 0) return `There is no worker; start one with: parley worker --name NAME --listen ws://IP:PORT\n${counts}`;
  const columns = [{ title: "WORKER", least: 12 }, { title: "STATE" }, { title: "THREADS", right: true }, { title: "LABELS", least: 10 }];
  const rows = workers.map(({ name, state, threads: held, labels }) => [name, state, String(held), labels.join(", ")]);
  return `${table(columns, rows, outputWidth())}\n${counts}`;
}

async function drain(args: readonly string[], values: Values<"drain">): Promise<number> {
  const [worker] = args;
  if (worker === undefined) throw new UsageError("the worker's name is missing: parley fleet drain <WORKER>");
  refuseMore(args, 1);
  const became = await withEngine(fleetAddress(values["fleet-file"]), ({ query }) => drainWorker(query, worker));
  if (became === "unknown") throw new StartError(`there is no worker '${worker}'; parley fleet status lists them`);
  if (became === "lost") throw new StartError(`worker '${worker}' is lost, so that there is nothing to drain: its threads go on elsewhere`);
  return print(`Worker '${worker}' takes nothing new, and ends when its turns have ended.\n`);
}
