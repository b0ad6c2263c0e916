/** `shell_command`: a script, run to its end. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { boolean, described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { changed } from "./arguments.ts";
import { defaultTimeoutMs, escalationFields, escalationOf, folderNames, scriptFrom, shellAliases, workdir } from "./command.ts";
import { functionTool } from "./define.ts";

const Args = named("ShellCommandArgs", () =>
  object({
    command: described(string(), "The script."),
    workdir: maybe(described(string(), "The folder to run it in.")),
    login: maybe(described(boolean(), "Whether the shell reads the login files; true when left out.")),
    timeout_ms: maybe(described(natural(), `Milliseconds until it is stopped; ${defaultTimeoutMs} when left out.`)),
    ...escalationFields(),
  }),
);

export const shellCommand = (shellPath: string): Tool =>
  functionTool({
    name: "shell_command",
    description: "Runs a script in the user's shell and returns its output. Set workdir instead of using cd.",
    args: Args,
    aliases: shellAliases,
    otherNames: { cmd: "command", script: "command", commands: "command", code: "command", timeout: "timeout_ms", ...folderNames },
    adapt: (args) => changed(args, "command", scriptFrom),
    plan(args, settings) {
      if (args.command.trim() === "") return failed("failed to parse function arguments: command must not be empty");
      return {
        kind: "command",
        argv: [shellPath, args.login === false ? "-c" : "-lc", args.command],
        cwd: workdir(settings, args.workdir),
        tty: false,
        yieldMs: undefined,
        timeoutMs: args.timeout_ms ?? defaultTimeoutMs,
        maxOutputTokens: undefined,
        format: "shell_command",
        ...escalationOf(args),
      };
    },
  });
