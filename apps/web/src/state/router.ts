/** Where in the page someone is, as an address that can be kept, shared and gone back to. */

export type Place =
  | { readonly name: "home" }
  | { readonly name: "inbox" }
  | { readonly name: "session"; readonly sessionId: string; readonly requestId: string | null }
  | { readonly name: "settings"; readonly tab: SettingsTab };

export const settingsTabs = ["general", "keys", "devices", "rules", "audit", "servers", "account"] as const;
export type SettingsTab = (typeof settingsTabs)[number];

export function placeOf(path: string, hash = ""): Place {
  const [first, second] = path.split("/").filter((p) => p !== "");
  if (first === "inbox") return { name: "inbox" };
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
    case "session":
      return `/s/${encodeURIComponent(place.sessionId)}${place.requestId === null ? "" : `#request=${encodeURIComponent(place.requestId)}`}`;
    case "settings":
      return `/settings/${place.tab}`;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
