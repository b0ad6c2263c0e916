/** `parley fleet token`: makes, lists and revokes clients' tokens. */
import { fleetRights } from "../../core/ports/fleet.ts";
import { createToken, listTokens, revokeToken, type TokenOwner, type TokenRow } from "../../fleet/tokens.ts";
import { outputWidth, table, timeAgo } from "../threads/table.ts";
import { oneOf, print, printJson, refuseMore, UsageError } from "../usage.ts";
import { fleetAddress, withEngine } from "./engine.ts";
import type { Values } from "./fleet.ts";

export async function token(args: readonly string[], values: Values<"token">): Promise<number> {
  refuseMore(args);
  const { revoke } = values;
  const modes = [values.admin === true, values.list === true, revoke !== undefined].filter(Boolean).length;
  if (modes > 1) throw new UsageError("--admin, --list and --revoke exclude each other");
  if (values.list !== true && values.json === true) throw new UsageError("--json is for --list");
  if (modes === 1 && (values.user !== undefined || values.rights !== undefined))
    throw new UsageError("--user and --rights are for a team's token");
  if (modes === 1 && values.list !== true && values.team !== undefined) throw new UsageError("--team is for a team's token and for --list");
  const owner = modes === 0 ? ownerFrom(values) : ({ admin: true } as const);
  const address = fleetAddress(values["fleet-file"]);
  if (values.list === true) return await list(address, values);
  if (revoke !== undefined) {
    await withEngine(address, (engine) => revokeToken(engine, revoke));
    return print(`The token ${revoke} is no longer accepted.\n`);
  }
  return print(`${await withEngine(address, (engine) => createToken(engine, owner))}\n`);
}

function ownerFrom({ team, user, rights = "everything" }: Values<"token">): TokenOwner {
  if (team === undefined || user === undefined) throw new UsageError("give --team and --user, or --admin; --list shows what there is");
  return { admin: false, team, user, rights: oneOf("rights", rights, fleetRights) };
}

async function list(address: string, values: Values<"token">): Promise<number> {
  const tokens = await withEngine(address, ({ query }) => listTokens(query, values.team));
  if (values.json === true) return printJson(tokens);
  if (tokens.length === 0) return print("There is no token; make one with: parley fleet token --team TEAM --user USER\n");
  const columns = [{ title: "ID" }, { title: "TEAM", least: 10 }, { title: "USER", least: 10 }, { title: "RIGHTS" }, { title: "MADE" }];
  return print(table(columns, tokens.map(rowOf), outputWidth()));
}

const rowOf = ({ id, admin, team, user, rights, createdAt }: TokenRow): readonly string[] => [
  id,
  team ?? "-",
  user ?? "-",
  admin ? "admin" : rights,
  timeAgo(createdAt.getTime() / 1000, Date.now()),
];
