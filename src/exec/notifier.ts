/** Starts the user's `notify` program with the notice as its last argument, as one JSON text. */
import { spawn } from "node:child_process";
import type { Log } from "../core/ports/log.ts";
import type { Notice, Notifier } from "../core/ports/notifier.ts";
import { toError } from "../lib/error-text.ts";

export function createNotifier(log: Log, env: Readonly<Record<string, string | undefined>>): Notifier {
  return {
    notify(config, notice) {
      const [program, ...args] = config.notify;
      if (program === undefined) return;
      const failed = (error: Error): void => log.warn("the notify program could not be started", { program, error: error.message });
      try {
        const words = [...args, JSON.stringify(dashed(notice))];
        const child = spawn(program, words, { stdio: "ignore", detached: true, env: { ...env }, cwd: notice.cwd });
        child.on("error", failed);
        child.unref();
      } catch (error) {
        // A notice longer than any program can be given is thrown, and not told by the event: the turn ends all the same.
        failed(toError(error));
      }
    },
  };
}

/** The program reads kebab-case keys. */
function dashed(notice: Notice): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(notice).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value]),
  );
}
