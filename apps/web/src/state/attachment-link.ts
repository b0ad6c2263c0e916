/** Attachments that are addresses: made from what a person types, and shown only if they are safe to follow. */

interface Attached {
  readonly attachmentType: string;
  readonly identityKey: string;
  readonly payload: unknown;
}

const webAddress = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined;
  try {
    const { protocol, href } = new URL(text.trim());
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
};

/** Undefined for what is no address of the web. */
export function linkAttachment(text: string): { attachmentType: string; identityKey: string; payload: { url: string } } | undefined {
  const url = webAddress(text);
  return url === undefined ? undefined : { attachmentType: "link", identityKey: url, payload: { url } };
}

/** Other clients attach in forms of their own; an address is recognised in the usual fields. */
export function attachmentLink({ identityKey, payload }: Attached): { readonly href: string | undefined; readonly title: string } {
  const fields = typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
  const href = webAddress(fields["url"]) ?? webAddress(fields["href"]) ?? webAddress(identityKey);
  const title = [fields["title"], fields["name"]].find((text) => typeof text === "string" && text.trim() !== "");
  return { href, title: typeof title === "string" ? title.slice(0, 200) : identityKey.replace(/^https?:\/\//, "") };
}
