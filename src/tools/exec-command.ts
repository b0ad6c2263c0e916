/** `exec_command`: a script that may continue in the background, with a terminal if requested. */
import path from "node:path";
import { failed, type Tool } from "../core/ports/tool.ts";
import { boolean, described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { changed } from "./arguments.ts";
import { escalationFields, escalationOf, folderNames, scriptFrom, shellAliases, workdir } from "./command.ts";
import { functionTool } from "./define.ts";

const yieldMs = { least: 250, most: 30_000, usual: 10_000 };
/** Shells that the model may choose; anything else could be a different program with a similar name. */
const shells = new Set(["bash", "sh", "zsh", "dash", "fish"]);

const Args = named("ExecCommandArgs", () =>
  object({
    cmd: described(string(), "The script."),
    workdir: maybe(described(string(), "The folder to run it in.")),
    shell: maybe(described(string(), "The shell to use; the user's own when left out.")),
    login: maybe(described(boolean(), "Whether the shell reads the login files; true when left out.")),
    tty: maybe(described(boolean(), "Whether it gets a terminal; false when left out.")),
    yield_time_ms: maybe(described(natural(), "Milliseconds to wait for its end; 10000 when left out.")),
    max_output_tokens: maybe(described(natural(), "How much output to return at most.")),
    ...escalationFields(),
  }),
);

export const execCommand = (shellPath: string): Tool =>
  functionTool({
    name: "exec_command",
    description:
      "Runs a script and returns its output, or a session id when it still runs after yield_time_ms; speak to it with write_stdin then.",
    args: Args,
    aliases: shellAliases,
    otherNames: { command: "cmd", script: "cmd", commands: "cmd", code: "cmd", ...folderNames },
    adapt: (args) => changed(args, "cmd", scriptFrom),
    plan(args, settings) {
      if (args.cmd.trim() === "") return failed("failed to parse function arguments: cmd must not be empty");
      return {
        kind: "command",
        argv: [shellFor(args.shell, shellPath), args.login === false ? "-c" : "-lc", args.cmd],
        cwd: workdir(settings, args.workdir),
        tty: args.tty === true,
        yieldMs: Math.min(yieldMs.most, Math.max(yieldMs.least, args.yield_time_ms ?? yieldMs.usual)),
        timeoutMs: undefined,
        maxOutputTokens: args.max_output_tokens ?? undefined,
        format: "exec_command",
        ...escalationOf(args),
      };
    },
  });

/** A shell by its bare name in the system's folder; a path chosen by the model is not used. */
function shellFor(wanted: string | null | undefined, usual: string): string {
  const name = wanted ? path.basename(wanted) : "";
  return shells.has(name) && name !== path.basename(usual) ? `/bin/${name}` : usual;
}
