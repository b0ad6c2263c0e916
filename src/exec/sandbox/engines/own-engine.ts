/** What our two engines share: the list program as a file in the server's home, and a run of it to try an engine out. */
import { spawn } from "node:child_process";
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { errorMessage } from "../../../lib/error-text.ts";
import { type FilterArch, isFilterArch } from "../seccomp.ts";
import { secondBytes } from "./call-list.ts";
import type { Refusal } from "./engine.ts";
import { firstListDescriptor, listProgram, secondListDescriptor } from "./list-program.ts";
import { starterList } from "./starter-list.ts";
import { landlockVersion, StepFile } from "./step-file.ts";

export interface StartedWithLists extends Pick<WrappedCommand, "argv" | "cwd" | "env" | "extra"> {
  readonly ahead: Extract<WrappedCommand["ahead"], { kind: "any command" }>;
}

/** Names on the command line, which show in lists of processes. */
const shownName = "parley-sandbox";
const starterName = "parley-starter";

export class ListProgram {
  readonly arch: FilterArch;
  readonly #folder: string;
  readonly #file: StepFile;
  #starter: Uint8Array | undefined;

  private constructor(arch: FilterArch, folder: string) {
    this.arch = arch;
    this.#folder = folder;
    this.#file = new StepFile(folder, listProgram(arch), "sandbox");
  }

  /** Returns why there is none. */
  static make(folder: string | undefined): ListProgram | string {
    const { arch } = process;
    if (!isFilterArch(arch)) return `there is no program for ${arch} processors`;
    if (folder === undefined) return "there is no folder for its program";
    try {
      return new ListProgram(arch, folder);
    } catch (error) {
      return `its program cannot be stored: ${errorMessage(error)}`;
    }
  }

  /** Of the kernel. */
  landlockVersion(): Promise<number> {
    return landlockVersion(this.#folder);
  }

  /** How it is started with a pair of lists: it carries out the first one, and waits for the second one as long as that is missing. */
  start(first: Uint8Array, second: Uint8Array): StartedWithLists | Refusal {
    if (second.length >= secondBytes)
      return { refused: "No sandbox: the command has too many words or environment variables to be confined" };
    try {
      const argv = this.#argv();
      // Variables such as LD_LIBRARY_PATH are for the command, never for the program that confines it.
      return { argv, cwd: "/", env: {}, extra: [first, second], ahead: { kind: "any command", argv, waitsAt: secondListDescriptor } };
    } catch (error) {
      return { refused: `No sandbox: its program is gone and cannot be made again: ${errorMessage(error)}` };
    }
  }

  /** A process of it that starts others for the server. */
  get starter(): { readonly argv: readonly string[]; readonly list: Uint8Array } {
    this.#starter ??= starterList(this.arch, [this.#file.path, shownName]);
    return { argv: [this.#file.path, starterName], list: this.#starter };
  }

  /** Throws if the file is gone and cannot be written again. */
  #argv(): readonly string[] {
    this.#file.ensure();
    return [this.#file.path, shownName];
  }

  /** Runs a pair of lists. Returns why it failed, or undefined. */
  tryOut(first: Uint8Array, second: Uint8Array): Promise<string | undefined> {
    const [file = "", ...args] = this.#argv();
    return new Promise((resolve) => {
      const child = spawn(file, args, {
        ...{ cwd: "/", env: {}, stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"], timeout: 20_000, killSignal: "SIGKILL" },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk: Buffer) => {
          output = (output + chunk.toString()).slice(0, 4_000);
        });
      for (const [descriptor, bytes] of [
        [firstListDescriptor, first],
        [secondListDescriptor, second],
      ] as const) {
        const input = child.stdio[descriptor];
        if (input === null || input === undefined || !("end" in input)) continue;
        input.on("error", () => undefined); // It may exit before it reads; its error message says why.
        input.end(bytes);
      }
      child.on("error", (error) => resolve(`its program ${file} cannot be started (is its disk mounted noexec?): ${error.message}`));
      child.on("close", (code) => resolve(code === 0 ? undefined : output.trim().split("\n").at(-1) || `the sandbox ended with ${code}`));
    });
  }
}
