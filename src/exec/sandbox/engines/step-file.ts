/** Small programs that run before a command, as files in the server's home, where no command can write. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import path from "node:path";
import { readBoundedSync } from "../../../lib/bounded-read.ts";
import { replaceFileSync } from "../../../lib/durable-write.ts";
import { errorMessage } from "../../../lib/error-text.ts";
import { findLstat } from "../../../lib/file-status.ts";
import { isFilterArch } from "../seccomp.ts";
import { highestVersion, landlockStep } from "./landlock-step.ts";
import { layerSince, noLandlock } from "./layer.ts";

export class StepFile {
  readonly path: string;
  readonly #bytes: Uint8Array;

  /** Named after its hash, so that servers of different versions do not share a file. */
  constructor(folder: string, bytes: Uint8Array, name = "landlock") {
    this.#bytes = bytes;
    this.path = path.join(folder, `${name}-${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`);
    if (!this.#isWhole()) this.#write();
  }

  /** Writes it again if it was removed. Throws if that fails. */
  ensure(): void {
    if (findLstat(this.path)?.isFile() !== true) this.#write();
  }

  #isWhole(): boolean {
    try {
      return readBoundedSync(this.path, this.#bytes.length).equals(this.#bytes);
    } catch {
      return false;
    }
  }

  #write(): void {
    replaceFileSync(this.path, this.#bytes, { mode: 0o500, sync: "none" });
  }
}

/** Creates the file for this kernel in a folder that no command can write; returns a reason if that is not possible. */
export async function makeStepFile(folder: string): Promise<StepFile | string> {
  const { arch } = process;
  if (!isFilterArch(arch)) return `there is no program for ${arch} processors`;
  try {
    const version = await landlockVersion(folder);
    return version < layerSince ? noLandlock : new StepFile(folder, landlockStep(arch, version));
  } catch (error) {
    return errorMessage(error);
  }
}

/** The kernel's Landlock version, 0 if it has none. Throws if the program that asks for it cannot be run. */
export function landlockVersion(folder: string): Promise<number> {
  const { arch } = process;
  const file = isFilterArch(arch) ? new StepFile(folder, landlockStep(arch, 1)).path : "";
  return new Promise((resolve, reject) => {
    const child = spawn(file, [], { cwd: "/", env: {}, stdio: "ignore", timeout: 10_000, killSignal: "SIGKILL" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code === null || code > highestVersion ? 0 : code));
  });
}
