import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, compact, dayGroup, duration, shortPath } from "./format.ts";
import { chordOf, commands, createChords, isTyping, keymapWith, showKeys } from "./keys.ts";
import { listRows, stateLabel } from "./list.ts";
import type { PendingView, SessionSummary } from "./model.ts";
import { modeOf } from "./modes.ts";
import { addressOf, type Place, placeOf, settingsTabs } from "./router.ts";
import { defaultSettings, readDraft, readSettings, type Shelf, writeDraft } from "./settings.ts";

const now = Date.UTC(2026, 10, 15, 12);
const session = (id: string, part: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId: id,
  title: id,
  materialized: true,
  modelProvider: "x",
  approvalPolicy: null,
  sessionControls: null,
  createdAt: 1,
  updatedAt: now / 1000,
  cwd: "/home/ada/app",
  source: "cli",
  projectId: null,
  state: "idle",
  pendingCount: 0,
  archived: false,
  systemOwned: false,
  preview: "",
  queued: 0,
  unread: false,
  ...part,
});
const view = { groupBy: "time", filter: "all", search: "", folded: new Set<string>() } as const;
const state = (sessions: readonly SessionSummary[], waiting: readonly string[] = []) => ({
  sessions: new Map(sessions.map((s) => [s.sessionId, s])),
  archived: new Map(),
  sections: [],
  projects: [{ projectId: "p", name: "App", workingDirectory: null, createdAt: "", updatedAt: "" }],
  pending: new Map(waiting.map((id) => [id, { threadId: id, rootThreadId: id } as PendingView])),
});
const text = (rows: ReturnType<typeof listRows>): string[] =>
  rows.map((r) => (r.kind === "heading" ? `# ${r.text} ${r.count}` : `${r.number} ${r.session.sessionId}`));

test("what needs the user comes first, then newest first by day", () => {
  const rows = listRows(
    state([session("a"), session("b", { updatedAt: now / 1000 - 90_000 }), session("c", { updatedAt: now / 1000 - 5 })], ["b"]),
    view,
    now,
  );
  assert.deepEqual(text(rows), ["# Needs you 1", "1 b", "# Today 2", "2 a", "3 c"]);
});

test("of two sessions of the same second the newer comes first", () => {
  assert.deepEqual(text(listRows(state([session("019-1"), session("019-2")]), view, now)), ["# Today 2", "1 019-2", "2 019-1"]);
});

test("a sub-agent's request puts its root session on top", () => {
  const waiting = state([session("root"), session("x")]);
  waiting.pending.set("r", { threadId: "child", rootThreadId: "root" } as PendingView);
  assert.deepEqual(text(listRows(waiting, view, now)).slice(0, 2), ["# Needs you 1", "1 root"]);
});

test("by project, projects without sessions are shown; folding hides rows but keeps the count", () => {
  const sessions = [session("a", { projectId: "p" }), session("b")];
  assert.deepEqual(text(listRows(state(sessions), { ...view, groupBy: "project" }, now)), ["# App 1", "1 a", "# No project 1", "2 b"]);
  assert.deepEqual(text(listRows(state(sessions), { ...view, groupBy: "project", folded: new Set(["p:p"]) }, now)), [
    "# App 1",
    "# No project 1",
    "1 b",
  ]);
});

test("search needs every word, anywhere; system-owned sessions are not listed", () => {
  const sessions = [
    session("a", { title: "Fix the limiter" }),
    session("b", { title: "limiter docs" }),
    session("c", { title: "Fix limiter", systemOwned: true }),
  ];
  assert.deepEqual(text(listRows(state(sessions), { ...view, search: "fix LIM" }, now)), ["# Today 1", "1 a"]);
});

test("a state always has a text", () => {
  assert.equal(stateLabel(session("a", { state: "working" }), 1, false).text, "Needs you");
  assert.equal(stateLabel(session("a", { state: "working" }), 0, false).text, "Working");
  assert.equal(stateLabel(session("a"), 0, true).text, "Done, unread");
});

const press = (key: string, part: Partial<Parameters<typeof chordOf>[0]> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...part,
});

test("keys are written the same on every system", () => {
  assert.equal(chordOf(press("k", { ctrlKey: true }), false), "Mod+K");
  assert.equal(chordOf(press("k", { metaKey: true }), true), "Mod+K");
  assert.equal(chordOf(press("å", { altKey: true, code: "KeyA" }), true), "Alt+A");
  assert.equal(chordOf(press("?", { shiftKey: true }), false), "?");
  assert.equal(chordOf(press("D", { ctrlKey: true, shiftKey: true }), false), "Mod+Shift+D");
  assert.equal(showKeys("Mod+Shift+D", true), "⌘⇧D");
});

