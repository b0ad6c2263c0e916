/** A PostgreSQL server of a test's own: in a folder of its own, on a free port of the loopback, ended with the test. */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, deletedWith, type Ending } from "./ending.ts";

const programs = ["/usr/local/bin", "/usr/bin", ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed()];
const bin = programs.find((folder) => existsSync(path.join(folder, "initdb")) && existsSync(path.join(folder, "postgres")));

/** Why tests that need the engine are skipped; false where it is installed. */
export const noPostgres: string | false = bin === undefined ? "PostgreSQL is not installed" : false;

/** As root the engine refuses to run; Debian's package makes this user. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

export class Postgres {
  readonly port: number;
  readonly password: string;
  readonly #data: string;
  #pid: number | undefined;

  private constructor(data: string, port: number, password: string) {
    this.#data = data;
    this.port = port;
    this.password = password;
  }

  /** As its superuser. */
  get address(): string {
    return `postgres://parley:${this.password}@127.0.0.1:${this.port}/postgres`;
  }
  addressOf(user: string, password: string): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/postgres`;
  }

  static async start(t: Ending): Promise<Postgres> {
    if (bin === undefined) throw new Error("PostgreSQL is not installed");
    const folder = mkdtempSync("/var/tmp/parley-postgres-");
    deletedWith(t, folder);
    const user = owner();
    const data = path.join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    const password = randomBytes(12).toString("hex");
    const passwordFile = path.join(folder, "password");
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user !== undefined) for (const one of [folder, data, passwordFile]) chownSync(one, user.uid, user.gid);
    const flags = [
      "-D",
      data,
      "-U",
      "parley",
      "--pwfile",
      passwordFile,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--no-locale",
      "--no-instructions",
    ];
    execFileSync(path.join(bin, "initdb"), flags, { ...user, cwd: folder, stdio: "ignore" });
    const postgres = new Postgres(data, await freePort(), password);
    atEnd(t, () => postgres.kill());
    await postgres.up();
    return postgres;
  }

  /** Starts it, also again after `kill`. Resolves when it takes connections. */
  async up(): Promise<void> {
    if (bin === undefined) throw new Error("PostgreSQL is not installed");
    const settings = { port: this.port, listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: 300 };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(path.join(bin, "postgres"), ["-D", this.#data, ...flags], {
      ...owner(),
      cwd: path.dirname(this.#data),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#pid = child.pid;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    for (let left = 600; !said.includes("ready to accept connections"); left--) {
      if (left === 0 || child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
      await sleep(50);
    }
  }

  /** As a power failure: it has no time to write anything. Resolves when its processes are gone. */
  async kill(): Promise<void> {
    const pid = this.#pid;
    if (pid === undefined) return;
    this.#pid = undefined;
    process.kill(pid, "SIGKILL");
    // Its children notice it by themselves, and the shared memory is free once they have ended.
    while (existsSync(`/proc/${pid}`) || childrenOf(this.#data).length > 0) await sleep(20);
  }
}

/** Processes of the engine that still run on the folder. */
function childrenOf(data: string): string[] {
  return globSync("/proc/[0-9]*/cwd").filter((link) => {
    try {
      return readlinkSync(link) === data;
    } catch {
      return false;
    }
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
