/** Starts the user's `notify` program with the notice as its last argument, as one JSON text. */
import { spawn } from "node:child_process";
import type { Log } from "../core/ports/log.ts";
import type { Notice, Notifier } from "../core/ports/notifier.ts";

export function createNotifier(log: Log, env: Readonly<Record<string, string | undefined>>): Notifier {
  return {
    tell(config, notice) {
      const [program, ...args] = config.notify;
      if (program === undefined) return;
      const child = spawn(program, [...args, JSON.stringify(dashed(notice))], {
        stdio: "ignore",
        detached: true,
        env: { ...env },
        cwd: notice.cwd,
      });
      child.on("error", (error) => log.warn("the notify program could not be started", { program, error: error.message }));
      child.unref();
    },
  };
}

/** The program reads kebab-case keys. */
function dashed(notice: Notice): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(notice).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value]),
  );
}
