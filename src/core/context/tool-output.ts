/** Limits how much of a tool's result the model reads, and names the file with the full text. */

import type { CorePorts } from "../ports/core-ports.ts";
import type { KeptOutput } from "../ports/output-files.ts";
import type { ModelChoice } from "../ports/settings.ts";
import type { ToolContent, ToolOutput } from "../ports/tool.ts";
import { estimateTextTokens, truncateMiddle } from "./tokens.ts";

/** The thread whose outputs are kept. */
export interface OutputThread {
  readonly id: string;
  readonly ports: Pick<CorePorts, "outputs">;
}

export interface LongText {
  readonly text: string;
  /** The base of the file name. */
  readonly name: string;
  readonly maxTokens: number;
  /** The file that already has the full text, when `text` is only a part. */
  readonly whole?: KeptOutput | undefined;
}

/** A longer text is saved to a file before it is cut; the marker at the cut names the file. */
export async function cutText(turn: { readonly thread: OutputThread }, { text, name, maxTokens, whole }: LongText): Promise<string> {
  if (estimateTextTokens(text) <= maxTokens) return text;
  const file = whole ?? (await kept(turn, name, text));
  return truncateMiddle(text, maxTokens, (removed) => cutMark(removed, file));
}

function cutMark(removed: number, file: KeptOutput | undefined): string {
  if (file === undefined) return `…${removed} tokens truncated…`;
  return `…${removed} tokens truncated; ${file.isWhole ? "all of it" : "its beginning"} is in ${file.path}…`;
}

const kept = ({ thread }: { readonly thread: OutputThread }, name: string, text: string): Promise<KeptOutput | undefined> =>
  thread.ports.outputs.keep(outputName(thread.id, name), text);

export const outputName = (threadId: string, name: string): string => `${threadId}_${name}`;

/** A turn with a limit on how much of one output its model reads. */
export interface LimitedTurn {
  readonly thread: OutputThread & { outputLimit(of: ModelChoice): number };
  readonly settings: ModelChoice;
}

/** For tool results that do not apply the limit themselves: MCP servers', clients' and the model's own mistakes. */
export async function withinLimit(output: ToolOutput, callId: string, turn: LimitedTurn): Promise<ToolOutput> {
  const maxTokens = turn.thread.outputLimit(turn.settings);
  if (output.kind === "text") return { ...output, text: await cutText(turn, { text: output.text, name: callId, maxTokens }) };
  const content = withoutSurplus(output.content);
  const all = content.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");
  if (estimateTextTokens(all) <= maxTokens) return { ...output, content };
  const file = await kept(turn, callId, all);
  return { ...output, content: shortened(content, maxTokens, file) };
}

/** Providers refuse requests with more than a few dozen images, and each image is paid for with every request. */
const maxPictures = 20;

function withoutSurplus(content: readonly ToolContent[]): readonly ToolContent[] {
  const pictures = content.filter((part) => part.type === "input_image");
  if (pictures.length <= maxPictures) return content;
  const surplus = new Set<ToolContent>(pictures.slice(maxPictures));
  const note: ToolContent = { type: "input_text", text: `[${surplus.size} more pictures were left out; ask for fewer at a time]` };
  return [...content.filter((part) => !surplus.has(part)), note];
}

/** Images stay; texts are kept in order while there is room, and the rest is left out with a note. */
function shortened(content: readonly ToolContent[], maxTokens: number, file: KeptOutput | undefined): ToolContent[] {
  let left = maxTokens;
  let removed = 0;
  const parts = content.flatMap((part): ToolContent[] => {
    if (part.type !== "input_text") return [part];
    const room = Math.max(0, left);
    const tokens = estimateTextTokens(part.text);
    left -= tokens;
    if (tokens <= room) return [part];
    if (room < 50) {
      removed += tokens;
      return [];
    }
    return [{ type: "input_text", text: truncateMiddle(part.text, room, (cut) => cutMark(cut, file)) }];
  });
  return removed === 0 ? parts : [...parts, { type: "input_text", text: cutMark(removed, file) }];
}
