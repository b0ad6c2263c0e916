/** The client's own commands, without a thread. Implemented in server/command.ts. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
} from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { invalidParams, invalidRequest } from "./errors.ts";
import { limitBase64, limitCommand, limitPath, limitSettings, limitTime } from "./limits.ts";
import { SandboxPolicy } from "./policy.ts";
import { acceptSettings } from "./spellings.ts";

export const CommandExecParams = named("CommandExecParams", () =>
  object({
    command: array(string()),
    cwd: maybe(string()),
    disableOutputCap: optional(boolean()),
    disableTimeout: optional(boolean()),
    env: maybe(record(nullable(string()))),
    outputBytesCap: maybe(natural()),
    permissionProfile: maybe(string()),
    processId: maybe(string()),
    sandboxPolicy: maybe(SandboxPolicy()),
    size: maybe(CommandExecTerminalSize()),
    streamStdin: optional(boolean()),
    streamStdoutStderr: optional(boolean()),
    timeoutMs: maybe(integer()),
    tty: optional(boolean()),
  }),
);
export type CommandExecParams = Infer<typeof CommandExecParams>;

export const CommandExecResponse = named("CommandExecResponse", () => object({ exitCode: integer(), stderr: string(), stdout: string() }));
export type CommandExecResponse = Infer<typeof CommandExecResponse>;

export const CommandExecWriteParams = named("CommandExecWriteParams", () =>
  object({ processId: string(), closeStdin: optional(boolean()), deltaBase64: maybe(string()) }),
);
export type CommandExecWriteParams = Infer<typeof CommandExecWriteParams>;

export const CommandExecWriteResponse = named("CommandExecWriteResponse", () => object({}));
export type CommandExecWriteResponse = Infer<typeof CommandExecWriteResponse>;

export const CommandExecResizeParams = named("CommandExecResizeParams", () =>
  object({ processId: string(), size: CommandExecTerminalSize() }),
);
export type CommandExecResizeParams = Infer<typeof CommandExecResizeParams>;

export const CommandExecResizeResponse = named("CommandExecResizeResponse", () => object({}));
export type CommandExecResizeResponse = Infer<typeof CommandExecResizeResponse>;

export const CommandExecTerminateParams = named("CommandExecTerminateParams", () => object({ processId: string() }));
export type CommandExecTerminateParams = Infer<typeof CommandExecTerminateParams>;

export const CommandExecTerminateResponse = named("CommandExecTerminateResponse", () => object({}));
export type CommandExecTerminateResponse = Infer<typeof CommandExecTerminateResponse>;

export const CommandExecOutputDeltaNotification = named("CommandExecOutputDeltaNotification", () =>
  object({ capReached: boolean(), deltaBase64: string(), processId: string(), stream: CommandExecOutputStream() }),
);
export type CommandExecOutputDeltaNotification = Infer<typeof CommandExecOutputDeltaNotification>;

export const CommandExecTerminalSize = named("CommandExecTerminalSize", () => object({ cols: natural(), rows: natural() }));
export type CommandExecTerminalSize = Infer<typeof CommandExecTerminalSize>;

export const CommandExecOutputStream = named("CommandExecOutputStream", () => literals("stdout", "stderr"));
export type CommandExecOutputStream = Infer<typeof CommandExecOutputStream>;

export const commandRequests = {
  /** Runs one command in the sandbox and responds when it has ended. */
  "command/exec": request({
    params: CommandExecParams,
    result: CommandExecResponse,
    accept: acceptSettings,
    limits: limitCommandExec,
    experimentalFields: { permissionProfile: "current" },
  }),
  /** Writes to the stdin of a running command, or closes it. */
  "command/exec/write": request({
    params: CommandExecWriteParams,
    result: CommandExecWriteResponse,
    order: ({ processId }) => `process:${processId}`,
    limits({ deltaBase64, closeStdin }) {
      const isGiven = typeof deltaBase64 === "string";
      if (!isGiven && closeStdin !== true) throw invalidParams("command/exec/write requires deltaBase64 or closeStdin");
      if (isGiven) limitBase64("deltaBase64", deltaBase64);
    },
  }),
  /** Sets the terminal size of a running command. */
  "command/exec/resize": request({
    params: CommandExecResizeParams,
    result: CommandExecResizeResponse,
    limits: ({ size }) => limitSize(size),
  }),
  /** Ends a running command. */
  "command/exec/terminate": request({ params: CommandExecTerminateParams, result: CommandExecTerminateResponse }),
};

export const commandNotifications = {
  /** The next bytes of a running command's output. */
  "command/exec/outputDelta": notification(CommandExecOutputDeltaNotification),
};

function limitCommandExec(params: CommandExecParams): void {
  limitCommand(params.command);
  limitPath(
    "command/exec env",
    Object.entries(params.env ?? {})
      .flat()
      .join(""),
  );
  limitSettings(params);
  limitTime("command/exec timeoutMs", params.timeoutMs);
  if (isSet(params.timeoutMs) && params.disableTimeout === true)
    throw invalidParams("command/exec cannot set both timeoutMs and disableTimeout");
  if (isSet(params.outputBytesCap) && params.disableOutputCap === true)
    throw invalidParams("command/exec cannot set both outputBytesCap and disableOutputCap");
  if (params.size !== null && params.size !== undefined) {
    if (params.tty !== true) throw invalidParams("command/exec size requires tty: true");
    limitSize(params.size);
  }
  const isInteractive = params.tty === true || params.streamStdin === true || params.streamStdoutStderr === true;
  if (isInteractive && !isSet(params.processId)) throw invalidRequest("command/exec tty or streaming requires a client-supplied processId");
}

function limitSize({ rows, cols }: CommandExecTerminalSize): void {
  if (rows < 1 || cols < 1) throw invalidParams("command/exec size rows and cols must be greater than 0");
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined;
