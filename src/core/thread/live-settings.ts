/** The settings of a live thread and the config behind them, as requests and changed files make them. */
import type { SettingName } from "../../protocol/settings.ts";
import type { Config } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { withoutPlugins } from "../settings/disabled-plugins.ts";
import { changed, chosenBy, renewed, type SettingsChange } from "../settings/settings.ts";

type SettingsPorts = Pick<CorePorts, "config" | "chooseModel">;

export interface LiveSettingsOptions {
  readonly settings: ThreadSettings;
  readonly config: Config;
  /** Settings chosen by a client or stored with the thread; the others follow the config. */
  readonly chosen: readonly SettingName[];
  /** Per-request config overrides. */
  readonly overrides?: Readonly<Record<string, unknown>> | null | undefined;
  /** A client has chosen the provider: a different model is then requested from it too, whatever its vendor. */
  readonly keepsProvider?: boolean;
}

export class LiveSettings {
  readonly #ports: SettingsPorts;
  readonly #chosen: Set<SettingName>;
  readonly overrides: Readonly<Record<string, unknown>>;
  #current: ThreadSettings;
  /** The settings that clients were last notified of; a turn with different settings notifies them first. */
  #announced: ThreadSettings;
  #config: Config;
  /** The config without the plugins disabled for this thread. */
  #narrowed: { readonly from: Config; readonly without: readonly string[]; readonly config: Config } | undefined;
  #keepsProvider: boolean;
  /** Settings that a request without any left as they were under this config: most turns ask for nothing else. */
  #unmoved: { readonly settings: ThreadSettings; readonly config: Config } | undefined;

  constructor(ports: SettingsPorts, { settings, config, chosen, overrides, keepsProvider }: LiveSettingsOptions) {
    this.#ports = ports;
    this.#current = settings;
    this.#announced = settings;
    this.#config = config;
    this.#chosen = new Set(chosen);
    this.overrides = overrides ?? {};
    this.#keepsProvider = keepsProvider === true;
  }

  get current(): ThreadSettings {
    return this.#current;
  }
  get config(): Config {
    const { disabledPluginIds: without } = this.#current;
    if (without === undefined) return this.#config;
    if (this.#narrowed?.from !== this.#config || this.#narrowed.without !== without)
      this.#narrowed = { from: this.#config, without, config: withoutPlugins(this.#config, without) };
    return this.#narrowed.config;
  }
  /** True when clients must be notified of them; marks them as notified. */
  takeNews(): boolean {
    const isNew = this.#current !== this.#announced;
    this.#announced = this.#current;
    return isNew;
  }

  /** Whether a different sandbox is in force now: another policy, or other rules about files. */
  change(change: SettingsChange): boolean {
    const before = this.#current;
    const asksNothing = Object.values(change).every((value) => value === undefined);
    if (asksNothing && this.#unmoved?.settings === before && this.#unmoved.config === this.#config) return false;
    const next = changed(before, this.config, change);
    for (const name of chosenBy(change)) this.#chosen.add(name);
    if (next.cwd !== before.cwd) this.#config = this.#ports.config.effective(next.cwd, this.overrides);
    const settled = { ...next, modelProvider: change.modelProvider ?? this.#providerAfter(change) };
    if (change.modelProvider) this.#keepsProvider = true;
    if (JSON.stringify(settled) === JSON.stringify(before)) {
      if (asksNothing) this.#unmoved = { settings: before, config: this.#config };
      return false;
    }
    this.#current = Object.freeze(settled);
    const sandboxOf = ({ sandboxPolicy, fileRules = null }: ThreadSettings): string => JSON.stringify([sandboxPolicy, fileRules]);
    return sandboxOf(settled) !== sandboxOf(before);
  }
  /** A different model may need a different provider. */
  #providerAfter(change: SettingsChange): string {
    const { model: before, modelProvider } = this.#current;
    const model = change.collaborationMode?.settings.model ?? change.model ?? before;
    return model === before || this.#keepsProvider ? modelProvider : this.#ports.chooseModel(this.config, model, undefined).provider;
  }

  /** Reloads the settings files. Throws RpcError when they are invalid: nothing runs with settings other than the file's. */
  renew(): void {
    const before = this.#config;
    const after = this.#ports.config.effective(this.#current.cwd, this.overrides);
    if (after === before) return;
    const choose = (config: Config): { model: string; provider: string } => this.#ports.chooseModel(config, undefined, undefined);
    const next = renewed(this.#current, { before, after, choose }, this.#chosen);
    this.#config = after;
    if (JSON.stringify(next) !== JSON.stringify(this.#current)) this.#current = Object.freeze(next);
  }
}

/** The machine that the settings are about, as clients see it. */
export const localEnvironment = ({ cwd, workspaceRoots: roots }: ThreadSettings) => ({
  environmentId: "local",
  cwd,
  runtimeWorkspaceRoots: [...roots],
});
