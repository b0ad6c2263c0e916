/** What all subcommands share: reading flags and refusing wrong ones. */
import { homedir } from "node:os";
import path from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** The command line is wrong. */
export class UsageError extends Error {
  readonly exitCode = 2;
}
/** The command line is right and cannot be carried out. */
export class StartError extends Error {
  readonly exitCode = 1;
}

export type Run = (args: readonly string[], globals: Globals) => Promise<number>;
/** Flags that stood before the subcommand. */
export interface Globals {
  readonly config: readonly string[];
}

type Flags = NonNullable<ParseArgsConfig["options"]>;

/** Flags and free words. An unknown flag or a missing value is a UsageError in words that name it. */
export function readFlags<const T extends Flags>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new UsageError(sentence ?? "wrong arguments");
  }
}

/** Where config, threads and credentials live. */
export const codexHome = (): string => path.resolve(process.env["CODEX_HOME"] || path.join(homedir(), ".codex"));

/** A second signal ends the process at once, as it would without us. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
