/** Terminals of a client, for commands that run outside the sandbox. Sent by server/client-terminals.ts; the shapes are those of the Agent Client Protocol. */
import { array, boolean, type Infer, integer, maybe, named, natural, object, string } from "../lib/schema.ts";
import { Empty, request } from "./define.ts";

export const TerminalCreateParams = named("TerminalCreateParams", () =>
  object({
    threadId: string(),
    turnId: string(),
    /** The command's item, which the client shows the terminal in. */
    itemId: string(),
    command: string(),
    args: array(string()),
    cwd: string(),
    env: array(object({ name: string(), value: string() })),
    /** The client keeps at least the last bytes of the output, up to this many. */
    outputByteLimit: natural(),
  }),
);
export type TerminalCreateParams = Infer<typeof TerminalCreateParams>;

export const TerminalCreateResponse = named("TerminalCreateResponse", () => object({ terminalId: string() }));
export type TerminalCreateResponse = Infer<typeof TerminalCreateResponse>;

export const TerminalParams = named("TerminalParams", () => object({ threadId: string(), terminalId: string() }));
export type TerminalParams = Infer<typeof TerminalParams>;

export const TerminalExitStatus = named("TerminalExitStatus", () => object({ exitCode: maybe(integer()), signal: maybe(string()) }));
export type TerminalExitStatus = Infer<typeof TerminalExitStatus>;

export const TerminalOutputResponse = named("TerminalOutputResponse", () =>
  object({ output: string(), truncated: boolean(), exitStatus: maybe(TerminalExitStatus()) }),
);
export type TerminalOutputResponse = Infer<typeof TerminalOutputResponse>;

export const clientTerminalServerRequests = {
  /** Runs a command that leaves the sandbox anyway in a terminal of the client. Only for clients with `capabilities.extensions.parley.terminals`. */
  "terminal/create": request({ params: TerminalCreateParams, result: TerminalCreateResponse, own: true }),
  /** The output so far, and how the command ended if it has. */
  "terminal/output": request({ params: TerminalParams, result: TerminalOutputResponse, own: true }),
  /** Answered when the command has ended. */
  "terminal/waitForExit": request({ params: TerminalParams, result: TerminalExitStatus, own: true }),
  /** Ends the command; the terminal stays until it is released. */
  "terminal/kill": request({ params: TerminalParams, result: Empty, own: true }),
  /** The terminal is needed no more; the client may go on showing it. */
  "terminal/release": request({ params: TerminalParams, result: Empty, own: true }),
};
