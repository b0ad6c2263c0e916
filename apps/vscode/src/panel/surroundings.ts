/** What the editor gives the panel instead of a browser's storage and address: a state that survives hiding and reloading. */
import { type Address, type Place, placeOf } from "../../../web/src/state/router.ts";
import type { Shelf } from "../../../web/src/state/settings.ts";

/** The editor's own handle in a webview. */
export interface Editor {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

interface Kept {
  readonly shelf: Readonly<Record<string, string>>;
  readonly place: Place;
}

export interface Surroundings {
  readonly shelf: Shelf;
  readonly address: Address;
  /** Moves the panel from outside, as a command of the editor does. */
  move(place: Place): void;
}

export function surroundingsOf(editor: Editor): Surroundings {
  let kept = keptIn(editor.getState());
  const movers = new Set<(place: Place) => void>();
  const keep = (part: Partial<Kept>): void => {
    kept = { ...kept, ...part };
    editor.setState(kept);
  };
  const write = (place: Place): void => {
    keep({ place });
    editor.postMessage({ type: "place", place });
  };
  return {
    shelf: {
      getItem: (key) => kept.shelf[key] ?? null,
      setItem: (key, value) => keep({ shelf: { ...kept.shelf, [key]: value } }),
      removeItem(key) {
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

/** State of an older build may have any form; what does not fit is forgotten. */
function keptIn(state: unknown): Kept {
  const given = (typeof state === "object" && state !== null ? state : {}) as { shelf?: unknown; place?: unknown };
  const shelf = typeof given.shelf === "object" && given.shelf !== null ? Object.entries(given.shelf) : [];
  return {
    shelf: Object.fromEntries(shelf.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    place: placeIn(given.place),
  };
}

function placeIn(value: unknown): Place {
  const { name, sessionId } = (typeof value === "object" && value !== null ? value : {}) as { name?: unknown; sessionId?: unknown };
  if (name === "session" && typeof sessionId === "string") return { name, sessionId, requestId: null };
  return placeOf(name === "inbox" ? "/inbox" : "/");
}
