/** The teams of a fleet: who owns threads, and how much they may run at once. */
import { type Engine, EngineRefused, type Query } from "./engine.ts";
import { makeTeamRole, mayMakeRoles } from "./roles.ts";

export interface Team {
  readonly name: string;
  /** Live threads; null means no limit. */
  readonly maxThreads: number | null;
  /** Turns that run at once. */
  readonly maxTurns: number | null;
  /** The engine's role that sees this team's rows alone. */
  readonly role: string | null;
}

/** What is left out stays as it is; null lifts a limit. */
export interface TeamLimits {
  readonly maxThreads?: number | null | undefined;
  readonly maxTurns?: number | null | undefined;
}

const columns = `name, max_threads as "maxThreads", max_turns as "maxTurns", role`;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Throws EngineRefused where it is no name for a team, a worker or a person. */
export function checkName(what: string, name: string): string {
  if (namePattern.test(name)) return name;
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  throw new EngineRefused(
    `'${shown.replaceAll(/\p{C}/gu, "?")}' is no name for a ${what}: it must have 1 to 63 letters, digits, dots, dashes and underscores, and begin with a letter or digit`,
  );
}

/** Makes or changes a team. Its role is made where the engine's user may make one; otherwise `role` of the answer is null. */
export async function putTeam(engine: Engine, name: string, limits: TeamLimits): Promise<Team & { readonly isNew: boolean }> {
  checkName("team", name);
  return await engine.transaction(async (query) => {
    const [made] = await query<{ isNew: boolean }>(
      `insert into parley.teams (name, max_threads, max_turns) values ($1, $2, $3)
       on conflict (name) do update set
         max_threads = case when $4 then excluded.max_threads else teams.max_threads end,
         max_turns = case when $5 then excluded.max_turns else teams.max_turns end
       returning xmax = 0 as "isNew"`,
      [name, limits.maxThreads ?? null, limits.maxTurns ?? null, limits.maxThreads !== undefined, limits.maxTurns !== undefined],
    );
    if (await mayMakeRoles(query))
      await query("update parley.teams set role = $2 where name = $1", [name, await makeTeamRole(query, name)]);
    const team = await teamNamed(query, name);
    if (team === undefined) throw new Error(`team '${name}' was deleted meanwhile`);
    return { ...team, isNew: made?.isNew === true };
  });
}

export async function teamNamed(query: Query, name: string): Promise<Team | undefined> {
  const [team] = await query<Team>(`select ${columns} from parley.teams where name = $1`, [name]);
  return team;
}

export async function listTeams(query: Query): Promise<readonly Team[]> {
  return await query<Team>(`select ${columns} from parley.teams order by name`);
}