test("every command has keys of its own", () => {
  const keys = commands.map((command) => command.keys);
  assert.deepEqual(
    keys.filter((one, i) => keys.indexOf(one) !== i),
    [],
  );
});

test("two presses in a row mean one command, but not with a pause between them", () => {
  const match = createChords(() => keymapWith({}), 500);
  assert.equal(match("Escape", 0), undefined);
  assert.equal(match("Escape", 300), "stop");
  const slow = createChords(() => keymapWith({}), 500);
  slow("Escape", 0);
  assert.equal(slow("Escape", 900), undefined);
  assert.equal(createChords(() => keymapWith({ palette: "Alt+P" }))("Alt+P", 0), "palette");
  assert.ok(isTyping("?") && isTyping("Escape") && !isTyping("Mod+K"));
});

test("addresses lead back to where they came from", () => {
  // By name, so that a new place does not compile without its examples.
  const places: { readonly [N in Place["name"]]: readonly Extract<Place, { name: N }>[] } = {
    home: [{ name: "home" }],
    inbox: [{ name: "inbox" }],
    search: [
      { name: "search", query: "" },
      { name: "search", query: "a/b ?#%" },
    ],
    session: [
      { name: "session", sessionId: "a/b c", requestId: null },
      { name: "session", sessionId: "x", requestId: "r#1" },
    ],
    settings: settingsTabs.map((tab) => ({ name: "settings", tab })),
  };
  for (const place of Object.values(places).flat()) {
    const url = new URL(addressOf(place), "http://x");
    assert.deepEqual(placeOf(url.pathname, url.hash), place);
  }
  assert.deepEqual(placeOf("/settings/none"), { name: "settings", tab: "general" });
  assert.deepEqual(placeOf("/s/%E0%A4%A"), { name: "session", sessionId: "%E0%A4%A", requestId: null });
});

function shelf(entries: Record<string, string> = {}): Shelf {
  const map = new Map(Object.entries(entries));
  return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => void map.set(k, v), removeItem: (k) => void map.delete(k) };
}

test("damaged settings fall back to the usual ones, entry by entry", () => {
  assert.deepEqual(readSettings(shelf({ "parley.settings": "{broken" })), defaultSettings);
  const read = readSettings(
    shelf({ "parley.settings": JSON.stringify({ theme: "dark", sendWith: 7, notify: { done: true }, strange: 1 }) }),
  );
  assert.deepEqual(read, { ...defaultSettings, theme: "dark", notify: { ...defaultSettings.notify, done: true } });
});

test("drafts are kept per session and leave no trace when empty", () => {
  const kept = shelf();
  writeDraft(kept, "a", "hello");
  assert.deepEqual([readDraft(kept, "a"), readDraft(kept, "b")], ["hello", ""]);
  writeDraft(kept, "a", "");
  assert.equal(kept.getItem("parley.draft.a"), null);
});

test("policies make up a named mode or say plainly what they are", () => {
  assert.equal(modeOf({ approvalPolicy: "untrusted", filesystemSandbox: "workspace-write", networkAccess: "restricted" }).id, "ask");
  const custom = modeOf({ approvalPolicy: "never", filesystemSandbox: "workspace-write", networkAccess: "restricted" });
  assert.deepEqual([custom.id, custom.unguarded, custom.label], ["custom", true, "Custom: never asks"]);
});

test("times, sizes and paths read well", () => {
  assert.deepEqual([ago(now / 1000 - 3599, now), ago(now / 1000 - 86_399, now)], ["59m", "23h"]);
  assert.deepEqual([ago(now / 1000 - 5, now), ago(now / 1000 - 600, now), ago(now / 1000 - 7200, now)], ["now", "10m", "2h"]);
  assert.deepEqual([duration(40), duration(2400), duration(61_000)], ["40 ms", "2.4 s", "1 min 1 s"]);
  assert.deepEqual(
    [59_999, 3_599_600, 3_600_000, 3_660_000, 7_199_999].map(duration),
    ["1 min", "1 h", "1 h", "1 h 1 min", "2 h"],
    "never 60 of a smaller unit",
  );
  assert.deepEqual([compact(999), compact(1500), compact(86_400), compact(2_100_000)], ["999", "1.5k", "86k", "2.1M"]);
  assert.equal(shortPath("/home/ada/app/src/x.ts", "/home/ada/app"), "src/x.ts");
  assert.equal(shortPath("/home/ada/other"), "~/other");
  assert.equal(dayGroup(now / 1000 - 2 * 86_400, now), "Last 7 days");
});
