/** How sessions are arranged, found and counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "../../test/fake-world.ts";
import type { UsageTable } from "../connection/more-calls.ts";
import { timelineLabel } from "../parts/timeline.ts";
import { attachmentLink, linkAttachment } from "./attachment-link.ts";
import { costBy, daysOf, money } from "./cost.ts";
import { filePlace, splitAtFiles } from "./file-place.ts";
import { forEditing, forSaving, lineEnds, whyNotEditable } from "./file-text.ts";
import { agentsOf, listRows, overviewOf } from "./list.ts";
import { marked } from "./marked-text.ts";
import { emptyState, type SessionSummary } from "./model.ts";
import { moved } from "./moved.ts";
import { snoozeChoices } from "./snooze.ts";

const now = Date.UTC(2026, 10, 15, 12);
const at = now / 1000;
const stateOf = (sessions: readonly SessionSummary[], waiting: readonly string[] = []) => ({
  ...emptyState,
  sessions: new Map(sessions.map((s) => [s.sessionId, s])),
  sections: [
    { sectionId: "pin", name: "Pinned", isPinned: true, sessionIds: ["b", "a"] },
    { sectionId: "later", name: "Later", isPinned: false, sessionIds: [] },
  ],
  pending: new Map(waiting.map((id) => [id, { threadId: id, rootThreadId: id } as never])),
});
const view = { groupBy: "time", filter: "all", search: "", folded: new Set<string>() } as const;
const shown = (state: ReturnType<typeof stateOf>, part: object = {}): string[] =>
  listRows(state, { ...view, ...part }, now).map((row) => (row.kind === "heading" ? `# ${row.text}` : row.session.sessionId));

test("sections come first, in the order in which people have put their sessions; an empty one of one's own is shown", () => {
  const sessions = [
    session("a", "A", { sectionId: "pin", updatedAt: at }),
    session("b", "B", { sectionId: "pin", updatedAt: at - 9 }),
    session("c", "C", { updatedAt: at }),
  ];
  assert.deepEqual(shown(stateOf(sessions)), ["# Pinned", "b", "a", "# Later", "# Today", "c"]);
  assert.deepEqual(shown(stateOf(sessions, ["a"])).slice(0, 4), ["# Needs you", "a", "# Pinned", "b"]);
});

test("a snoozed session is left out until its time, unless it waits for a person or is searched for", () => {
  const sessions = [
    session("a", "A", { snoozedUntil: at + 60, updatedAt: at }),
    session("b", "B", { snoozedUntil: at - 60, updatedAt: at }),
  ];
  assert.deepEqual(shown(stateOf(sessions)).slice(-2), ["# Today", "b"]);
  assert.deepEqual(shown(stateOf(sessions), { filter: "snoozed" }).slice(-1), ["a"]);
  assert.deepEqual(shown(stateOf(sessions), { search: "a" }).slice(-1), ["a"]);
  assert.deepEqual(shown(stateOf(sessions, ["a"])).slice(0, 2), ["# Needs you", "a"]);
});

test("the overview names each session once: waiting before running before unread before pinned, sub-agents with their parent", () => {
  const sessions = [
    session("a", "A", { sectionId: "pin", unread: true }),
    session("b", "B", { sectionId: "pin" }),
    session("run", "R", { state: "working", unread: true }),
    session("child", "C", { parentSessionId: "run", unread: true, agentName: "Euclid" }),
    session("ask", "Q", { state: "waiting" }),
    session("later", "L", { unread: true, snoozedUntil: at + 60 }),
  ];
  const found = overviewOf(stateOf(sessions, ["ask"]), now);
  const ids = Object.fromEntries(Object.entries(found).map(([name, list]) => [name, list.map((s: SessionSummary) => s.sessionId)]));
  assert.deepEqual(ids, { waiting: ["ask"], running: ["run"], unread: ["a"], pinned: ["b"] });
});

test("sub-agents are a tree, and a damaged one ends", () => {
  const tree = [
    session("top", "T"),
    session("two", "2", { parentSessionId: "top", createdAt: 2 }),
    session("one", "1", { parentSessionId: "top", createdAt: 1 }),
    session("deep", "3", { parentSessionId: "one" }),
    session("x", "X", { parentSessionId: "y" }),
    session("y", "Y", { parentSessionId: "x" }),
  ];
  const rows = (id: string): string[] => agentsOf(id, tree).map((row) => `${row.depth} ${row.session.sessionId}`);
  assert.deepEqual(rows("top"), ["0 one", "1 deep", "0 two"]);
  assert.deepEqual(rows("x"), ["0 y"]);
});

test("a snooze ends at a time that is ahead", () => {
  const labels = (date: Date): string[] => snoozeChoices(date).map((choice) => choice.label);
  assert.deepEqual(labels(new Date(2026, 10, 16, 10)), [
    "For an hour",
    "Until this evening",
    "Until tomorrow morning",
    "Until Monday morning",
  ]);
  assert.equal(labels(new Date(2026, 10, 16, 20)).includes("Until this evening"), false);
  const monday = new Date((snoozeChoices(new Date(2026, 10, 16, 10)).at(-1)?.until ?? 0) * 1000);
  assert.deepEqual([monday.getDay(), monday.getDate()], [1, 23]);
});

test("entries are moved within the ends of their list", () => {
  assert.deepEqual(moved(["a", "b", "c"], 2, -1), ["a", "c", "b"]);
  assert.deepEqual(moved(["a", "b", "c"], 0, 9), ["b", "c", "a"]);
  assert.deepEqual(moved(["a"], 5, 1), ["a"]);
});

test("places of files are found in code and in output, addresses and versions are not", () => {
  assert.deepEqual(filePlace("src/app.ts:12"), { path: "src/app.ts", line: 12 });
  assert.deepEqual(filePlace("./a-b/c_d.test.tsx:3:14"), { path: "./a-b/c_d.test.tsx", line: 3 });
  assert.deepEqual(filePlace("README.md"), { path: "README.md", line: null });
  assert.deepEqual(filePlace("src/app.ts#L7"), { path: "src/app.ts", line: 7 });
  for (const other of ["npm test", "1.2.3", "https://example.org/a.ts:1", "foo()", "a.ts:12 and more", "x".repeat(400)])
    assert.equal(filePlace(other), undefined, other);
  const parts = splitAtFiles("at run (src/app.ts:12:5), see http://localhost:3000 and 10:30");
  assert.deepEqual(parts, [
    "at run (",
    { path: "src/app.ts", line: 12, text: "src/app.ts:12:5" },
    "), see http://localhost:3000 and 10:30",
  ]);
  assert.deepEqual(splitAtFiles("a".repeat(5000)), ["a".repeat(5000)]);
  const started = performance.now();
  splitAtFiles(`${"a/".repeat(1900)}:`);
  assert.ok(performance.now() - started < 200, "hostile output is split quickly");
});

test("an edited file keeps its line ends; mixed ones cannot be kept", () => {
  assert.deepEqual([lineEnds("a\nb"), lineEnds("a\r\nb\r\n"), lineEnds("a\r\nb\n"), lineEnds("a\rb")], ["\n", "\r\n", "mixed", "mixed"]);
  const windows = "one\r\ntwo\r\n";
  assert.equal(forSaving(`${forEditing(windows)}three\n`, windows), "one\r\ntwo\r\nthree\r\n");
  assert.equal(whyNotEditable(windows), null);
  assert.match(whyNotEditable("a\r\nb\n") ?? "", /line ends/);
});

test("found text is marked whatever its case", () => {
  assert.deepEqual(
    marked("Lime and lime", "LIME").map((part) => [part.text, part.isMatch]),
    [
      ["Lime", true],
      [" and ", false],
      ["lime", true],
    ],
  );
  assert.deepEqual(marked("İstanbul", "i"), [{ text: "İstanbul", isMatch: false }]);
});

test("the time line says in a line what each thing was", () => {
  const item = (part: object) => timelineLabel({ type: "item", position: 1, turnId: "t", item: { id: "i", ...part } as never }).text;
  assert.equal(item({ type: "commandExecution", command: "/bin/bash -lc 'npm test'" }), "Ran npm test");
  assert.equal(item({ type: "fileChange", changes: [{ path: "a.ts" }, { path: "b.ts" }] }), "Edited 2 files");
  assert.equal(item({ type: "somethingNew" }), "something new");
  const end = { type: "turnCompleted", position: 2, turnId: "t", status: "failed", error: { message: "no money" } } as const;
  assert.equal(timelineLabel(end).text, "Turn failed: no money");
});

test("cost is summed by day, project and model; one unknown price makes a sum unknown", () => {
  const row = (day: string, cwd: string | null, model: string, cost: number | null): UsageTable["rows"][number] => ({
    ...{ day, cwd, projectId: cwd === "/p" ? "p1" : null, model, provider: null, threads: 1, money: cost },
    ...{ inputTokens: 8, cachedInputTokens: 2, outputTokens: 2, totalTokens: 10 },
  });
  const table: UsageTable = {
    rows: [
      row("2026-11-15", "/p", "big", 2),
      row("2026-11-15", "/q", "big", 1),
      row("2026-11-13", "/p", "small", null),
      row("2026-11-13", null, "big", 1),
    ],
    ...{ currency: "USD", truncated: false, today: { day: "2026-11-15", tokens: 20, money: 3 } },
    budget: { moneyPerDay: null, moneyPerThread: null, tokensPerDay: null, tokensPerThread: null },
  };
  const projects = [{ projectId: "p1", name: "Tidepool", workingDirectory: "/p", createdAt: "", updatedAt: "" }];
  const sums = (kind: "day" | "project" | "model") => costBy(table, kind, projects).map((g) => [g.label, g.money, g.tokens]);
  assert.deepEqual(sums("day"), [
    ["2026-11-15", 3, 20],
    ["2026-11-13", null, 20],
  ]);
  assert.deepEqual(sums("project"), [
    ["q", 1, 10],
    ["Sessions that are gone", 1, 10],
    ["Tidepool", null, 20],
  ]);
  assert.deepEqual(sums("model"), [
    ["big", 4, 30],
    ["small", null, 10],
  ]);
  assert.deepEqual(
    daysOf(table, 3).map((d) => [d.day, d.money]),
    [
      ["2026-11-13", 1],
      ["2026-11-14", 0],
      ["2026-11-15", 3],
    ],
  );
  assert.match(money(0.0123, "USD"), /0\.0123/);
  assert.equal(money(2, "bananas"), "2.00 bananas");
});

test("attached addresses are followed only if they are addresses of the web", () => {
  assert.equal(linkAttachment(" https://example.org/issues/7 ")?.identityKey, "https://example.org/issues/7");
  for (const text of ["", "issue 7", "javascript:alert(1)", "file:///etc/passwd"]) assert.equal(linkAttachment(text), undefined, text);
  const shown = (payload: unknown, identityKey = "k") => attachmentLink({ attachmentType: "pr", identityKey, payload });
  assert.deepEqual(shown({ url: "https://example.org/1", title: "Fix it" }), { href: "https://example.org/1", title: "Fix it" });
  assert.deepEqual(shown({ url: "javascript:alert(1)" }), { href: undefined, title: "k" });
  assert.equal(shown(null, "https://example.org/2").title, "example.org/2");
});
