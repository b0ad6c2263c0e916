/** The line below the composer: what the person wants to see there (`tui.status_line`, with Codex's names), or the standard one. */
import { hostname } from "node:os";
import path from "node:path";
import type { Conversation } from "../state/conversation.ts";
import { type Line, muted, span } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { shortenMiddle } from "../text/width.ts";
import { spread } from "./box.ts";

export interface StatusPlace {
  readonly width: number;
  readonly theme: Theme;
  /** The person's home folder, shown as `~`. */
  readonly home: string;
}

type Draw = (state: Conversation, settings: NonNullable<Conversation["settings"]>, place: StatusPlace) => Line;
interface Item {
  readonly text: string;
  readonly draw: Draw;
}

const items = {
  model: { text: "the model", draw: (_state, { model }) => [span(model)] },
  "model-with-reasoning": { text: "the model and its effort", draw: (_state, settings) => modelSpans(settings) },
  reasoning: { text: "the effort", draw: (_state, { effort }) => (effort === undefined ? [] : [muted(effort)]) },
  permissions: { text: "what the agent may do", draw: (_state, settings) => accessSpans(settings) },
  "current-dir": { text: "the folder", draw: (_state, { cwd }, place) => [folderSpan(cwd, place)] },
  "project-name": { text: "the folder's name", draw: (_state, { cwd }) => [muted(path.basename(cwd))] },
  hostname: { text: "this machine's name", draw: () => [muted(hostname())] },
  "context-remaining": { text: "the room left in the context", draw: (state) => contextSpans(state, "left") },
  "context-used": { text: "how much of the context is used", draw: (state) => contextSpans(state, "used") },
  "context-window-size": { text: "the size of the context", draw: ({ usage }) => count(usage?.modelContextWindow, "window") },
  "used-tokens": { text: "tokens of the session", draw: ({ usage }) => count(usage?.total.totalTokens, "tokens") },
  "total-input-tokens": { text: "tokens sent", draw: ({ usage }) => count(usage?.total.inputTokens, "in") },
  "total-output-tokens": { text: "tokens received", draw: ({ usage }) => count(usage?.total.outputTokens, "out") },
  "thread-title": { text: "the session's name", draw: ({ name, threadId }) => [muted(name ?? threadId ?? "")] },
  "thread-id": { text: "the session's id", draw: ({ threadId }) => [muted(threadId ?? "")] },
} as const satisfies Readonly<Record<string, Item>>;

export type StatusItem = keyof typeof items;
export const statusItems: readonly { readonly id: StatusItem; readonly text: string }[] = Object.entries(items).map(([id, { text }]) => ({
  id: id as StatusItem,
  text,
}));

/** Codex's other names for the same things. */
const aliases: Readonly<Record<string, StatusItem>> = {
  "model-name": "model",
  project: "project-name",
  "project-root": "project-name",
  "context-usage": "context-used",
  "session-id": "thread-id",
};

export interface ReadStatusLine {
  readonly items: readonly StatusItem[];
  readonly unknown: readonly string[];
}

export function readStatusLine(names: readonly string[]): ReadStatusLine {
  const known = names.map((name) => aliases[name] ?? name);
  const isItem = (name: string): name is StatusItem => Object.hasOwn(items, name);
  return { items: known.filter(isItem), unknown: names.filter((_, i) => !isItem(known[i] ?? "")) };
}

export function statusLine(state: Conversation, chosen: readonly StatusItem[] | undefined, place: StatusPlace): Line {
  const { settings } = state;
  if (settings === undefined) return [];
  const draw = (names: readonly StatusItem[]): Line =>
    joined(
      names.map((name) => (items[name].draw as Draw)(state, settings, place)),
      place,
    );
  if (chosen !== undefined) return [span("  "), ...draw(chosen)];
  return spread([span("  "), ...draw(["model-with-reasoning", "permissions", "current-dir"])], rightSpans(state), place.width - 1);
}

function joined(parts: readonly Line[], { theme }: StatusPlace): Line {
  const shown = parts.filter((part) => part.length > 0);
  return shown.flatMap((part, i) => (i === 0 ? part : [muted(` ${theme.marks.dot} `), ...part]));
}

const modelSpans = ({ model, effort }: NonNullable<Conversation["settings"]>): Line => [
  span(model),
  ...(effort === undefined ? [] : [muted(` ${effort}`)]),
];

const folderSpan = (cwd: string, { width, home }: StatusPlace): Line[number] =>
  muted(shortenMiddle(shortPath(cwd, home), Math.max(12, Math.floor(width / 3))));

function accessSpans({ sandbox, approvalPolicy }: NonNullable<Conversation["settings"]>): Line {
  const isOpen = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  if (isOpen) return [span(approvalPolicy === "never" ? "full access, no questions" : "full access", { color: "danger" })];
  const access = sandbox.type === "readOnly" ? "read only" : "workspace";
  return [
    muted(approvalPolicy === "never" ? `${access}, no questions` : approvalPolicy === "untrusted" ? `${access}, asks always` : access),
  ];
}

function rightSpans(state: Conversation): Line {
  const { usage } = state;
  if (usage === undefined) return [muted("? for keys")];
  return usage.modelContextWindow ? contextSpans(state, "left") : count(usage.total.totalTokens, "tokens");
}

function contextSpans({ usage }: Conversation, which: "left" | "used"): Line {
  const window = usage?.modelContextWindow ?? 0;
  if (usage === undefined || window <= 0) return [];
  const left = contextLeft(usage.last.totalTokens, window);
  return [span(`${which === "left" ? left : 100 - left}% context ${which}`, left <= 15 ? { color: "warning" } : { color: "muted" })];
}

const count = (value: number | null | undefined, unit: string): Line => (value ? [muted(`${tokens(value)} ${unit}`)] : []);

export const contextLeft = (used: number, window: number): number => Math.max(0, Math.min(100, Math.round(100 - (used / window) * 100)));

export function tokens(amount: number): string {
  if (amount < 1000) return String(amount);
  return amount < 1_000_000 ? `${(amount / 1000).toFixed(amount < 10_000 ? 1 : 0)}k` : `${(amount / 1_000_000).toFixed(1)}M`;
}

export const shortPath = (file: string, home: string): string =>
  home !== "" && (file === home || file.startsWith(`${home}/`)) ? `~${file.slice(home.length)}` : file;
