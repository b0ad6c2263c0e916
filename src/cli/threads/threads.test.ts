import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Thread } from "../../protocol/thread.ts";
import { htmlOf } from "../../sessions/export/html.ts";
import { textWidth } from "../../tui/text/width.ts";
import { openerFrom } from "./export.ts";
import { markdownOf } from "./markdown.ts";
import { shortPath, table, timeAgo } from "./table.ts";
import { textOf } from "./text.ts";

const thread = (items: readonly ThreadItem[], more: Partial<Thread> = {}): Thread => ({
  ...{ id: "019a6d3c-b000-7000-8000-000000000001", sessionId: "s", preview: "fix it", name: null, ephemeral: false, modelProvider: "mock" },
  ...{ createdAt: 1, updatedAt: 2, recencyAt: 2, status: { type: "notLoaded" }, path: null, cwd: "/ws", cliVersion: "1", source: "cli" },
  ...{
    originator: "t",
    threadSource: null,
    forkedFromId: null,
    parentThreadId: null,
    gitInfo: null,
    historyMode: "legacy",
    projectId: null,
  },
  turns: [{ id: "t", items: [...items], itemsView: "full", status: "completed", error: null, startedAt: 1, completedAt: 2, durationMs: 1 }],
  ...more,
});
const agent = (text: string): ThreadItem => ({ type: "agentMessage", id: "a", text });
const command = (text: string, output: string): ThreadItem => ({
  ...{ type: "commandExecution", id: "c", command: text, cwd: "/ws", status: "completed", commandActions: [] },
  ...{ aggregatedOutput: output, exitCode: 0 },
});
const html = (items: readonly ThreadItem[], more: Partial<Thread> = {}): string =>
  htmlOf(thread(items, more), { withOutputs: true, openFile: openerFrom("vscode", "/ws") });

test("a table fits every width down to its narrowest columns, whatever the text", () => {
  const columns = [{ title: "ID" }, { title: "FOLDER", cut: "middle" as const, least: 4 }, { title: "TEXT", least: 6 }];
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), fc.integer({ min: 20, max: 120 }), (a, b, width) => {
      for (const line of table(columns, [["0123", a, b]], width)
        .trimEnd()
        .split("\n"))
        assert.ok(textWidth(line) <= width, line);
    }),
  );
});

test("nothing in a cell controls the terminal or breaks the line", () => {
  const shown = table([{ title: "A" }], [["\u001b[31mred\u001b]0;title\u0007\n\u202eevil"]], 80);
  assert.equal(shown, "A\nred evil\n");
});

test("times are printed in words that people use", () => {
  const now = 1_000_000_000_000;
  const ago = (seconds: number): string => timeAgo(now / 1000 - seconds, now);
  assert.deepEqual([5, 90, 7300, 90_000].map(ago), ["just now", "1 min ago", "2 h ago", "1 d ago"]);
  assert.match(ago(30 * 86_400), /^2001-08-\d\d$/);
  assert.deepEqual([shortPath("/home/me/x", "/home/me"), shortPath("/home/mel", "/home/me")], ["~/x", "/home/mel"]);
});

test("in markdown no output can close the fence around it", () => {
  const text = markdownOf(thread([command("cat x", "```\n# not a heading\n````\n")]), true);
  assert.match(text, /\n`{5}console\n\$ cat x\n```\n# not a heading\n````\n`{5}\n/);
  assert.ok(!markdownOf(thread([command("cat x", "secret")]), false).includes("secret"));
});

for (const [name, items, more] of [
  ["agent text", [agent('<script>alert(1)</script><img src=x onerror="alert(1)">')], {}],
  ["links", [agent("[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://tracker.invalid/x.png)")], {}],
  ["command output", [command("</pre><script>1</script>", "<iframe src=x></iframe>")], {}],
  ["names and folders", [], { name: "</title><script>1</script>", cwd: '"><script>1</script>' }],
  ["pictures", [{ type: "userMessage", id: "u", content: [{ type: "image", url: 'data:image/png;base64,"onerror="x' }] }], {}],
  [
    "a changed file's path",
    [{ type: "fileChange", id: "f", status: "completed", changes: [{ path: '"onclick="x', kind: { type: "add" }, diff: "+<b>" }] }],
    {},
  ],
] as const satisfies readonly (readonly [string, readonly ThreadItem[], Partial<Thread>])[])
  test(`in HTML ${name} stay text`, () => {
    const page = html(items, more);
    assert.ok(!/<(?:script|iframe|img)\b/i.test(page), page);
    assert.ok(!/<[^>]*\son\w+=/i.test(page), page);
    assert.ok(!/(?:href|src)="(?!https?:|vscode:|data:image)/i.test(page), page);
    assert.ok(!page.includes("tracker.invalid") || !/<img[^>]*tracker/.test(page));
    assert.match(page, /Content-Security-Policy" content="default-src 'none'/);
  });

test("whatever an agent or a command prints, none of it becomes HTML tags", () => {
  const own = new Set(html([agent("x"), command("x", "y")]).match(/<\w+/g));
  const dangerous = fc.constantFrom(
    "<script>",
    "<b onclick=x>",
    "<a href=javascript:x>",
    "]]>",
    "-->",
    "<svg/onload=x>",
    "[x](javascript:x)",
    "`",
    "\n\n",
    "<!--",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(dangerous, fc.string()), { maxLength: 8 }), (parts) => {
      const page = html([command(parts.join(""), parts.join(""))]);
      for (const tag of page.match(/<\w+/g) ?? []) assert.ok(own.has(tag), tag);
      assert.ok(!/<[^>]*\s(?:on\w+|href="javascript)/i.test(html([agent(parts.join(""))])));
    }),
  );
});

test("for the terminal, long output is cut and escape sequences are removed", () => {
  const text = textOf(thread([command("run", `\u001b]52;c;xxx\u0007${"line\n".repeat(50)}`)]), { turns: undefined, colours: false });
  assert.ok(!text.includes("\u001b"));
  assert.match(text, /… 30 more lines/);
});

test("a file's URL uses the editor's scheme and escapes special characters", () => {
  assert.equal(openerFrom("cursor", "/ws")?.("a b#1.ts"), "cursor://file/ws/a%20b%231.ts");
  assert.equal(openerFrom("none", "/ws"), undefined);
});
