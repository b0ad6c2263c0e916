/** The panel's replacement for a browser's storage and address: state that survives hiding, reloading and crashes. */
import { type Address, type Place, placeOf } from "../../../web/src/state/router.ts";
import type { Shelf } from "../../../web/src/state/settings.ts";

/** The editor's API handle in a webview. */
export interface Editor {
  postMessage(message: unknown): void;
}

interface Kept {
  readonly shelf: Readonly<Record<string, string>>;
  readonly place: Place;
}

export interface Surroundings {
  readonly shelf: Shelf;
  readonly address: Address;
  /** Navigates the panel from outside, for editor commands. */
  move(place: Place): void;
}

/** `before` is the state that the extension stored last time, as JSON. */
export function surroundingsOf(editor: Editor, before: string | undefined): Surroundings {
  let kept = keptIn(before);
  const movers = new Set<(place: Place) => void>();
  const keep = (part: Partial<Kept>): void => {
    kept = { ...kept, ...part };
    editor.postMessage({ type: "keep", place: kept.place, shelf: kept.shelf });
  };
  const write = (place: Place): void => keep({ place });
  return {
    shelf: {
      getItem: (key) => kept.shelf[key] ?? null,
      setItem: (key, value) => keep({ shelf: { ...kept.shelf, [key]: value } }),
      removeItem(key) {
        if (kept.shelf[key] === undefined) return;
        const { [key]: _, ...shelf } = kept.shelf;
        keep({ shelf });
      },
    },
    address: {
      read: () => kept.place,
      write,
      onMove(listener) {
        movers.add(listener);
        return () => movers.delete(listener);
      },
    },
    move(place) {
      write(place);
      for (const mover of movers) mover(place);
    },
  };
}

/** State stored by an older build may have any shape; invalid parts are dropped. */
function keptIn(text: string | undefined): Kept {
  const given = asRecord(parsed(text ?? ""));
  const shelf = Object.entries(asRecord(given["shelf"]));
  return {
    shelf: Object.fromEntries(shelf.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    place: placeIn(given["place"]),
  };
}

function placeIn(value: unknown): Place {
  const { name, sessionId } = asRecord(value);
  if (name === "session" && typeof sessionId === "string") return { name, sessionId, requestId: null };
  return placeOf(name === "inbox" ? "/inbox" : "/");
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
