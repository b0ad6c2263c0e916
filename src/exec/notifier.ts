/** Starts the user's `notify` program with the notification as its last argument, as JSON. */
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
        const argv = [...args, JSON.stringify(dashed(notice))];
        const child = spawn(program, argv, { stdio: "ignore", detached: true, env: { ...env }, cwd: notice.cwd });
        child.on("error", failed);
        child.unref();
      } catch (error) {
        // Node throws for a notification longer than any argument may be, instead of emitting `error`: the turn must end normally.
        failed(toError(error));
      }
    },
  };
}

/** The program expects kebab-case keys. */
function dashed(notice: Notice): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(notice).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value]),
  );
}
