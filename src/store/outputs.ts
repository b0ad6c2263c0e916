/** `$CODEX_HOME/parley/outputs`: whole tool results of which the model was shown a part. Its owner's alone, and bounded in number, size and age. */
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { OutputFiles } from "../core/ports/output-files.ts";
import { createFile } from "../lib/durable-write.ts";
import { isCode } from "../lib/system-error.ts";

const maxFileBytes = 16 * 1024 * 1024;
const maxFiles = 400;
const maxTotalBytes = 256 * 1024 * 1024;
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
/** Looking through the folder is not free. */
const cleanEvery = 20;

export interface OutputFilesParts {
  readonly codexHome: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createOutputFiles({ codexHome, clock, log }: OutputFilesParts): OutputFiles {
  const folder = path.join(codexHome, "parley", "outputs");
  let kept = 0;
  return {
    async keep(name, text) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if (kept++ % cleanEvery === 0) await clean(folder, clock.now());
        return await write(folder, name, text);
      } catch (error) {
        log.warn("a long tool result could not be kept", { error: String(error) });
        return undefined;
      }
    },
  };
}

/** Names come from models: what is no plain letter goes, and one that is taken gets a number. */
async function write(folder: string, name: string, text: string): Promise<string> {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(-80) || "output";
  for (let number = 0; ; number++) {
    const file = path.join(folder, `${plain}${number === 0 ? "" : `.${number}`}.txt`);
    try {
      await createFile(file, Buffer.from(text).subarray(0, maxFileBytes));
      return file;
    } catch (error) {
      if (!isCode(error, "EEXIST") || number >= maxFiles) throw error;
    }
  }
}

/** Removes what is old, then the oldest until the rest is within the bounds. */
async function clean(folder: string, now: number): Promise<void> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const { mtimeMs, size } = await lstat(file).catch(() => ({ mtimeMs: 0, size: 0 }));
      return { file, mtimeMs, size };
    }),
  );
  let files = 0;
  let bytes = 0;
  for (const { file, mtimeMs, size } of found.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    files++;
    bytes += size;
    // Room for those that come before the next look.
    if (files > maxFiles - cleanEvery || bytes > maxTotalBytes || now - mtimeMs > maxAgeMs) await rm(file, { force: true });
  }
}
