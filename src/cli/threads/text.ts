/** A thread as text for a terminal. */
import { styleText } from "node:util";
import { clean } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { type Block, factsOf, scenesOf, titleOf } from "../../sessions/export/transcript.ts";

type Style = Parameters<typeof styleText>[0];
/** Lines of a command's output that are shown; `export` has them all. */
const shownLines = 20;

export function textOf(thread: Thread, options: { readonly turns: number | undefined; readonly colours: boolean }): string {
  const styled = (style: Style, text: string): string => (options.colours ? styleText(style, text, { validateStream: false }) : text);
  const scenes = scenesOf(thread.turns, true);
  const chosen = options.turns === undefined ? scenes : scenes.slice(-options.turns);
  const facts = factsOf(thread).map(([name, value]) => `${styled("dim", `${name.padEnd(12)}`)} ${clean(value)}`);
  const parts = chosen.map(({ title, blocks }) =>
    [styled("bold", `── ${title}`), ...blocks.map((block) => blockText(block, styled))].join("\n\n"),
  );
  return `${[styled("bold", clean(titleOf(thread))), facts.join("\n"), ...parts].join("\n\n")}\n`;
}

function blockText(block: Block, styled: (style: Style, text: string) => string): string {
  switch (block.kind) {
    case "message":
      return `${styled(block.by === "user" ? "cyan" : "green", block.by)}\n${clean(block.text)}`;
    case "thought":
      return styled("dim", clean(block.text));
    case "plan":
      return `${styled("magenta", "plan")}\n${clean(block.text)}`;
    case "command":
      return [styled("magenta", `$ ${clean(block.command)}`), lines(block.output), styled("dim", block.ended)]
        .filter((part) => part !== "")
        .join("\n");
    case "change":
      return [styled("magenta", `± ${block.what} ${clean(block.path)}`), lines(block.diff), styled("dim", block.ended)].join("\n");
    case "tool":
      return [styled("magenta", `${clean(block.name)} ${clean(block.args)}`), lines(block.output), styled("dim", block.ended)]
        .filter((part) => part !== "")
        .join("\n");
    case "picture":
      return styled("dim", "(a picture)");
    case "note":
      return styled("dim", clean(block.text));
  }
}

function lines(text: string): string {
  const all = clean(text.trimEnd()).split("\n");
  if (all.length <= shownLines) return all.join("\n");
  return [...all.slice(0, shownLines), `… ${all.length - shownLines} more lines`].join("\n");
}
