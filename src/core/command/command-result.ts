/** How the result of a command is written for the model: each shell tool has its own format. */

import { estimateTextTokens } from "../context/tokens.ts";
import type { Terminal } from "./background.ts";

/** Shortens a text to the model's limit. */
export type Cut = (text: string) => Promise<string>;

export interface CommandResult {
  readonly output: string;
  readonly exitCode: number;
  readonly durationMs: number;
  readonly timedOut: boolean;
}

export async function formatResult(form: "shell" | "shell_command" | "exec_command", result: CommandResult, cut: Cut): Promise<string> {
  const seconds = Math.round(result.durationMs / 100) / 10;
  const output = await cut(result.timedOut ? `command timed out after ${result.durationMs} milliseconds\n${result.output}` : result.output);
  if (form === "shell") return JSON.stringify({ output, metadata: { exit_code: result.exitCode, duration_seconds: seconds } });
  if (form === "shell_command") return `Exit code: ${result.exitCode}\nWall time: ${seconds} seconds\nOutput:\n${output}`;
  return [
    `Wall time: ${seconds.toFixed(4)} seconds`,
    `Process exited with code ${result.exitCode}`,
    `Original token count: ${estimateTextTokens(result.output)}`,
    "Output:",
    output,
  ].join("\n");
}

/** For a command that is still running, or was polled. */
export async function formatRunning(terminal: Terminal, waitedMs: number, cut: Cut): Promise<string> {
  const fresh = terminal.output.takeNew();
  const state =
    terminal.exitCode === undefined
      ? `Process running with session ID ${terminal.sessionId}`
      : `Process exited with code ${terminal.exitCode}`;
  return [
    `Wall time: ${(waitedMs / 1000).toFixed(4)} seconds`,
    state,
    `Original token count: ${estimateTextTokens(fresh)}`,
    "Output:",
    await cut(fresh),
  ].join("\n");
}
