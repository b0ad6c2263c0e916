/** The larger part of `parley app-server`: listens on its endpoints and shuts down in order. Loaded after the client's first response. */
import type { Greeting } from "../../main/greet.ts";
import { type AccessPolicy, type Endpoint, listenOn } from "../../main/listen.ts";
import { openStderr } from "../../main/survive.ts";
import type { AgentFlags } from "../agent-flags.ts";
import { openApp, surviveWith } from "../own-app.ts";
import { cannotListen, type Globals, StartError } from "../usage.ts";

export interface ServeOptions {
  readonly globals: Globals;
  readonly flags: AgentFlags & { readonly "strict-config"?: boolean | undefined };
  readonly endpoints: readonly Endpoint[];
  readonly access: AccessPolicy;
  readonly compat: "seed-000" | "0.92" | "0.166" | undefined;
  readonly greeting: Greeting | undefined;
  /** Resolves when a signal asks the server to exit, which may happen before it is loaded. */
  readonly stopped: Promise<void>;
  /** Aborted when running turns are not to be waited for; undefined where they never are. */
  readonly again: AbortSignal | undefined;
}

export async function serveApp({ globals, flags, endpoints, access, compat, greeting, stopped, again }: ServeOptions): Promise<number> {
  const app = openApp(globals, flags, { compat, system: greeting?.system });
  surviveWith(app);
  if (flags["strict-config"] === true) refuseWarnings(app.config.effective(process.cwd()).warnings);
  const listening = await listenOn(app, endpoints, access, greeting).catch((error: Error) => {
    throw cannotListen(error);
  });
  for (const url of listening.urls) announce(url);
  setTimeout(keepYoungSpaceSmall, youngSpaceMs).unref();
  await Promise.race([listening.finished, stopped]);
  if (again !== undefined) await app.threads.finishTurns(again);
  await listening.close();
  process.exit(0); // idle connections to models and tools must not keep a finished server alive
}

/** After the first responses, since loading node:v8 takes milliseconds, and after the compiled code was saved (code-cache.ts): V8 rejects code of other flags. */
const youngSpaceMs = 3_500;

/** The launcher of a checkout requests this with a flag; an installed package is started without it. */
function keepYoungSpaceSmall(): void {
  if (process.execArgv.some((flag) => flag.startsWith("--max-semi-space-size"))) return;
  const flag = "--semi-space-growth-factor=1";
  process.getBuiltinModule("node:v8").setFlagsFromString(flag);
  process.execArgv.push(flag); // the compiled code of what is loaded from now on is kept apart by its flags
}

function refuseWarnings(warnings: readonly string[]): void {
  if (warnings.length > 0) throw new StartError(`--strict-config: ${warnings.join("; ")}`);
}

/** For the person at the terminal, and for programs that wait for the address. */
function announce(url: string): void {
  const lines = url.startsWith("unix:")
    ? ["parley app-server (unix socket)", `  listening on: ${url}`]
    : [
        "parley app-server (WebSockets)",
        `  listening on: ${url}`,
        `  readyz: ${url.replace(/^ws/, "http")}/readyz`,
        `  healthz: ${url.replace(/^ws/, "http")}/healthz`,
      ];
  openStderr().write(`${lines.join("\n")}\n`);
}
