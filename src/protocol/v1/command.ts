/** Commands and git before 0.56. Implemented in adapters/v1. */
import { array, type Infer, integer, maybe, named, natural, object, string } from "../../lib/schema.ts";
import { request } from "../define.ts";
import { limitCommand, limitPath, limitSettings } from "../limits.ts";
import { SandboxPolicy } from "../policy.ts";
import { acceptSettings } from "../spellings.ts";

export const ExecOneOffCommandParams = named("v1.ExecOneOffCommandParams", () =>
  object({ command: array(string()), cwd: maybe(string()), sandboxPolicy: maybe(SandboxPolicy()), timeoutMs: maybe(natural()) }),
);
export type ExecOneOffCommandParams = Infer<typeof ExecOneOffCommandParams>;

export const ExecOneOffCommandResponse = named("v1.ExecOneOffCommandResponse", () =>
  object({ exitCode: integer(), stdout: string(), stderr: string() }),
);
export type ExecOneOffCommandResponse = Infer<typeof ExecOneOffCommandResponse>;

export const GitDiffToRemoteParams = named("v1.GitDiffToRemoteParams", () => object({ cwd: string() }));
export type GitDiffToRemoteParams = Infer<typeof GitDiffToRemoteParams>;

export const GitDiffToRemoteResponse = named("v1.GitDiffToRemoteResponse", () => object({ sha: string(), diff: string() }));
export type GitDiffToRemoteResponse = Infer<typeof GitDiffToRemoteResponse>;

export const v1CommandRequests = {
  /** Runs one command in the sandbox and responds when it has ended. */
  execOneOffCommand: request({
    params: ExecOneOffCommandParams,
    result: ExecOneOffCommandResponse,
    accept: acceptSettings,
    limits(params) {
      limitCommand(params.command);
      limitSettings(params);
    },
  }),
  /** Returns what a folder contains that its remote does not. */
  gitDiffToRemote: request({ params: GitDiffToRemoteParams, result: GitDiffToRemoteResponse, limits: ({ cwd }) => limitPath("cwd", cwd) }),
};
