/** `parley fleet export` and `parley fleet import`: threads between a fleet and the files of a home. */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { teamNamed } from "../../fleet/teams.ts";
import { exportHome, importHome, type Moved } from "../../main/fleet-transfer.ts";
import { print, refuseMore, StartError, toStderr, UsageError } from "../usage.ts";
import { fleetAddress, withEngine } from "./engine.ts";
import type { Values } from "./fleet.ts";

export async function exportThreads(args: readonly string[], values: Values<"export">): Promise<number> {
  const isAll = values.all === true;
  const [thread, named] = isAll ? [undefined, args[0]] : args;
  refuseMore(args, isAll ? 1 : 2);
  if (!isAll && values.team !== undefined) throw new UsageError("--team is for --all");
  if (named === undefined) throw new UsageError("expected a thread's id and a folder, or --all and a folder");
  const folder = path.resolve(named);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new StartError(`${folder} is no folder`);
  const of = { ...(thread === undefined ? {} : { id: thread }), ...(values.team === undefined ? {} : { team: values.team }) };
  const result = await withEngine(fleetAddress(values["fleet-file"]), (engine) => exportHome(engine, of, folder));
  if (thread !== undefined && result.moved + result.known === 0) throw new StartError(`there is no thread ${thread} in the fleet`);
  return report(result, "exported to", folder);
}

export async function importThreads(args: readonly string[], values: Values<"import">): Promise<number> {
  const [named] = args;
  refuseMore(args, 1);
  const { team } = values;
  if (named === undefined || team === undefined)
    throw new UsageError("expected a home's folder and --team: parley fleet import <HOME> --team <TEAM>");
  const home = path.resolve(named);
  if (!["sessions", "archived_sessions"].some((name) => existsSync(path.join(home, name))))
    throw new StartError(`${home} is no home: it has neither sessions nor archived_sessions`);
  const result = await withEngine(fleetAddress(values["fleet-file"]), async (engine) => {
    if ((await teamNamed(engine.query, team)) === undefined)
      throw new StartError(`there is no team '${team}'; make it with: parley fleet team NAME`);
    return await importHome(engine, team, home);
  });
  return report(result, "imported from", home);
}

function report({ moved, known, failed }: Moved, verb: string, place: string): number {
  for (const reason of failed) toStderr(`warning: ${reason}`);
  const rest = known === 0 ? "" : ` ${known} ${known === 1 ? "was" : "were"} there already and stayed as they are.`;
  print(`${moved} ${moved === 1 ? "thread was" : "threads were"} ${verb} ${place}.${rest}\n`);
  return failed.length === 0 ? 0 : 1;
}
