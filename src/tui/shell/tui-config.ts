/** The settings of config.toml that are about the terminal itself. */
import type { Client } from "../../client/client.ts";
import { array, boolean, literals, maybe, named, natural, object, parse, string, union } from "../../lib/schema.ts";

const TuiSettings = named("TuiSettings", () =>
  object({
    tui: maybe(
      object({
        notifications: maybe(union([boolean(), array(string())])),
        notification_method: maybe(string()),
        animations: maybe(boolean()),
        alternate_screen: maybe(string()),
        theme: maybe(string()),
      }),
    ),
    history: maybe(object({ persistence: maybe(literals("save-all", "none")), max_bytes: maybe(natural()) })),
  }),
);

export interface TuiConfig {
  /** Whether the person wants to be notified of this. */
  readonly notifies: (kind: "agent-turn-complete" | "approval-requested") => boolean;
  readonly notificationMethod: "osc9" | "bel" | "auto";
  readonly animates: boolean;
  readonly usesAltScreen: boolean;
  readonly theme: "dark" | "light" | undefined;
  readonly keepsHistory: boolean;
  /** Undefined: no limit. */
  readonly historyBytes: number | undefined;
}

/** The defaults when the server cannot be asked, or does not answer. */
const standard: TuiConfig = {
  notifies: () => true,
  notificationMethod: "auto",
  animates: true,
  usesAltScreen: true,
  theme: undefined,
  keepsHistory: true,
  historyBytes: undefined,
};

export async function readTuiConfig(client: Client, cwd: string | undefined): Promise<TuiConfig> {
  const read = await client.call("config/read", { cwd: cwd ?? null }, { timeoutMs: 5000 }).catch(() => undefined);
  const found = parse(TuiSettings, read?.config);
  if (found === undefined) return standard;
  const { tui, history } = found;
  const method = tui?.notification_method;
  return {
    notifies: (kind) => (Array.isArray(tui?.notifications) ? tui.notifications.includes(kind) : tui?.notifications !== false),
    notificationMethod: method === "osc9" || method === "bel" ? method : "auto",
    animates: tui?.animations !== false,
    usesAltScreen: tui?.alternate_screen !== "never",
    theme: themeFrom(tui?.theme ?? undefined),
    keepsHistory: history?.persistence !== "none",
    historyBytes: history?.max_bytes ?? undefined,
  };
}

/** The names of colour schemes say whether they are for dark or light. */
function themeFrom(name: string | undefined): "dark" | "light" | undefined {
  if (name === undefined) return undefined;
  return /light|day|latte/i.test(name) ? "light" : /dark|night|mocha/i.test(name) ? "dark" : undefined;
}
