/** A stand-in for a fleet's front: its operators' addresses over workers that the test names, or whatever else the test lets it answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FleetReport, FleetStatus, FleetUser } from "../../src/core/ports/fleet.ts";
import { answerFleet } from "../../src/front/fleet-routes.ts";
import { Fleet } from "../../src/manager/fleet.ts";

export const fleetToken = "an-administrators-token-of-the-fleet";
const users = new Map<string, FleetUser>([
  [`Bearer ${fleetToken}`, { admin: true, team: null, user: null, rights: "everything" }],
  ["Bearer a-token-of-a-team", { admin: false, team: "a", user: "ann", rights: "everything" }],
]);

export class StandInFront {
  readonly #server: Server;
  /** What it was asked, oldest first. */
  readonly asked: string[] = [];
  workers: FleetStatus["workers"] = [
    { name: "host-1", state: "up", threads: 3, labels: ["gpu", "eu-west"] },
    { name: "host-2", state: "up", threads: 1, labels: [] },
    { name: "host-3", state: "lost", threads: 0, labels: ["gpu"] },
  ];
  threads: FleetStatus["threads"] = { live: 4, active: 2, waiting: 1 };
  /** Answers instead, where a test wants a front that misbehaves. */
  reply: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<StandInFront> {
    const server = createServer();
    const front = new StandInFront(server);
    server.on("request", (request, response) => {
      front.asked.push(`${request.method} ${request.url}`);
      if (front.reply !== undefined) return front.reply(request, response);
      void front.#answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  fleet(options: { readonly token?: string; readonly timeoutMs?: number } = {}): Fleet {
    return new Fleet({ connect: `ws://${this.host}/rpc`, token: fleetToken, ...options });
  }
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer({ method = "", url = "", headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(url, "http://front");
    const { status, contentType, body } = await answerFleet({ method, pathname }, users.get(headers.authorization ?? ""), this.#report());
    response.writeHead(status, { "content-type": contentType }).end(body);
  }

  #report(): FleetReport {
    return {
      status: async () => ({ workers: this.workers, threads: this.threads }),
      place: async () => undefined,
      metrics: async () => "",
      drain: async (name) => {
        const state = this.workers.find((one) => one.name === name)?.state;
        if (state === undefined || state === "lost") return state ?? "unknown";
        this.workers = this.workers.map((one) => (one.name === name ? { ...one, state: "draining" } : one));
        return "draining";
      },
    };
  }
}
