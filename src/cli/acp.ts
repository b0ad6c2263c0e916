/** `parley acp`: the agent for editors that speak the Agent Client Protocol, over stdio. */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { createAgent } from "../adapters/acp/agent.ts";
import { createApp } from "../main/compose.ts";
import { connectInProcess } from "../main/in-process.ts";
import { createLog } from "../main/log.ts";
import { codexHome, type Globals, readFlags, signalled, UsageError } from "./usage.ts";
import { version } from "./version.ts";

const flags = {
  config: { type: "string", short: "c", multiple: true },
  enable: { type: "string", multiple: true },
  disable: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, flags);
  if (values.help === true) return printHelp();
  if (positionals[0] !== undefined) throw new UsageError(`unexpected argument '${positionals[0]}'`);
  const features = [
    ...(values.enable ?? []).map((name) => `features.${name}=true`),
    ...(values.disable ?? []).map((name) => `features.${name}=false`),
  ];
  const app = createApp({
    codexHome: codexHome(),
    log: createLog("warn", Date.now),
    cliOverrides: [...globals.config, ...(values.config ?? []), ...features],
  });
  const agent = createAgent({ version, connect: (clientInfo) => connectInProcess(app, { clientInfo }) });
  const connection = agent.connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );
  await Promise.race([connection.closed, signalled()]);
  connection.close();
  await app.close();
  process.exit(0); // idle connections to models and tools must not keep a finished agent alive
}

function printHelp(): number {
  process.stdout.write(`Serve an editor that speaks the Agent Client Protocol (Zed, JetBrains, Neovim, Emacs), over stdin and stdout.

Usage: parley acp [OPTIONS]

Options:
  -c, --config <key=value>  Override a value of config.toml; the value is TOML; repeatable
      --enable <FEATURE>    The same as -c features.<FEATURE>=true
      --disable <FEATURE>   The same as -c features.<FEATURE>=false

In Zed's settings.json:
  "agent_servers": { "Parley": { "command": "parley", "args": ["acp"] } }
`);
  return 0;
}
