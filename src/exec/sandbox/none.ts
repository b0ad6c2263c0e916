/**
 * No confinement: for full access, and where an external sandbox is declared. Chosen only by the runner, if the policy says so explicitly.
 */
import type { Command, SandboxState, WrappedCommand } from "../../core/ports/command-runner.ts";
import { noLeftovers, type PlatformSandbox } from "./platform-sandbox.ts";

export class OpenSandbox implements PlatformSandbox {
  readonly leftovers = noLeftovers;

  prepare(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  state(): Promise<SandboxState> {
    return Promise.resolve({ engine: "none", text: "commands are not confined", limits: [] });
  }

  wrap(command: Command): WrappedCommand {
    return { argv: command.argv, cwd: command.cwd, env: command.env, extra: [] };
  }
}
