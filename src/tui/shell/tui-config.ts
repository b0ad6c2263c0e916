/** The settings of config.toml that are about the terminal itself. */
import type { Client } from "../../client/client.ts";
import { array, boolean, literals, maybe, named, natural, object, parse, string, union, unknown } from "../../lib/schema.ts";
import { type Keymap, readKeymap, standardKeymap } from "../compose/keymap.ts";
import { readStatusLine, type StatusItem } from "../draw/status-line.ts";
import { type ThemeChoice, themeChoice } from "../text/theme.ts";

const TuiSettings = named("TuiSettings", () =>
  object({
    tui: maybe(
      object({
        notifications: maybe(union([boolean(), array(string())])),
        notification_method: maybe(string()),
        animations: maybe(boolean()),
        alternate_screen: maybe(string()),
        theme: maybe(string()),
        keymap: maybe(unknown()),
        status_line: maybe(array(string())),
        vim_mode_default: maybe(boolean()),
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
  readonly theme: ThemeChoice | undefined;
  readonly keymap: Keymap;
  readonly startsWithVim: boolean;
  /** Undefined: the standard line. */
  readonly statusLine: readonly StatusItem[] | undefined;
  /** What of these settings has no effect, and why. */
  readonly problems: readonly string[];
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
  keymap: standardKeymap,
  startsWithVim: false,
  statusLine: undefined,
  problems: [],
  keepsHistory: true,
  historyBytes: undefined,
};

export async function readTuiConfig(client: Client, cwd: string | undefined): Promise<TuiConfig> {
  const read = await client.call("config/read", { cwd: cwd ?? null }, { timeoutMs: 5000 }).catch(() => undefined);
  const found = parse(TuiSettings, read?.config);
  if (found === undefined) return standard;
  const { tui, history } = found;
  const method = tui?.notification_method;
  const { keymap, problems } = readKeymap(tui?.keymap);
  const line = tui?.status_line ? readStatusLine(tui.status_line) : undefined;
  return {
    notifies: (kind) => (Array.isArray(tui?.notifications) ? tui.notifications.includes(kind) : tui?.notifications !== false),
    notificationMethod: method === "osc9" || method === "bel" ? method : "auto",
    animates: tui?.animations !== false,
    usesAltScreen: tui?.alternate_screen !== "never",
    theme: tui?.theme ? themeChoice(tui.theme) : undefined,
    keymap,
    startsWithVim: tui?.vim_mode_default === true,
    statusLine: line?.items,
    problems: [
      ...problems,
      ...(line?.unknown ?? []).map((name) => `tui.status_line: ${name} is not known here; /statusline lists what is`),
    ],
    keepsHistory: history?.persistence !== "none",
    historyBytes: history?.max_bytes ?? undefined,
  };
}
