/** Composes a front of a fleet: the engine's tables behind src/front. Loaded only by `parley manager --fleet`. */
import { connect } from "node:net";
import manifest from "../../package.json" with { type: "json" };
import type { FleetWorker } from "../core/ports/fleet.ts";
import { type Engine, openEngine } from "../fleet/engine.ts";
import { reachEngine } from "../fleet/reach.ts";
import { createRegistry } from "../fleet/registry.ts";
import { reportOf } from "../fleet/report.ts";
import { checkSchema } from "../fleet/schema.ts";
import { tokensOf } from "../fleet/tokens.ts";
import type { LinkUser } from "../front/client.ts";
import { answerFleet, isFleetPath } from "../front/fleet-routes.ts";
import { Front } from "../front/front.ts";
import { type FrontServerOptions, type ServedFront, serveFront } from "../front/server.ts";
import { problem } from "../lib/schema.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { InitializeParams } from "../protocol/initialize.ts";
import type { Transport } from "../rpc/transport.ts";
import { connectWebSocket } from "../rpc/websocket.ts";
import { introduce } from "../server/introduce.ts";
import { systemName } from "./system.ts";

export interface FleetFrontOptions extends Omit<FrontServerOptions, "front" | "tokens" | "answer"> {
  /** The engine's address. */
  readonly address: string;
  readonly codexHome: string;
  /** Called once, while the engine does not answer. */
  readonly onWait: (reason: string) => void;
  readonly signal: AbortSignal;
}

/** Look-ups of threads, workers and tokens; a front writes next to nothing. */
const connections = 6;
const connectMs = 5000;
const knockMs = 1000;

/** Rejects with EngineRefused where the engine refuses us; one that does not answer is waited for. */
export async function startFleetFront(options: FleetFrontOptions): Promise<ServedFront> {
  const engine = await openEngine({ address: options.address, name: "parley front", connections });
  try {
    await reachEngine(() => checkSchema(engine), options);
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function serve(engine: Engine, options: FleetFrontOptions): Promise<ServedFront> {
  const { codexHome, warn } = options;
  const about = { version: manifest.version, codexHome, system: systemName(), compat: undefined };
  const front = new Front({
    registry: createRegistry(engine),
    knock,
    connect: connectWorker,
    introduce(params) {
      const wrong = problem(InitializeParams(), params ?? {});
      if (wrong !== undefined) throw invalidRequest(`Invalid request: ${wrong}`);
      return introduce(params as InitializeParams, about).answer;
    },
    warn,
  });
  front.start();
  await reachEngine(() => front.fleet.fresh(), options);
  const report = reportOf(engine.query);
  const served = await serveFront({
    ...options,
    front,
    tokens: tokensOf(engine.query),
    answer: async (request, user) => (isFleetPath(request.pathname) ? await answerFleet(request, user, report) : undefined),
  });
  return {
    url: served.url,
    async close() {
      await served.close();
      front.close();
      await engine.close();
    },
  };
}

/** A worker takes the word of whoever knows its secret for whom a connection is. */
function connectWorker(worker: FleetWorker, { team, user, rights }: LinkUser): Promise<Transport> {
  return connectWebSocket(worker.url, {
    token: worker.linkSecret,
    headers: { "parley-team": team, "parley-user": encodeURIComponent(user ?? ""), "parley-rights": rights },
    certSha256: worker.certSha256 ?? undefined,
    timeoutMs: connectMs,
  });
}

/** Whether the system takes connections at the worker's address; the worker itself need not say anything. */
function knock({ url }: FleetWorker): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const socket = connect({ host, port: Number(port || (protocol === "wss:" ? 443 : 80)) });
    socket.setTimeout(knockMs, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
