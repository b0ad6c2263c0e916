/** How long an answer may be: what the model can write at most, as far as the window has room for it beside the question. */
import type { CatalogEntry } from "./catalog.ts";

/** Text in code has fewer characters a token than prose; the guess must rather be too high than refused. */
const charactersPerToken = 3;
/** An answer shorter than this is of no use; if even it does not fit, the provider says so and the history is compacted. */
const shortest = 2048;

/** `body`: the request as it is sent. Pictures in it are counted by their usual price, not by their length. */
export function outputLimit(model: CatalogEntry, body: string): number {
  const most = model.maxOutputTokens ?? 16_000;
  const { length, pictures } = textOf(body);
  const used = Math.ceil(length / charactersPerToken) + pictures * pictureTokens;
  return Math.max(Math.min(shortest, most), Math.min(most, model.contextWindow - used));
}
const pictureTokens = 1600;

function textOf(body: string): { readonly length: number; readonly pictures: number } {
  let length = body.length;
  let pictures = 0;
  for (const mark of dataMarks) {
    for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
      const end = body.indexOf('"', at + mark.length);
      length -= (end < 0 ? body.length : end) - at;
      pictures++;
    }
  }
  return { length, pictures };
}
/** Data URLs, and base64 in a field of its own. */
const dataMarks = [";base64,", '"data":"'];
