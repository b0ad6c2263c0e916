/** The help text of `parley app-server`. */
import { configFlag, type FlagHelp, featureFlags, type Help, logFlag } from "../help/text.ts";

/** How a client authenticates over a socket. */
export const authFlags = [
  {
    name: "ws-auth",
    value: "MODE",
    choices: ["capability-token", "signed-bearer-token"],
    text: "capability-token or signed-bearer-token; needed for addresses that others can reach",
  },
  { name: "ws-token-file", value: "FILE", text: "The capability token: 22 characters or more in a file that only its owner can read" },
  { name: "ws-token-sha256", value: "HEX", text: "Its SHA-256 digest instead" },
  {
    name: "ws-shared-secret-file",
    value: "FILE",
    text: "The secret of signed tokens (JWT, HS256), 32 bytes or more in a file that only its owner can read",
  },
  { name: "ws-issuer", value: "ISSUER", text: "Expected iss" },
  { name: "ws-audience", value: "AUDIENCE", text: "Expected aud" },
  { name: "ws-max-clock-skew-seconds", value: "N", text: "Default 30" },
] as const satisfies readonly FlagHelp[];
/** Authentication over a socket; `parley mcp-server` has the same flags. */
export const accessFlags = [
  ...authFlags,
  { name: "ws-allow-origin", value: "ORIGIN", many: true, text: "Accept web pages of this origin; repeatable. Default: none" },
  { name: "ws-allow-host", value: "NAME", many: true, text: "A further name of this machine in the Host header; repeatable" },
] as const satisfies readonly FlagHelp[];

const generate = (what: string, example: string) =>
  ({
    summary: `Write ${what} of the protocol`,
    usage: ["--out <DIR> [--experimental]"],
    flags: [
      { name: "out", short: "o", value: "DIR", text: "The output folder; created if missing" },
      { name: "experimental", text: "Also methods and fields that are behind experimentalApi" },
      { name: "prettier", short: "p", value: "FILE", text: "Accepted for compatibility with other generators; no effect" },
    ],
    examples: [[example, "Everything, into a folder"]],
  }) as const satisfies Help;

const daemon = (summary: string, example: string) =>
  ({ summary, usage: [""], flags: [configFlag, ...featureFlags], examples: [[`parley app-server daemon ${example}`, summary]] }) as const;

export const help = {
  summary: "Serve the app-server protocol over stdio, websockets or a unix socket",
  text: [
    "Without --listen it serves one client over stdin and stdout and ends with it. SIGTERM and SIGINT end running turns and the server.",
    "With --listen the server finishes its running turns first; a second SIGTERM or SIGINT ends them. A question that waits for an answer is put again by the next server.",
  ],
  usage: [
    "[OPTIONS]",
    "daemon <start | stop | restart | version>",
    "proxy [--sock <FILE>]",
    "generate-ts --out <DIR>",
    "generate-json-schema --out <DIR>",
  ],
  commands: {
    daemon: {
      summary: "Start and stop one server in the background, on the unix socket of the home",
      text: [
        "Listens on $CODEX_HOME/app-server-control/app-server-control.sock, which `parley app-server proxy` and clients over ssh use. Prints JSON.",
      ],
      usage: ["<COMMAND>"],
      commands: {
        start: daemon("Start the server, unless one is running", "start"),
        stop: daemon("Stop the server that `daemon start` has started; running turns are ended first", "stop"),
        restart: daemon("Stop the server and start it again", "restart"),
        version: daemon("Print the version of the running server and of this program", "version"),
      },
      examples: [["parley app-server daemon start", "One server for all clients of this home"]],
    },
    proxy: {
      summary: "Join stdin and stdout to the unix socket of a running server",
      usage: ["[--sock <FILE>]"],
      flags: [{ name: "sock", value: "FILE", text: "Default: $CODEX_HOME/app-server-control/app-server-control.sock" }, configFlag],
      examples: [["ssh build-host parley app-server proxy", "A server on another machine, over ssh"]],
    },
    "generate-ts": generate("TypeScript types", "parley app-server generate-ts --out types"),
    "generate-json-schema": generate("JSON Schemas", "parley app-server generate-json-schema --out schemas"),
  },
  flags: [
    {
      name: "listen",
      value: "URL",
      many: true,
      text: "stdio:// (default), ws://IP:PORT, unix://PATH or unix:// ($CODEX_HOME/app-server-control); repeatable",
    },
    { name: "stdio", text: "The same as --listen stdio://" },
    configFlag,
    ...featureFlags,
    {
      name: "compat",
      value: "GENERATION",
      choices: ["seed-000", "0.92", "0.166"],
      text: "Use the dialect of seed-000, 0.92 or 0.166 for every client; default: detected at initialize",
    },
    { name: "strict-config", text: "Refuse to start when config.toml contains unknown keys" },
    logFlag,
    { name: "analytics-default-enabled", text: "Accepted for compatibility with editors; nothing is ever reported anywhere" },
    { name: "startup-client-info", value: "JSON", text: "Accepted for compatibility with clients; initialize identifies them" },
  ],
  groups: { Websockets: accessFlags },
  exitCodes: "0 the client has gone or a signal came, 1 it could not start, 2 the command line is wrong",
  examples: [
    ["parley app-server", "One client over stdin and stdout"],
    ["parley app-server --listen ws://127.0.0.1:4500", "Any number of clients on this machine"],
    ["parley app-server --listen unix:// --log-level info", "A socket in the home folder, and a log to watch"],
  ],
} as const satisfies Help;
