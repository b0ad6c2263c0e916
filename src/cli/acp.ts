/** `parley acp`: the agent for editors that speak the Agent Client Protocol, over stdio. */
import { createAgent } from "../adapters/acp/agent.ts";
import { messageStream } from "../adapters/acp/lines.ts";
import { connectInProcess } from "../main/in-process.ts";
import { stdioTransport } from "../rpc/stdio.ts";
import { acpHelp } from "./help/small-helps.ts";
import { openApp, surviveWith } from "./own-app.ts";
import { type Globals, readFlags, refuseMore, signalled } from "./usage.ts";
import { version } from "./version.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, acpHelp);
  refuseMore(positionals);
  const app = openApp(globals, values);
  surviveWith(app);
  const agent = createAgent({
    version,
    connect: (clientInfo, capabilities) =>
      connectInProcess(app, { clientInfo, capabilities, connection: { keepsUnused: true, needsModel: true } }),
  });
  const connection = agent.connect(messageStream(stdioTransport()));
  await Promise.race([connection.closed, signalled()]);
  connection.close();
  await app.close();
  process.exit(0); // idle connections to models and tools must not keep a finished agent alive
}
