/**
 * The engine's roles of a fleet's teams. A worker with `--team` works as its team's role, which sees that team's rows alone (the policies
 * are in schema.ts); for a worker that nobody else's secrets may reach, there is a login that is limited in the same way.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { type Engine, EngineRefused, type Query } from "./engine.ts";

/** What a team's role may do with each table, in the rows that the policies leave it. Only fronts need the tokens. */
const rights: Readonly<Record<string, string>> = {
  schema_version: "select",
  teams: "select",
  workers: "select, insert, update, delete",
  threads: "select, insert, update, delete",
  log: "select, insert",
  questions: "select, insert, update, delete",
  belongings: "select, insert, update, delete",
  audit: "select, insert",
  counters: "select, insert, update, delete",
};

/** Roles are shared by all databases of an engine, so that the name says which database it belongs to. */
async function nameOf(query: Query, purpose: string, teams: readonly string[]): Promise<string> {
  const [row] = await query<{ database: string }>("select current_database() as database");
  const digest = createHash("sha256")
    .update(JSON.stringify([row?.database, teams]))
    .digest("hex")
    .slice(0, 10);
  const readable = teams
    .join("_")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 32);
  return `parley_${readable}_${digest}${purpose}`;
}

/** Our names of roles contain nothing else, but the tables' column could. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Whether whoever signs in may make roles. */
export async function mayMakeRoles(query: Query): Promise<boolean> {
  const [row] = await query<{ may: boolean }>("select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user");
  return row?.may === true;
}

async function makeRole(query: Query, name: string): Promise<void> {
  const found = await query("select 1 from pg_roles where rolname = $1", [name]);
  if (found.length === 0) await query(`create role ${quoted(name)} nologin`);
  // A superuser may become anybody, and a membership would only be in the way of dropping the role.
  const [me] = await query<{ super: boolean }>("select rolsuper as super from pg_roles where rolname = current_user");
  if (me?.super !== true) await query(`grant ${quoted(name)} to current_user`);
}

/** Makes the team's role, or gives an existing one the rights of this version. */
export async function makeTeamRole(query: Query, team: string): Promise<string> {
  const name = await nameOf(query, "", [team]);
  await makeRole(query, name);
  await grantTables(query, name);
  return name;
}

async function grantTables(query: Query, role: string): Promise<void> {
  const to = quoted(role);
  await query(`grant usage on schema parley to ${to}`);
  for (const [table, what] of Object.entries(rights)) await query(`grant ${what} on parley.${table} to ${to}`);
  const [server] = await query<{ version: number }>("select current_setting('server_version_num')::int as version");
  if ((server?.version ?? 0) >= 150_000) await query(`grant select on parley.v_log, parley.v_threads to ${to}`);
}

/** After an upgrade of the tables: what is new in them. */
export async function refreshTeamRoles(query: Query): Promise<void> {
  const roles = await query<{ role: string }>("select role from parley.teams join pg_roles on rolname = role order by role");
  for (const { role } of roles) await grantTables(query, role);
}

/**
 * The role of a worker that serves these teams alone; undefined where the one who signs in is limited already and has no role to change to.
 * Throws EngineRefused for unknown teams, and where the engine cannot limit it.
 */
export async function roleOfWorker(engine: Engine, teams: readonly string[]): Promise<string | undefined> {
  const names = [...new Set(teams)].toSorted();
  const found = await engine.query<{ name: string; role: string | null }>(
    "select name, role from parley.teams where name = any($1) order by name",
    [names],
  );
  const missing = names.find((name) => !found.some((team) => team.name === name));
  if (missing !== undefined) throw new EngineRefused(`there is no team '${missing}'; make it with: parley fleet team ${missing}`);
  const roles = found.map(({ name, role }) => {
    if (role === null)
      throw new EngineRefused(
        `team '${name}' has no role in the engine, so that a worker cannot be limited to it; run: parley fleet team ${name}, as a user who may create roles`,
      );
    return role;
  });
  if (roles.length === 1) return roles[0];
  const [login] = await engine.query<{ limited: boolean }>("select row_security_active('parley.threads') as limited");
  if (login?.limited === true) return await limitedLogin(engine, names);
  return await engine.transaction(async (query) => {
    if (!(await mayMakeRoles(query)))
      throw new EngineRefused(`${whoMayNot} The role of a worker for several teams is made when it starts.`);
    const name = await nameOf(query, "_set", names);
    await makeRole(query, name);
    for (const role of roles) await query(`grant ${quoted(role)} to ${quoted(name)}`);
    return name;
  });
}

/** It sees no more than the teams that were named, or it would serve others too. */
async function limitedLogin(engine: Engine, names: readonly string[]): Promise<undefined> {
  const seen = await engine.query<{ name: string }>("select name from parley.teams order by name");
  const others = seen.map(({ name }) => name).filter((name) => !names.includes(name));
  if (others.length > 0) throw new EngineRefused(`the engine's address is also for the teams ${others.join(", ")}: name them too`);
}

export const whoMayNot = "the engine's user may not create roles; grant it with: alter role NAME createrole.";

/**
 * A login of its own for workers of the team, with a new password; an earlier one stops working. Its sessions have the team's role from their
 * start, whatever program opens them.
 */
export async function makeWorkerLogin(engine: Engine, team: string): Promise<{ readonly user: string; readonly password: string }> {
  return await engine.transaction(async (query) => {
    const [row] = await query<{ role: string | null }>("select role from parley.teams where name = $1", [team]);
    if (row === undefined) throw new EngineRefused(`there is no team '${team}'; make it with: parley fleet team ${team}`);
    if (!(await mayMakeRoles(query)) || row.role === null) throw new EngineRefused(whoMayNot);
    const user = await nameOf(query, "_login", [team]);
    const password = randomBytes(24).toString("base64url");
    const found = await query("select 1 from pg_roles where rolname = $1", [user]);
    const verb = found.length === 0 ? "create" : "alter";
    await query(`${verb} role ${quoted(user)} with login inherit password '${verifierOf(password)}'`);
    await query(`grant ${quoted(row.role)} to ${quoted(user)}`);
    await query(`alter role ${quoted(user)} set role to ${quoted(row.role)}`);
    return { user, password };
  });
}

/** What the engine keeps of a password (RFC 5803): made here, so that the password itself is in no statement that the engine may log. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const rounds = 4096;
  const salted = pbkdf2Sync(password, salt, rounds, 32, "sha256");
  const keyed = (what: string): Buffer => createHmac("sha256", salted).update(what).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}

/** The same engine for another user. */
export function addressFor(address: string, login: { readonly user: string; readonly password: string }): string {
  const url = URL.parse(address);
  if (url === null) throw new EngineRefused("only an address like postgres://USER:PASSWORD@HOST:PORT/DB can be written for another user");
  url.username = login.user;
  url.password = login.password;
  return url.href;
}
