/** Input from outside the composer: the person's editor, and a search through earlier messages. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../../lib/bounded-read.ts";
import { createFileSync } from "../../lib/durable-write.ts";
import { makePrivateFolder } from "../../lib/private-folder.ts";
import { clean, cleanLine } from "../../lib/terminal-text.ts";
import { createPicker } from "../ask/picker.ts";
import { composerWith, wholeText } from "../compose/composer.ts";
import type { Shell } from "./shell.ts";

/** More than any message may have. */
const maxBytes = 32 * 1024 * 1024;

/** Writes the message in $VISUAL or $EDITOR. The editor has the terminal until it exits. */
export async function editOutside(shell: Shell): Promise<void> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
  const folder = makePrivateFolder("parley-message-");
  const file = path.join(folder, "message.md");
  try {
    createFileSync(file, wholeText(shell.store.ui.composer), { sync: "none" });
    await shell.lend(() => runEditor(editor, file));
    shell.store.setUi({ composer: composerWith(clean(readBoundedTextSync(file, maxBytes)).trimEnd()) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The variable may contain flags, as in `code --wait`. */
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
