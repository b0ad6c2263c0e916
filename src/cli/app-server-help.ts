/** `parley app-server --help`. */
export function printHelp(): number {
  process.stdout.write(`Serve the app-server protocol.

Usage: parley app-server [OPTIONS] [COMMAND]

Commands:
  proxy                 Join stdin and stdout to the unix socket of a running server
  generate-ts           Write TypeScript types of the protocol
  generate-json-schema  Write JSON Schemas of the protocol

Options:
      --listen <URL>         stdio:// (default), ws://IP:PORT, unix://PATH or unix:// ($CODEX_HOME/app-server-control); repeatable
      --stdio                The same as --listen stdio://
  -c, --config <key=value>   Override a value of config.toml; the value is TOML; repeatable
      --enable <FEATURE>     The same as -c features.<FEATURE>=true
      --disable <FEATURE>    The same as -c features.<FEATURE>=false
      --compat <GENERATION>  Speak as seed-000, 0.92 or 0.166 to every client; default: found out at initialize
      --strict-config        Refuse to start when config.toml holds keys that are not known
      --log-level <LEVEL>    error, warn (default), info or debug; JSON lines on stderr. Also PARLEY_LOG

Websockets:
      --ws-auth <MODE>                 capability-token or signed-bearer-token; needed for addresses that others can reach
      --ws-token-file <PATH>           The capability token
      --ws-token-sha256 <HEX>          Its SHA-256 digest instead
      --ws-shared-secret-file <PATH>   The secret of signed tokens (JWT, HS256), 32 bytes or more
      --ws-issuer <ISSUER>             Expected iss
      --ws-audience <AUDIENCE>         Expected aud
      --ws-max-clock-skew-seconds <N>  Default 30
      --ws-allow-origin <ORIGIN>       Let web pages of this origin in; repeatable. Default: none
      --ws-allow-host <NAME>           A further name of this machine in the Host header; repeatable

Signals: SIGTERM and SIGINT end running turns and the server. The end of input ends a server on stdio.
`);
  return 0;
}
