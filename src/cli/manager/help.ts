/** The help text of `parley manager`. */
import { configFlag, fleetFileFlag, type Help, logFlag } from "../help/text.ts";

export const help = {
  summary: "Every session in one place, in the browser and over HTTP",
  text: ["A page, an HTTP API and websockets over one engine: its own, or one that runs elsewhere."],
  usage: ["[OPTIONS]", "link", "--print-service [systemd|launchd]"],
  completions: ["link"],
  flags: [
    { name: "listen", value: "IP:PORT", text: "Default 127.0.0.1:4180" },
    {
      name: "token-file",
      value: "FILE",
      text: "Its text, as a bearer token, is an administrator's; made with mode 0600 where it is missing. Default: $CODEX_HOME/parley/manager/token",
    },
    { name: "connect", value: "URL", text: "Manage a running engine (ws://…, wss://… or unix://PATH) instead of one in this process" },
    { name: "connect-token-file", value: "FILE", text: "The bearer token for it, in a file of mode 0600" },
    {
      name: "fleet-admin-token-file",
      value: "FILE",
      text: "Where --connect leads to a front of a fleet: an administrator's token of it (parley fleet token --admin), mode 0600. With it the page shows the fleet's workers and can let one leave",
    },
    {
      name: "fleet",
      text: "Serve the threads of a fleet of workers at /rpc instead of an engine of its own; no page. Clients sign in with tokens of the fleet",
    },
    fleetFileFlag,
    { name: "no-open", text: "Do not open the browser" },
    { name: "tls-cert", value: "FILE", text: "Serve over TLS; needed for addresses that others can reach" },
    { name: "tls-key", value: "FILE", text: "The certificate's key" },
    { name: "allow-plain-http", text: "Listen on such an address even without TLS" },
    { name: "allow-host", value: "NAME", many: true, text: "A further name of this machine in the Host header; repeatable" },
    {
      name: "push-host",
      value: "HOST",
      many: true,
      text: "A push service besides those of the browsers' makers, as HOST or HOST:PORT, that notifications may be sent through; repeatable",
    },
    {
      name: "print-service",
      text: "Print a systemd or launchd unit that runs it with the other options, and exit. Default: this system's",
    },
    configFlag,
    logFlag,
  ],
  notes: {
    Addresses: [
      "/              The page",
      "/api/…         The API; GET /api/openapi.json describes it",
      "/api/stream    A websocket of events",
      "/rpc           A websocket that speaks the app-server protocol, with the token as a bearer token",
    ].join("\n"),
  },
  exitCodes: "0 a signal came, 1 it could not start, 2 the command line is wrong",
  examples: [
    ["parley manager", "Start it and open the page"],
    ["parley manager link", "A fresh sign-in link of the manager that runs here"],
    ["parley manager --print-service systemd > ~/.config/systemd/user/parley.service", "Keep it running"],
    ["parley manager --fleet --listen 127.0.0.1:4180 --no-open", "A front of a fleet, with the engine's address in PARLEY_FLEET"],
    [
      "parley manager --connect ws://127.0.0.1:4180/rpc --connect-token-file ann.token --fleet-admin-token-file admin.token --listen 127.0.0.1:4181",
      "The page of a fleet, with its workers",
    ],
    ["parley manager --connect unix:///run/user/1000/parley.sock --no-open", "Manage a server that runs already"],
  ],
} as const satisfies Help;
