/** Processes of the client outside of any thread and sandbox. Implemented in server/process.ts. */
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
import { limitAbsolutePath, limitBase64, limitCommand, limitPath, limitTime } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const ProcessSpawnParams = named("ProcessSpawnParams", () =>
  object({
    command: array(string()),
    cwd: AbsolutePathBuf(),
    env: maybe(record(nullable(string()))),
    outputBytesCap: maybe(natural()),
    processHandle: string(),
    size: maybe(ProcessTerminalSize()),
    streamStdin: optional(boolean()),
    streamStdoutStderr: optional(boolean()),
    timeoutMs: maybe(integer()),
    tty: optional(boolean()),
  }),
);
export type ProcessSpawnParams = Infer<typeof ProcessSpawnParams>;

export const ProcessTerminalSize = named("ProcessTerminalSize", () => object({ cols: natural(), rows: natural() }));
export type ProcessTerminalSize = Infer<typeof ProcessTerminalSize>;

export const ProcessSpawnResponse = named("ProcessSpawnResponse", () => object({}));
export type ProcessSpawnResponse = Infer<typeof ProcessSpawnResponse>;

export const ProcessWriteStdinParams = named("ProcessWriteStdinParams", () =>
  object({ closeStdin: optional(boolean()), deltaBase64: maybe(string()), processHandle: string() }),
);
export type ProcessWriteStdinParams = Infer<typeof ProcessWriteStdinParams>;

export const ProcessWriteStdinResponse = named("ProcessWriteStdinResponse", () => object({}));
export type ProcessWriteStdinResponse = Infer<typeof ProcessWriteStdinResponse>;

export const ProcessResizePtyParams = named("ProcessResizePtyParams", () =>
  object({ processHandle: string(), size: ProcessTerminalSize() }),
);
export type ProcessResizePtyParams = Infer<typeof ProcessResizePtyParams>;

export const ProcessResizePtyResponse = named("ProcessResizePtyResponse", () => object({}));
export type ProcessResizePtyResponse = Infer<typeof ProcessResizePtyResponse>;

export const ProcessKillParams = named("ProcessKillParams", () => object({ processHandle: string() }));
export type ProcessKillParams = Infer<typeof ProcessKillParams>;

export const ProcessKillResponse = named("ProcessKillResponse", () => object({}));
export type ProcessKillResponse = Infer<typeof ProcessKillResponse>;

export const ProcessOutputDeltaNotification = named("ProcessOutputDeltaNotification", () =>
  object({ capReached: boolean(), deltaBase64: string(), processHandle: string(), stream: ProcessOutputStream() }),
);
export type ProcessOutputDeltaNotification = Infer<typeof ProcessOutputDeltaNotification>;

export const ProcessOutputStream = named("ProcessOutputStream", () => literals("stdout", "stderr"));
export type ProcessOutputStream = Infer<typeof ProcessOutputStream>;

export const ProcessExitedNotification = named("ProcessExitedNotification", () =>
  object({
    exitCode: integer(),
    outputDrainTimedOut: maybe(boolean()),
    processHandle: string(),
    stderr: string(),
    stderrCapReached: boolean(),
    stdout: string(),
    stdoutCapReached: boolean(),
  }),
);
export type ProcessExitedNotification = Infer<typeof ProcessExitedNotification>;

export const processRequests = {
  /** Starts a program without a sandbox. Its end is announced by `process/exited`; it ends with the connection. */
  "process/spawn": request({ params: ProcessSpawnParams, result: ProcessSpawnResponse, experimental: true, limits: limitSpawn }),
  /** Writes to the stdin of a process, or closes it. */
  "process/writeStdin": request({
    params: ProcessWriteStdinParams,
    result: ProcessWriteStdinResponse,
    experimental: true,
    order: ({ processHandle }) => `handle:${processHandle}`,
    limits({ deltaBase64, closeStdin }) {
      const isGiven = typeof deltaBase64 === "string";
      if (!isGiven && closeStdin !== true) throw invalidParams("process/writeStdin requires deltaBase64 or closeStdin");
      if (isGiven) limitBase64("deltaBase64", deltaBase64);
    },
  }),
  /** Sets the terminal size of a process. */
  "process/resizePty": request({
    params: ProcessResizePtyParams,
    result: ProcessResizePtyResponse,
    experimental: true,
    limits: ({ size }) => limitSize(size),
  }),
  /** Ends a process and everything that it started. */
  "process/kill": request({ params: ProcessKillParams, result: ProcessKillResponse, experimental: true }),
};

export const processNotifications = {
  /** The next bytes of a process's output, where they are streamed. */
  "process/outputDelta": notification(ProcessOutputDeltaNotification),
  /** A process has ended; its output is included where it was not streamed. */
  "process/exited": notification(ProcessExitedNotification),
};

/** Longer handles would only fill the memory. */
const maxHandleLength = 1024;

function limitSpawn(params: ProcessSpawnParams): void {
  limitCommand(params.command);
  if (params.processHandle === "") throw invalidRequest("processHandle must not be empty");
  if (params.processHandle.length > maxHandleLength) throw invalidRequest(`processHandle takes at most ${maxHandleLength} characters`);
  limitAbsolutePath("cwd", params.cwd);
  limitPath(
    "process/spawn env",
    Object.entries(params.env ?? {})
      .flat()
      .join(""),
  );
  limitTime("process/spawn timeoutMs", params.timeoutMs);
  if (params.size === null || params.size === undefined) return;
  if (params.tty !== true) throw invalidParams("process/spawn size requires tty: true");
  limitSize(params.size);
}

function limitSize({ rows, cols }: ProcessTerminalSize): void {
  if (rows < 1 || cols < 1) throw invalidParams("process size rows and cols must be greater than 0");
}
