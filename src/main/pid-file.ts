/** The file that names a process in the background, so that a later command finds it, and only it. */
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { type Infer, named, natural, nullable, object, parse, string } from "../lib/schema.ts";
import { lifeOf, nameOf } from "../store/writing/processes.ts";

const PidFile = named("PidFile", () =>
  object({ pid: natural(), started: nullable(string()), host: string(), boot: string(), space: string() }),
);
type PidFile = Infer<typeof PidFile>;
const maxBytes = 4096;

export function writePidFile(file: string, pid: number): void {
  const name: PidFile = nameOf(pid);
  replaceFileSync(file, `${JSON.stringify(name)}\n`);
}

/** The process, if it still runs: another program may have got its number since. */
export function livePid(file: string): number | undefined {
  try {
    const name = parse(PidFile, JSON.parse(readBoundedTextSync(file, maxBytes)));
    return name !== undefined && name.pid > 1 && lifeOf(name) === "alive" ? name.pid : undefined;
  } catch {
    return undefined; // missing or damaged: then it is not ours to stop
  }
}
