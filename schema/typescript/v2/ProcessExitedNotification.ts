// Generated from the method tables of Parley's app-server. Do not edit.

export type ProcessExitedNotification = { exitCode: number, outputDrainTimedOut?: boolean | null, processHandle: string, stderr: string, stderrCapReached: boolean, stdout: string, stdoutCapReached: boolean };
