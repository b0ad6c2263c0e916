/** Terminals that people open in a session's folder: programs of the engine without a sandbox, with the end of their output kept for whoever joins. */
import { randomUuid } from "../lib/random.ts";
import type { ServerNotification } from "../protocol/methods.ts";
import type { EngineLink } from "../sessions/link.ts";
import type { Terminal } from "./api/terminals.ts";
import { failure } from "./problems.ts";

/** One open page that shows a terminal. */
export interface Viewer {
  output(bytes: Buffer): void;
  ended(exitCode: number): void;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

interface Open {
  record: Terminal;
  readonly viewers: Set<Viewer>;
  kept: Buffer[];
  keptBytes: number;
}

const maxTerminals = 32;
const maxKeptBytes = 256 * 1024;

export class Terminals {
  readonly #link: () => EngineLink;
  readonly #now: () => number;
  readonly #open = new Map<string, Open>();

  constructor(link: () => EngineLink, now: () => number) {
    this.#link = link;
    this.#now = now;
  }

  get all(): readonly Terminal[] {
    return [...this.#open.values()].map(({ record }) => record);
  }

  /** Starts the user's own shell. Rejects with the engine's reason, for example if an administrator forbids programs without a sandbox. */
  async start(of: { readonly sessionId: string; readonly cwd: string; readonly by: string }, size: Size): Promise<string> {
    this.#dropEnded();
    if (this.#open.size >= maxTerminals)
      throw failure(409, "too_many_terminals", `${maxTerminals} terminals are open, the most that there may be. Close one first.`);
    const terminalId = randomUuid();
    const record: Terminal = { terminalId, ...of, openedAt: new Date(this.#now()).toISOString(), exitCode: null };
    // Known before it starts: its first output may come before the response.
    this.#open.set(terminalId, { record, viewers: new Set(), kept: [], keptBytes: 0 });
    try {
      await this.#link().call("process/spawn", {
        processHandle: terminalId,
        command: shellCommand(),
        cwd: of.cwd,
        env: { TERM: "xterm-256color", COLORTERM: "truecolor" },
        tty: true,
        size: { ...size },
        streamStdin: true,
        streamStdoutStderr: true,
        outputBytesCap: null,
        timeoutMs: null,
      });
    } catch (error) {
      this.#open.delete(terminalId);
      throw error;
    }
    return terminalId;
  }

  /** Shows the kept output, then everything new. Returns a function that leaves; undefined if there is no such terminal. */
  join(terminalId: string, viewer: Viewer): (() => void) | undefined {
    const open = this.#open.get(terminalId);
    if (open === undefined) return undefined;
    if (open.keptBytes > 0) viewer.output(Buffer.concat(open.kept));
    if (open.record.exitCode !== null) viewer.ended(open.record.exitCode);
    open.viewers.add(viewer);
    return () => open.viewers.delete(viewer);
  }

  find(terminalId: string): Terminal | undefined {
    return this.#open.get(terminalId)?.record;
  }

  async write(terminalId: string, bytes: Buffer): Promise<void> {
    await this.#link().call("process/writeStdin", { processHandle: terminalId, deltaBase64: bytes.toString("base64") });
  }

  async resize(terminalId: string, size: Size): Promise<void> {
    await this.#link().call("process/resizePty", { processHandle: terminalId, size: { ...size } });
  }

  async close(terminalId: string): Promise<boolean> {
    const open = this.#open.get(terminalId);
    if (open === undefined) return false;
    if (open.record.exitCode === null)
      await this.#link()
        .call("process/kill", { processHandle: terminalId })
        .catch(() => {});
    this.#open.delete(terminalId);
    return true;
  }

  /** Whether the message was about a terminal: it is for its viewers only, not for everyone who listens to the manager. */
  receive(message: ServerNotification): boolean {
    if (message.method !== "process/outputDelta" && message.method !== "process/exited") return false;
    const open = this.#open.get(message.params.processHandle);
    if (open === undefined) return true;
    if (message.method === "process/exited") this.#end(open, message.params.exitCode);
    else this.#output(open, Buffer.from(message.params.deltaBase64, "base64"));
    return true;
  }

  /** The engine's programs end with its connection. */
  engineLost(): void {
    for (const open of this.#open.values()) if (open.record.exitCode === null) this.#end(open, -1);
  }

  #output(open: Open, bytes: Buffer): void {
    open.kept.push(bytes);
    open.keptBytes += bytes.length;
    while (open.keptBytes > maxKeptBytes && open.kept.length > 1) open.keptBytes -= open.kept.shift()?.length ?? 0;
    for (const viewer of open.viewers) viewer.output(bytes);
  }

  #end(open: Open, exitCode: number): void {
    open.record = { ...open.record, exitCode };
    for (const viewer of open.viewers) viewer.ended(exitCode);
  }

  /** An ended terminal stays until somebody needs its place, so that its last output can be read. */
  #dropEnded(): void {
    if (this.#open.size < maxTerminals) return;
    for (const [id, { record, viewers }] of this.#open) if (record.exitCode !== null && viewers.size === 0) this.#open.delete(id);
  }
}

/** The shell is that of the engine's environment, which may be on another machine. */
const shellCommand = (): string[] =>
  process.platform === "win32" ? [process.env["ComSpec"] ?? "cmd.exe"] : ["/bin/sh", "-c", 'exec "${SHELL:-/bin/sh}" -i'];
