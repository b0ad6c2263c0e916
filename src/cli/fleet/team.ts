/** `parley fleet team`: makes, changes and lists teams. */
import { addressFor, makeWorkerLogin, whoMayNot } from "../../fleet/roles.ts";
import { listTeams, putTeam, type Team } from "../../fleet/teams.ts";
import { outputWidth, table } from "../threads/table.ts";
import { print, printJson, refuseMore, toStderr, UsageError } from "../usage.ts";
import { fleetAddress, withEngine } from "./engine.ts";
import type { Values } from "./fleet.ts";

export async function team(args: readonly string[], values: Values<"team">): Promise<number> {
  const [name] = args;
  refuseMore(args, values.list === true ? 0 : 1);
  const limits = { maxThreads: limitFrom("max-threads", values["max-threads"]), maxTurns: limitFrom("max-turns", values["max-turns"]) };
  const isLogin = values["worker-address"] === true;
  if (values.list === true) {
    if (isLogin || limits.maxThreads !== undefined || limits.maxTurns !== undefined)
      throw new UsageError("--list changes nothing: leave the other flags out");
    return await list(values);
  }
  if (name === undefined) throw new UsageError("the team's name is missing: parley fleet team <NAME>, or --list");
  if (isLogin && values.json === true) throw new UsageError("--worker-address prints one line: leave --json out");
  const address = fleetAddress(values["fleet-file"]);
  return await withEngine(address, async (engine) => {
    const made = await putTeam(engine, name, limits);
    if (made.role === null) toStderr(`warning: team '${name}' has no role, so that no worker can be limited to it: ${whoMayNot}`);
    const { isNew, ...shown } = made;
    if (!isLogin)
      return values.json === true ? printJson(shown) : print(`Team '${name}' was ${isNew ? "made" : "changed"}: ${limitsText(made)}.\n`);
    return print(`${addressFor(address, await makeWorkerLogin(engine, name))}\n`);
  });
}

/** Undefined where nothing was said; null lifts the limit. */
function limitFrom(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`invalid value '${text}' for '--${flag}': expected a whole number that is not negative, or none`);
  return Number(text);
}

function limitsText({ maxThreads, maxTurns }: Team): string {
  const threads = maxThreads === null ? "any number of live threads" : `at most ${maxThreads} live threads`;
  return `${threads}, ${maxTurns === null ? "any number of running turns" : `at most ${maxTurns} running turns`}`;
}

async function list(values: Values<"team">): Promise<number> {
  const teams = await withEngine(fleetAddress(values["fleet-file"]), ({ query }) => listTeams(query));
  if (values.json === true) return printJson(teams);
  if (teams.length === 0) return print("There is no team; make one with: parley fleet team NAME\n");
  const columns = [
    { title: "TEAM", least: 12 },
    { title: "MAX THREADS", right: true },
    { title: "MAX TURNS", right: true },
    { title: "ROLE", least: 10 },
  ];
  const shown = (limit: number | null): string => (limit === null ? "-" : String(limit));
  const rows = teams.map(({ name, maxThreads, maxTurns, role }) => [name, shown(maxThreads), shown(maxTurns), role ?? "-"]);
  return print(table(columns, rows, outputWidth()));
}
