/** The output limit: the model's maximum, as far as the window has room for it beside the prompt. */
import type { CatalogEntry } from "./catalog.ts";

/** Code has fewer characters per token than prose; an estimate that is too high is better than a refused request. */
const charactersPerToken = 3;
/** A shorter answer is useless; if even this does not fit, the provider returns an error and the history is compacted. */
const shortest = 2048;

/** `body`: the request as sent. Images in it are counted by their usual token price, not by their length. */
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
