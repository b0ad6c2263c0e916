/** The flags and help text of `parley mcp-server`. */
import { accessFlags } from "../app-server/help.ts";
import { configFlag, featureFlags, type Help, logFlag } from "../help/text.ts";

export const help = {
  summary: "Serve the agent to MCP clients, over stdio or HTTP",
  text: [
    "Offers the tools codex and codex-reply. Approvals are asked for by elicitation; a client that cannot be asked gets what the approval policy allows unasked.",
  ],
  usage: ["[OPTIONS]"],
  flags: [
    { name: "listen", value: "URL", text: "stdio:// (default) or http://IP:PORT (streamable HTTP, path /mcp)" },
    configFlag,
    ...featureFlags,
    logFlag,
  ],
  groups: { HTTP: accessFlags },
  exitCodes: "0 the client has gone or a signal came, 1 it could not start, 2 the command line is wrong",
  examples: [
    ["parley mcp-server", "For clients that start their servers; parley-mcp-server is the same program under one word"],
    ["parley mcp-server --listen http://127.0.0.1:4600", "For clients that connect"],
  ],
} as const satisfies Help;
