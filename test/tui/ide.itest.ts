/** The link with an editor, with real keys in a terminal and the extension's own end of it in this process. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { CodexProvider } from "../../src/ide/codex-provider.ts";
import type { ShownChange } from "../../src/ide/link.ts";
import type { LookedAt } from "../../src/ide/looked-at.ts";
import { WindowServer } from "../../src/ide/window-server.ts";
import type { EditorDecision } from "../../src/ide/wire.ts";
import { Terminal, whyNoTmux } from "../support/tmux.ts";

const skip = whyNoTmux() ?? false;

/** An editor's window without an editor: what is open in it is set, and what it is asked for can be waited for. */
class FakeEditor {
  seen: LookedAt | undefined;
  readonly #got: unknown[] = [];
  decide: ((decision: EditorDecision) => void) | undefined;
  readonly server: WindowServer;

  constructor(t: TestContext, { home }: Terminal, folders: readonly string[], app = "Test Editor") {
    this.server = new WindowServer(home, {
      app,
      folders: () => folders,
      looking: () => this.seen,
      open: async (file, line) => {
        if (file.endsWith("nowhere.ts")) throw new Error("There is no such file.");
        this.#got.push(["open", file, line]);
      },
      showChange: async (_key, { changes }: ShownChange, decide) => {
        this.#got.push(["show", ...changes.map((change) => change.path)]);
        this.decide = decide;
      },
      closeChange: () => this.#got.push("close"),
      log: () => {},
    });
    t.after(() => this.server.close());
  }

  look(seen: LookedAt | undefined): void {
    this.seen = seen;
    this.server.lookingChanged();
  }
  async asked(last: unknown): Promise<void> {
    for (const end = performance.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 25))) {
      if (JSON.stringify(this.#got.at(-1)) === JSON.stringify(last)) return;
      if (performance.now() > end) assert.deepEqual(this.#got.at(-1), last);
    }
  }
}

test("/ide: what is open in the editor goes along and is shown; files and changes open there; off ends it", { skip }, async (t) => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-one\n+two\n*** End Patch";
  const term = new Terminal(t, {
    rows: 40,
    turns: [[{ say: "Heard: {{user}}." }], [{ patch }, { say: "Changed." }], [{ say: "Alone: {{user}}." }]],
    config: 'approval_policy = "untrusted"\nsandbox_mode = "read-only"',
  });
  const file = path.join(term.workspace, "a.ts");
  writeFileSync(file, "one\n");
  await term.start();
  term.say("/ide");
  await term.until("No editor has this folder open");
  const editor = new FakeEditor(t, term, [term.workspace]);
  editor.seen = { file, selection: undefined, problems: [] };
  await editor.server.start();
  const elsewhere = new FakeEditor(t, term, ["/somewhere/else"], "Other Editor");
  await elsewhere.server.start();
  term.say("/ide");
  await term.until("Linked with Test Editor");
  await term.until(/editor: a\.ts · Test Editor, \/ide off leaves it out/);
  const selection = { firstLine: 1, lastLine: 1, text: "one\u001b[2J" };
  editor.look({ file: path.join(term.workspace, "ev\u202eil\u001b[31m.ts"), selection, problems: ["line 1, error: wrong"] });
  await term.until(/editor: ev\\u\{202e\}il\\e\[31m\.ts:1 · 1 problem/);
  term.keep("80x40-ide-hostile");
  editor.look({ file, selection: { firstLine: 1, lastLine: 1, text: "one" }, problems: ["line 1, error: wrong"] });
  await term.until(/editor: a\.ts:1 · 1 problem/);
  term.say("explain");
  const answered = await term.answered(/Heard: explain\s+Selected in my editor, a\.ts:1:/);
  assert.match(answered, /› explain\s+\[a\.ts:1 · 1 problem\]/, "the message is shown with what went along, in short");
  assert.match(answered, /line 1, error: wrong/);
  term.keep("80x40-ide");
  term.say("/ide open a.ts:3");
  await editor.asked(["open", file, 3]);
  term.say("/ide open nowhere.ts");
  await term.until("There is no such file.");
  term.say("change it");
  await term.until(/Make these changes\?[\s\S]*e in the editor/);
  term.keep("80x40-ide-change");
  term.keys("e");
  await editor.asked(["show", file]);
  editor.decide?.("accept");
  await term.answered("Changed.");
  assert.match(term.scrollback(), /Decided in the editor: Yes, make them/);
  assert.equal(readFileSync(file, "utf8"), "two\n");
  term.say("/ide off");
  await term.until("Nothing from the editor goes along any more");
  await term.untilGone("editor: a.ts");
  term.say("alone");
  await term.answered("Alone: alone.");
  term.say("/ide windows");
  await term.until("Which editor window?");
  term.type("else");
  await term.until("/somewhere/else");
  term.keys("Enter");
  await term.until("Linked with Other Editor");
  await term.until(/editor: no file is open · Other Editor/);
  elsewhere.server.close();
  await term.until("The link with Other Editor has ended");
  term.say("/ide sideways");
  await term.until("/ide takes on, off, status, windows or open FILE[:LINE]");
});

test("/ide also finds an editor with Codex's extension; in the editor's own terminal a note says that there is one", {
  skip,
}, async (t) => {
  const term = new Terminal(t, { rows: 40, turns: [[{ say: "Heard: {{user}}." }]], env: { TERM_PROGRAM: "vscode" } });
  const file = path.join(term.workspace, "b.ts");
  const codex = new CodexProvider(term.home, {
    folders: () => [term.workspace],
    looking: () => ({ file, selection: { firstLine: 2, lastLine: 3, text: "x\ny" }, problems: [] }),
  });
  t.after(() => codex.close());
  await codex.start();
  await term.start();
  term.say("/ide");
  await term.until(/editor: b\.ts:2-3/);
  term.say("explain");
  await term.answered(/Heard: explain\s+Selected in my editor, b\.ts:2-3:/);
  term.say("/ide open b.ts");
  await term.until("cannot be asked to open files");
  const editor = new FakeEditor(t, term, [path.dirname(term.workspace)]);
  await editor.server.start();
  const beside = new Terminal(t, { rows: 40, folder: term.folder, env: { TERM_PROGRAM: "vscode" } });
  await beside.start();
  await beside.until("/ide links with Test Editor");
});
