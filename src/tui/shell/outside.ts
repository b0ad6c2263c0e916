/** Help from outside the composer: the person's editor, and a search through earlier messages. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder } from "../../lib/private-folder.ts";
import { createPicker } from "../ask/picker.ts";
import { composerWith, wholeText } from "../compose/composer.ts";
import { clean, cleanLine } from "../text/clean.ts";
import type { Shell } from "./shell.ts";

/** Writes the message in $VISUAL or $EDITOR. The terminal is the editor's until it ends. */
export async function editOutside(shell: Shell): Promise<void> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
  const folder = makePrivateFolder("parley-message-");
  const file = path.join(folder, "message.md");
  try {
    writeFileSync(file, wholeText(shell.store.ui.composer), { mode: 0o600 });
    await shell.lend(() => runEditor(editor, file));
    shell.store.setUi({ composer: composerWith(clean(readFileSync(file, "utf8")).trimEnd()) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The variable may hold flags, as in `code --wait`. */
function runEditor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${editor} ended with code ${code}; the message is as it was`)),
    );
  });
}

export async function searchHistory(shell: Shell): Promise<void> {
  const texts = [...new Set(shell.history.texts().toReversed())];
  const picker = createPicker({
    title: "Earlier messages",
    items: texts.map((text, i) => ({ id: String(i), label: cleanLine(text), detail: "" })),
    canFilter: true,
    whenEmpty: "No message matches",
    hint: "type to search, enter takes it, esc closes",
  });
  const id = await shell.pick(picker);
  const text = id === undefined ? undefined : texts[Number(id)];
  if (text !== undefined) shell.store.setUi({ composer: composerWith(text) });
}
