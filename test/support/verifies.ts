/** A scenario is a test that names the requirement it proves. Provides a home, a workspace, a scripted model and a server. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { type Client, openClient } from "../../src/client/client.ts";
import type { InitializeParams } from "../../src/protocol/initialize.ts";
import { type RequirementId, requirements } from "../requirements.ts";
import { type Leg, leg, type Server, startServer } from "./server.ts";
import { Wire } from "./wire.ts";

export interface StageOptions {
  /** The scripted model's replies, turn by turn: `[[{ say: "hi" }]]`. The format is in docs/scripted-model.md. */
  readonly turns?: readonly unknown[];
  /** Lines for the top of config.toml. */
  readonly config?: string;
  /** The value of each `-c` of the command line; on the leg in memory only. */
  readonly flags?: readonly string[];
  readonly capabilities?: InitializeParams["capabilities"];
}

export interface Stage {
  readonly home: string;
  readonly workspace: string;
  /** The machine's own settings (requirements.toml); on the leg in memory only. */
  readonly systemDir: string;
  /** A typed client, after the handshake. The first connection writes the config and starts the server; later ones join it. */
  app(options?: StageOptions): Promise<Client>;
  /** A raw connection, before the handshake. */
  wire(options?: StageOptions): Promise<Wire>;
  /** Stops the server; the next connection starts a new one on the same home. */
  restart(): Promise<void>;
}

interface VerifyOptions {
  /** Legs that the scenario applies to; default: all. */
  readonly legs?: readonly Leg[];
  /** Why the scenario is skipped here. */
  readonly skip?: string | undefined;
}

export function verifies(id: RequirementId, scenario: (stage: Stage) => Promise<void>, options: VerifyOptions = {}): void {
  if (options.legs !== undefined && !options.legs.includes(leg)) return;
  const { says, knownFailure }: { says: string; knownFailure?: string } = requirements[id];
  test(`${id}: ${says}`, options.skip === undefined ? {} : { skip: options.skip }, async () => {
    const outcome = await onStage(scenario).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (knownFailure === undefined && outcome !== undefined) throw outcome.error;
    if (knownFailure !== undefined && outcome === undefined) throw new Error(`${id} works now: take its knownFailure away`);
  });
}

async function onStage(scenario: (stage: Stage) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-scenario-")));
  const home = path.join(root, "home");
  const workspace = path.join(root, "workspace");
  const systemDir = path.join(root, "etc");
  for (const folder of [home, workspace, systemDir]) mkdirSync(folder);
  let server: Promise<Server> | undefined;
  const connect = async (options: StageOptions) => {
    if (server === undefined && !existsSync(path.join(home, "config.toml"))) writeHome(home, options);
    server ??= startServer({ home, workspace, systemDir, flags: options.flags });
    return (await server).connect();
  };
  const stopServer = async (): Promise<void> => {
    const running = server;
    server = undefined;
    await (await running)?.stop();
  };
  try {
    await scenario({
      home,
      workspace,
      systemDir,
      app: async (options = {}) => openClient(await connect(options), { onTrouble: fail, ...pickCapabilities(options) }),
      wire: async (options = {}) => new Wire(await connect(options)),
      restart: stopServer,
    });
    await stopServer();
  } finally {
    await stopServer().catch(() => {});
    rmSync(root, { recursive: true, force: true });
  }
}

const pickCapabilities = ({ capabilities }: StageOptions) => (capabilities === undefined ? {} : { capabilities });
function fail(error: Error): void {
  throw error;
}

/** The scripted model replies as the scenario specifies; nothing ever leaves the machine. */
export function writeHome(home: string, { turns = [[{ say: "Hello." }]], config = "" }: StageOptions): void {
  writeFileSync(path.join(home, "scenario.json"), JSON.stringify({ turns }));
  const provider = `[model_providers.script]\nname = "Script"\nwire_api = "scripted"\noptions = { scenario = "scenario.json" }\n`;
  writeFileSync(path.join(home, "config.toml"), `model = "scripted"\nmodel_provider = "script"\n${config}\n${provider}`);
}
