/** The ConfigStore over files: what the composition root hands to every part that needs settings. */
import type { ConfigStore, ProviderConfig } from "../core/ports/config.ts";
import { ConfigLoader } from "./loader.ts";
import { flagsTable } from "./overrides.ts";

export interface ConfigStoreOptions {
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words after each `-c`: `key=value`, strongest last. */
  readonly cliOverrides?: readonly string[];
  /** Where the machine's own files live; /etc/codex unless a test says otherwise. */
  readonly systemDir?: string;
  /** Providers that exist without a line of config. */
  readonly builtInProviders?: Readonly<Record<string, ProviderConfig>>;
  /** Who serves when nothing is configured; asked each time, since signing in changes it. */
  readonly fallback?: () => { readonly modelProvider: string; readonly model?: string | undefined };
}

/** Throws RpcError when a `-c` flag cannot be read; files are read, and complained about, when they are needed. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  const loader = new ConfigLoader({ ...options, cliOverrides: flagsTable(options.cliOverrides ?? []) });
  return {
    effective: (cwd, overrides) => loader.effective(cwd, overrides),
  };
}
