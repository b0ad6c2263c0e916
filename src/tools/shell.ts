/** `shell`: one command as a list of arguments, run to its end. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { array, described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { changed } from "./arguments.ts";
import { defaultTimeoutMs, escalationFields, escalationOf, folderNames, workdir } from "./command.ts";
import { functionTool } from "./define.ts";

const Args = named("ShellArgs", () =>
  object({
    command: described(array(string()), "The command, one word an element."),
    workdir: maybe(described(string(), "The folder to run it in.")),
    timeout_ms: maybe(described(natural(), `Milliseconds until it is stopped; ${defaultTimeoutMs} when left out.`)),
    ...escalationFields(),
  }),
);

export const shell = (shellPath: string): Tool =>
  functionTool({
    name: "shell",
    description:
      'Runs a command and returns its output. Most commands want a shell: ["bash", "-lc", "…"]. Set workdir instead of using cd.',
    args: Args,
    aliases: ["local_shell", "container.exec"],
    otherNames: { cmd: "command", script: "command", timeout: "timeout_ms", ...folderNames },
    adapt: (args) => changed(args, "command", (value) => argsFrom(value, shellPath)),
    plan(args, settings) {
      if (args.command.length === 0 || args.command[0] === "")
        return failed("failed to parse function arguments: command must not be empty");
      return {
        kind: "command",
        argv: args.command,
        cwd: workdir(settings, args.workdir),
        tty: false,
        yieldMs: undefined,
        timeoutMs: args.timeout_ms ?? defaultTimeoutMs,
        maxOutputTokens: undefined,
        format: "shell",
        ...escalationOf(args),
      };
    },
  });

/** A single string instead of a list is a script for the user's shell; a JSON list as a string is that list. */
const argsFrom = (value: unknown, shellPath: string): unknown =>
  typeof value === "string" && value.trim() !== "" && !/^\s*\[/.test(value) ? [shellPath, "-lc", value] : value;
