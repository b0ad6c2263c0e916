/**
 * The connection to the fleet's engine, PostgreSQL. The only file that loads the driver: one machine alone needs none, whatever its
 * environment says. The address contains a password, so that no error repeats what the driver says about it.
 */
import { statSync } from "node:fs";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { errorMessage, toError } from "../lib/error-text.ts";

export type Values = readonly unknown[];
export type Query = <Row extends object>(text: string, values?: Values) => Promise<Row[]>;

export interface Engine {
  /** Rejects with EngineUnreachable where it is not known whether the statement was carried out. */
  readonly query: Query;
  /** All or nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** A connection that no other statement waits for, such as for heartbeats; it is opened again when it was lost. */
  readonly own: Query;
  close(): Promise<void>;
}

/** The engine does not answer, or the connection broke. Trying again later may help. */
export class EngineUnreachable extends Error {}
/** The engine refuses us: a wrong password, a missing database, no right. Trying again does not help. */
export class EngineRefused extends Error {}

export interface EngineOptions {
  readonly address: string;
  /** Shown in the engine's list of connections. */
  readonly name: string;
  readonly connections?: number;
  /** The engine applies this role's rights to every statement instead of those of the user who signs in. */
  readonly role?: string | undefined;
}

/** Classes of SQLSTATE, and Node's codes, after which the same statement may succeed on a new connection. */
const passing = /^(?:08|57P|53|40|25006)|^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** Rights and passwords, and what Node says of certificates that it does not accept. */
const refused = /^(?:28|3D|42501|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
const connectMs = 5000;
/** A statement that takes longer has lost its connection without notice, as when a machine vanishes. */
const statementMs = 30_000;
/** The same for the connection of one's own, whose statements are small. */
const ownMs = 2000;

/** `PARLEY_FLEET`, or the file of `--fleet-file`, which only its owner may read. */
export function engineAddress(env: Readonly<Record<string, string | undefined>>, file: string | undefined): string {
  const address = file === undefined ? env["PARLEY_FLEET"]?.trim() : readSecret(file);
  if (!address)
    throw new EngineRefused(
      "set PARLEY_FLEET to postgres://USER:PASSWORD@HOST:PORT/DB, or name a file that contains it with --fleet-file FILE",
    );
  if (!/^postgres(?:ql)?:\/\//.test(address)) throw new EngineRefused("the fleet's address must begin with postgres://");
  return address;
}

function readSecret(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) throw new EngineRefused(`--fleet-file ${file}: there is no such file`);
  if ((found.mode & 0o077) !== 0) throw new EngineRefused(`--fleet-file ${file}: others may read it; run: chmod 600 ${file}`);
  return readBoundedTextSync(file, 4096).trim();
}

export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { default: pg } = await import("pg").catch(() => {
    throw new EngineRefused("a fleet needs the PostgreSQL driver; install it beside Parley with: npm install pg@8");
  });
  const config = (max: number): PoolConfig => ({
    connectionString: options.address,
    application_name: options.name,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    query_timeout: statementMs,
    max,
    ...(options.role === undefined ? {} : { options: `-c role=${options.role}` }),
  });
  const pool = quiet(new pg.Pool(config(options.connections ?? 4)));
  const single = quiet(new pg.Pool({ ...config(1), query_timeout: ownMs }));
  const known: Known = { hidden: secretsOf(options.address), names: new Map() };
  return {
    query: (text, values) => run(pool, text, values, known),
    own: (text, values) => runOwn(single, text, values, known),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw readable(error, known.hidden);
      });
      return await inTransaction(client, work, known);
    },
    async close() {
      await Promise.all([pool.end(), single.end()]);
    },
  };
}

/** A connection that breaks is reported here too by the driver; its statement rejects, and the next one opens a new connection. */
function quiet(pool: Pool): Pool {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** What statements of one engine have in common. */
interface Known {
  /** Not to be repeated in errors. */
  readonly hidden: readonly string[];
  /** Under these names each connection keeps a statement as the engine has read and planned it. */
  readonly names: Map<string, string>;
}

/** Nearly all statements are constant texts; those that are put together differ without end. */
const maxNames = 100;

function nameOf(text: string, { names }: Known): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `parley ${names.size + 1}`;
  names.set(text, name);
  return name;
}

async function run<Row extends object>(on: Pool | PoolClient, text: string, values: Values | undefined, known: Known): Promise<Row[]> {
  try {
    // Without values it may be several statements, which have no name.
    const { rows } =
      values === undefined ? await on.query<Row>(text) : await on.query<Row>({ name: nameOf(text, known), text, values: [...values] });
    return rows;
  } catch (error) {
    throw readable(error, known.hidden);
  }
}

/** A connection that did not answer in time is given up: what comes late would be taken for the next answer. */
async function runOwn<Row extends object>(pool: Pool, text: string, values: Values | undefined, known: Known): Promise<Row[]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw readable(error, known.hidden);
  });
  let broken: Error | undefined;
  try {
    return await run<Row>(client, text, values, known);
  } catch (error) {
    if (error instanceof EngineUnreachable) broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function inTransaction<T>(client: PoolClient, work: (query: Query) => Promise<T>, known: Known): Promise<T> {
  const query: Query = (text, values) => run(client, text, values, known);
  let broken: Error | undefined;
  try {
    await query("begin");
    const result = await work(query);
    await query("commit");
    return result;
  } catch (error) {
    await query("rollback").catch((lost: unknown) => {
      broken = toError(lost);
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** What the driver throws, in our terms and without the password. */
function readable(error: unknown, hidden: readonly string[]): Error {
  const code = codeOf(error);
  const said = hidden.reduce((text, secret) => text.replaceAll(secret, "…"), errorMessage(error));
  if (code === "ERR_INVALID_URL")
    return new EngineRefused("the fleet's address is not a valid address: postgres://USER:PASSWORD@HOST:PORT/DB");
  if (refused.test(code) || /does not support SSL/.test(said)) return new EngineRefused(said, { cause: { code } });
  // The driver has no code for a connection that ends in the middle of a statement.
  if (
    passing.test(code) ||
    /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|client was closed and is not queryable|timeout expired|server closed the connection/i.test(
      said,
    )
  )
    return new EngineUnreachable(said || code, { cause: { code } });
  return new Error(said, { cause: { code } });
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "");

/** The password as it stands in the address, and as the driver decodes it. */
function secretsOf(address: string): string[] {
  const raw = /^[a-z]+:\/\/[^/]*?:([^@/]*)@/.exec(address)?.[1] ?? "";
  if (raw === "") return [];
  try {
    return [raw, decodeURIComponent(raw)];
  } catch {
    return [raw];
  }
}
