/** What a person is asked about, with everything unusual spelled out instead of left to the screen: what is approved is what is seen. */

/** Controls but tab and line feed; marks that turn the reading direction, join, hide or stand for nothing; spaces that are no spaces. */
const unusual =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u034f]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e01ef}]/gu;

const names: Readonly<Record<number, string>> = { 8: "\\b", 12: "\\f", 13: "\\r", 27: "\\e" };

export function spelledOut(text: string): string {
  return text.replace(unusual, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return names[code] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`);
  });
}
