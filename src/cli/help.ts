/** `parley --help`: the list of subcommands. */
import { commands } from "./commands.ts";

export async function run(): Promise<number> {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  process.stdout.write(
    [
      "Parley: a coding agent's server, a drop-in for the Codex app-server.",
      "",
      "Usage: parley [-c key=value] <COMMAND> [OPTIONS]",
      "",
      "Commands:",
      ...rows,
      "",
      "Options:",
      "  -c, --config <key=value>  Override a value of config.toml; repeatable",
      "  -V, --version             Print the version",
      "  -h, --help                Print this list; `parley <COMMAND> --help` says more",
      "",
    ].join("\n"),
  );
  return 0;
}
