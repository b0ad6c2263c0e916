/** What our two engines share: the list program as a file in the server's home, and a run of it to try an engine out. */
import { spawn } from "node:child_process";
import { errorMessage } from "../../../lib/error-text.ts";
import { isFilterArch } from "../seccomp.ts";
import { secondBytes } from "./call-list.ts";
import { firstListDescriptor, listProgram, secondListDescriptor } from "./list-program.ts";
import { StepFile } from "./step-file.ts";

export const tooMuchForList = "No sandbox: the command has too many words or environment variables to be confined";
export const fitsList = (list: Uint8Array): boolean => list.length < secondBytes;

/** Its name on the command line, which shows in lists of processes. */
const shownName = "parley-sandbox";

export class ListProgram {
  readonly #file: StepFile;

  private constructor(file: StepFile) {
    this.#file = file;
  }

  /** Returns why there is none. */
  static make(folder: string | undefined): ListProgram | string {
    const { arch } = process;
    if (!isFilterArch(arch)) return `there is no program for ${arch} processors`;
    if (folder === undefined) return "there is no folder for its program";
    try {
      return new ListProgram(new StepFile(folder, listProgram(arch), "sandbox"));
    } catch (error) {
      return `its program cannot be stored: ${errorMessage(error)}`;
    }
  }

  /** The command line. Throws if the file is gone and cannot be written again. */
  argv(): readonly string[] {
    this.#file.ensure();
    return [this.#file.path, shownName];
  }

  /** Runs a pair of lists. Returns why it failed, or undefined. */
  tryOut(first: Uint8Array, second: Uint8Array): Promise<string | undefined> {
    const [file = "", ...args] = this.argv();
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
