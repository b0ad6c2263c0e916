/**
 * The settings of the server's own folder, for the many parts that look something up in the middle of a step. Looking whether their files
 * have changed takes dozens of system calls, so what was read counts for a moment, whoever read it; a request always sees what was written
 * before it.
 */
import type { Config, ConfigStore } from "../core/ports/config.ts";
import { systemClock } from "./system.ts";

/** Edits of the files take effect this soon, also where no request comes. */
const momentMs = 50;

export interface SettingsInUse {
  now(): Config;
  /** The files may have changed. */
  again(): void;
  /** The store; what others read through it of the server's own folder counts here too. */
  noticing(store: ConfigStore): ConfigStore;
}

export function settingsInUse(read: () => Config, clock: () => number = systemClock.monotonic): SettingsInUse {
  let seen: { readonly config: Config; readonly untilMs: number } | undefined;
  const saw = (config: Config): Config => {
    seen = { config, untilMs: clock() + momentMs };
    return config;
  };
  return {
    now: () => (seen === undefined || clock() >= seen.untilMs ? saw(read()) : seen.config),
    again() {
      seen = undefined;
    },
    noticing: (store) => ({
      ...store,
      effective(cwd, overrides = {}) {
        const config = store.effective(cwd, overrides);
        return cwd === process.cwd() && Object.keys(overrides).length === 0 ? saw(config) : config;
      },
    }),
  };
}
