/** `command`. */
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
import { SandboxPolicy } from "./policy.ts";

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
  "command/exec": request({ params: CommandExecParams, result: CommandExecResponse }),
  "command/exec/write": request({ params: CommandExecWriteParams, result: CommandExecWriteResponse }),
  "command/exec/resize": request({ params: CommandExecResizeParams, result: CommandExecResizeResponse }),
  "command/exec/terminate": request({ params: CommandExecTerminateParams, result: CommandExecTerminateResponse }),
};

export const commandNotifications = {
  "command/exec/outputDelta": notification(CommandExecOutputDeltaNotification),
};
