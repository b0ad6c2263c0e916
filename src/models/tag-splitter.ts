/** Finds `<tag>…</tag>` in text that arrives in arbitrary chunks: reasoning and tool calls of models that write them as text. */

/** `inside`: the chunk is between the tags. `closed`: the text between the tags has ended (the chunk is then empty). */
export type Emit = (piece: string, inside: boolean, closed: boolean) => void;

export interface TagSplitter {
  feed(text: string, emit: Emit): void;
  /** The text has ended: returns what was held back because it might have been a tag. */
  flush(emit: Emit): void;
}

/** `onlyAtStart`: the tag counts once, and only before any text other than whitespace. */
export function createTagSplitter(tag: string, onlyAtStart: boolean): TagSplitter {
  const open = `<${tag}>`;
  const close = `</${tag}>`;
  let state: "outside" | "inside" | "plain" = "outside";
  let held = "";

  /** Emits the first `length` characters. */
  function release(length: number, emit: Emit): void {
    if (length > 0) emit(held.slice(0, length), state === "inside", false);
    held = held.slice(length);
  }

  /** True when there is more to parse. */
  function step(emit: Emit): boolean {
    if (state === "plain") {
      release(held.length, emit);
      return false;
    }
    if (state === "outside" && onlyAtStart) return stepAtStart();
    const wanted = state === "inside" ? close : open;
    const at = held.indexOf(wanted);
    release(at >= 0 ? at : held.length - partialTag(held, wanted), emit);
    if (at < 0) return false;
    held = held.slice(wanted.length);
    if (state === "inside") emit("", true, true);
    state = state === "outside" ? "inside" : onlyAtStart ? "plain" : "outside";
    return held !== "";
  }

  function stepAtStart(): boolean {
    const trimmed = held.trimStart();
    if (open.startsWith(trimmed)) return trimmed === open && enter("");
    return trimmed.startsWith(open) ? enter(trimmed.slice(open.length)) : become("plain");
  }
  function enter(rest: string): boolean {
    held = rest;
    state = "inside";
    return held !== "";
  }
  function become(next: typeof state): boolean {
    state = next;
    return true;
  }

  return {
    feed(text, emit) {
      held += text;
      while (held !== "" && step(emit));
    },
    flush(emit) {
      release(held.length, emit);
      if (state === "inside") emit("", true, true);
      state = "plain";
    },
  };
}

/** Length of the longest suffix of `text` that is a prefix of `tag`. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
