/** A provider's key from a user's program (`model_providers.<id>.auth`): its output is the bearer token. */
import { execFile } from "node:child_process";
import type { ProviderAuth } from "../core/ports/config.ts";

/** Longer output is not a token. */
const maxBytes = 64 * 1024;
const maxStderr = 300;

/** Why there is no token: a message for the person who wrote the settings. */
export class NoToken extends Error {}

/** The token that the program prints. Rejects with NoToken, or with the signal's reason. */
export async function tokenFrom(auth: ProviderAuth, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { command, args, cwd, timeoutMs } = auth;
  const options = { cwd, timeout: timeoutMs, maxBuffer: maxBytes, killSignal: "SIGKILL", signal, windowsHide: true } as const;
  const token = await new Promise<string>((resolve, reject) => {
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (signal.aborted) return reject(signal.reason);
      if (error !== null) return reject(new NoToken(`the program \`${command}\` ${howItFailed(error, timeoutMs)}${stderrText(stderr)}`));
      return resolve(stdout.trim());
    });
  });
  if (token === "") throw new NoToken(`the program \`${command}\` printed no token`);
  if (/[^\x21-\x7e]/.test(token)) throw new NoToken(`the program \`${command}\` printed more than one word, which is not a token`);
  return token;
}

function howItFailed({ code, killed }: Error & { code?: unknown; killed?: boolean }, timeoutMs: number): string {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "printed too much";
  if (killed === true) return `took longer than ${timeoutMs} ms`;
  return typeof code === "number" ? `ended with exit code ${code}` : `cannot be run (${String(code)})`;
}

const stderrText = (stderr: string): string => (stderr.trim() === "" ? "" : `: ${stderr.trim().slice(0, maxStderr)}`);

/** Caches the token for as long as the settings say; concurrent requests run the program once. */
export class CommandToken {
  readonly #auth: ProviderAuth;
  readonly #now: () => number;
  #kept: { readonly token: string; readonly at: number } | undefined;
  #running: Promise<string> | undefined;

  constructor(auth: ProviderAuth, now: () => number = Date.now) {
    this.#auth = auth;
    this.#now = now;
  }

  async current(): Promise<string> {
    const { refreshIntervalMs } = this.#auth;
    const age = this.#kept === undefined ? 0 : this.#now() - this.#kept.at;
    const isFresh = refreshIntervalMs === 0 || (age >= 0 && age < refreshIntervalMs);
    return this.#kept !== undefined && isFresh ? this.#kept.token : this.#run();
  }

  /** Call after the provider refused `refused`; undefined when the program has no other token. */
  async after(refused: string): Promise<string | undefined> {
    const token = this.#kept !== undefined && this.#kept.token !== refused ? this.#kept.token : await this.#run();
    return token === refused ? undefined : token;
  }

  /** Ended only by its own timeout: one interrupted turn must not take the token from another. */
  #run(): Promise<string> {
    this.#running ??= tokenFrom(this.#auth, new AbortController().signal)
      .then((token) => {
        this.#kept = { token, at: this.#now() };
        return token;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }
}
