/** The user's place in the page, as a URL that can be saved, shared and returned to. */

export type Place =
  | { readonly name: "home" }
  | { readonly name: "inbox" }
  | { readonly name: "search"; readonly query: string }
  | { readonly name: "session"; readonly sessionId: string; readonly requestId: string | null }
  | { readonly name: "settings"; readonly tab: SettingsTab };

/** Where the place is stored: the browser's address, or the host's equivalent. */
export interface Address {
  read(): Place;
  write(place: Place): void;
  /** Notified when something other than the page changes it. */
  onMove(listener: (place: Place) => void): () => void;
}

export const browserAddress: Address = {
  read: () => placeOf(location.pathname, location.hash),
  write(place) {
    const address = addressOf(place);
    if (address !== location.pathname + location.hash) history.pushState(null, "", address);
  },
  onMove(listener) {
    const back = (): void => listener(placeOf(location.pathname, location.hash));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  },
};

export const settingsTabs = [
  ...(["general", "keys", "cost", "devices", "rules", "audit", "servers", "hooks", "plugins", "account"] as const),
  ...(["skills", "templates", "schedules", "sharing", "fleet"] as const),
] as const;
export type SettingsTab = (typeof settingsTabs)[number];

export function placeOf(path: string, hash = ""): Place {
  const [first, second] = path.split("/").filter((p) => p !== "");
  if (first === "inbox") return { name: "inbox" };
  if (first === "search") return { name: "search", query: decode(second ?? "") };
  if (first === "s" && second !== undefined) {
    const requestId = /^#request=(.+)$/.exec(hash)?.[1];
    return { name: "session", sessionId: decode(second), requestId: requestId === undefined ? null : decode(requestId) };
  }
  if (first === "settings") return { name: "settings", tab: settingsTabs.find((t) => t === second) ?? "general" };
  return { name: "home" };
}

export function addressOf(place: Place): string {
  switch (place.name) {
    case "home":
      return "/";
    case "inbox":
      return "/inbox";
    case "search":
      return place.query === "" ? "/search" : `/search/${encodeURIComponent(place.query)}`;
    case "session":
      return `/s/${encodeURIComponent(place.sessionId)}${place.requestId === null ? "" : `#request=${encodeURIComponent(place.requestId)}`}`;
    case "settings":
      return `/settings/${place.tab}`;
  }
}

/** Returned unchanged if it is not valid percent-encoding: anybody can write a URL. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
