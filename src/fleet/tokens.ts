/** Tokens with which clients sign in at a front. The engine keeps their digests only. */
import { createHash, randomBytes } from "node:crypto";
import type { FleetRights, FleetTokens, FleetUser } from "../core/ports/fleet.ts";
import { type Engine, EngineRefused, type Query } from "./engine.ts";
import { checkName, teamNamed } from "./teams.ts";

export type TokenOwner =
  | { readonly admin: true }
  | { readonly admin: false; readonly team: string; readonly user: string; readonly rights: FleetRights };

/** What is shown of a token: never itself. */
export interface TokenRow {
  /** The first digits of its digest, by which it is revoked. */
  readonly id: string;
  readonly admin: boolean;
  readonly team: string | null;
  readonly user: string | null;
  readonly rights: FleetRights;
  readonly createdAt: Date;
}

const prefix = "parley_fleet_";
const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();
/** Long enough to be the only one in any fleet, short enough to be typed. */
const idDigits = 12;

/** A new token: 256 bits that nothing else knows. */
export async function createToken(engine: Engine, owner: TokenOwner): Promise<string> {
  const token = prefix + randomBytes(32).toString("base64url");
  if (owner.admin) {
    await engine.query("insert into parley.tokens (digest, admin) values ($1, true)", [digestOf(token)]);
    return token;
  }
  checkName("user", owner.user);
  if ((await teamNamed(engine.query, owner.team)) === undefined)
    throw new EngineRefused(`there is no team '${owner.team}'; make it with: parley fleet team NAME`);
  await engine.query("insert into parley.tokens (digest, team, username, rights) values ($1, $2, $3, $4)", [
    digestOf(token),
    owner.team,
    owner.user,
    owner.rights,
  ]);
  return token;
}

export async function listTokens(query: Query, team: string | undefined): Promise<readonly TokenRow[]> {
  return await query<TokenRow>(
    `select left(encode(digest, 'hex'), ${idDigits}) as id, admin, team, username as user, rights, created_at as "createdAt"
     from parley.tokens where $1::text is null or team = $1 order by created_at, digest`,
    [team ?? null],
  );
}

/** Whoever uses it is refused from now on. Throws EngineRefused where no token, or more than one, has this id. */
export async function revokeToken(engine: Engine, id: string): Promise<void> {
  if (!/^[0-9a-f]{6,64}$/.test(id))
    throw new EngineRefused("a token is revoked by its id, the hexadecimal digits that 'parley fleet token --list' shows");
  await engine.transaction(async (query) => {
    const gone = await query("delete from parley.tokens where left(encode(digest, 'hex'), length($1)) = $1 returning 1", [id]);
    if (gone.length === 0) throw new EngineRefused(`there is no token with the id ${id}`);
    if (gone.length > 1) throw new EngineRefused(`${gone.length} tokens begin with ${id}; give more of its digits`);
  });
}

/** For fronts: whose token it is. */
export function tokensOf(query: Query): FleetTokens {
  return {
    async find(token) {
      if (!token.startsWith(prefix) || token.length > 128) return undefined;
      const [row] = await query<FleetUser>("select admin, team, username as user, rights from parley.tokens where digest = $1", [
        digestOf(token),
      ]);
      return row;
    },
  };
}
