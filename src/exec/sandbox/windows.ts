/** Windows: no sandbox of our own yet, so confined commands are refused and the message lists the alternatives. */
import type { SandboxState } from "../../core/ports/command-runner.ts";
import { noLeftovers, type PlatformSandbox } from "./platform-sandbox.ts";

export class NoSandbox implements PlatformSandbox {
  readonly leftovers = noLeftovers;
  readonly #reason: string;

  constructor(platform: string) {
    const where = platform === "win32" ? "Windows" : platform;
    const wsl = platform === "win32" ? "run the server under WSL, " : "";
    this.#reason = `No sandbox: commands cannot be confined on ${where} yet. To go on, ${wsl}choose the danger-full-access mode, or externalSandbox if this machine is itself a sandbox.`;
  }

  prepare(): Promise<{ refused: string }> {
    return Promise.resolve({ refused: this.#reason });
  }

  state(): Promise<SandboxState> {
    return Promise.resolve({ engine: "none", text: this.#reason, limits: [] });
  }

  wrap(): { refused: string } {
    return { refused: this.#reason };
  }
}
