/** Carries bytes both ways between a command's program and a target until both are done, or nothing has come for long. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

const idleMs = 15 * 60_000;

export function tunnel(inside: Duplex, outside: Socket): void {
  const end = (): void => {
    inside.destroy();
    outside.destroy();
  };
  for (const side of [inside, outside]) {
    side.on("error", end);
    side.on("close", end);
  }
  outside.setTimeout(idleMs, end);
  inside.pipe(outside);
  outside.pipe(inside);
}
