/** The whole session in the pager, with nothing folded. Read from the server each time, so that no copy is kept here. */

import { cleanOutput } from "../../lib/terminal-text.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { entryLines, hasGap, type Place } from "../draw/entries.ts";
import type { Entry } from "../state/entry.ts";
import { entriesOf, withoutRepeats } from "../state/item-entries.ts";
import { endingOf } from "../state/open.ts";
import type { Line } from "../text/spans.ts";
import type { Shell } from "./shell.ts";

export async function showTranscript(shell: Shell): Promise<void> {
  const { threadId, settings } = shell.store.conversation;
  if (threadId === undefined) return;
  if (!shell.options.usesAltScreen)
    return shell.store.setUi({ hint: "Without the second screen the transcript is your terminal's scrollback" });
  shell.store.setUi({ busy: "Reading the transcript" });
  const read = shell.client().call("thread/read", { threadId, includeTurns: true });
  const { thread } = await read.finally(() => shell.store.setUi({ busy: undefined }));
  const place = { theme: shell.theme, isWhole: true as const, cwd: settings?.cwd ?? "" };
  await shell.page(shell.store.conversation.name ?? "Transcript", (width) => transcriptLines(thread.turns, { ...place, width }));
}

function transcriptLines(turns: readonly Turn[], place: Place): Line[] {
  const entries = turns.flatMap((turn) => [...withoutRepeats(turn.items).flatMap(wholeEntries), ...endingOf(turn)]);
  return entries.flatMap((entry) => [...(hasGap(entry) ? [[]] : []), ...entryLines(entry, place)]);
}

function wholeEntries(item: ThreadItem): Entry[] {
  return entriesOf(item).map((entry): Entry => {
    if (entry.kind !== "command" || item.type !== "commandExecution") return entry;
    const head = cleanOutput(item.aggregatedOutput ?? "")
      .replace(/\s+$/, "")
      .split("\n");
    return { ...entry, output: { head: head.length === 1 && head[0] === "" ? [] : head, hidden: 0, tail: [] } };
  });
}
