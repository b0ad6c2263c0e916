/** The model and effort that a thread was last used with, read from the end of its file, because the file may be large. */
import { closeSync, readSync } from "node:fs";
import { openRegularSync } from "../../lib/bounded-read.ts";
import { parseLine } from "./line-records.ts";
import { readLines } from "./read-lines.ts";
import { objectOf, textOrNull } from "./shapes.ts";

export interface LastModel {
  readonly model: string | null;
  readonly effort: string | null;
}

const firstBytes = 64 << 10;
/** If a turn has written more than this since it began, its model is not found. */
const mostBytes = 8 << 20;

export async function lastModel(file: string): Promise<LastModel> {
  return modelIn(file.endsWith(".zst") ? await lastContextOf(file) : contextsAtEnd(file));
}

/** The model of the last of these lines that says one. */
export function modelIn(lines: readonly string[]): LastModel {
  const payload = objectOf(lines.map(parseLine).findLast((line) => line?.type === "turn_context")?.payload);
  const own = objectOf(objectOf(payload["collaboration_mode"])["settings"]);
  return { model: textOrNull(payload["model"]), effort: textOrNull(payload["effort"] ?? own["reasoning_effort"]) };
}

async function lastContextOf(packed: string): Promise<string[]> {
  const last: string[] = [];
  await readLines(packed, (line) => {
    if (isContext(line)) last[0] = line;
  });
  return last;
}

function contextsAtEnd(file: string): string[] {
  const { fd, stats } = openRegularSync(file);
  try {
    for (let span = Math.min(stats.size, firstBytes); span > 0; span = Math.min(stats.size, span * 4)) {
      const bytes = Buffer.alloc(span);
      readSync(fd, bytes, 0, span, stats.size - span);
      const found = bytes.toString("utf8").split("\n").filter(isContext);
      if (found.length > 0 || span === stats.size || span * 4 > mostBytes) return found;
    }
    return [];
  } finally {
    closeSync(fd);
  }
}

/** A line that begins before the read range is cut off and not valid JSON. */
const isContext = (line: string): boolean => line.slice(0, 120).includes('"type":"turn_context"');
