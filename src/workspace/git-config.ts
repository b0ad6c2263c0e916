/** Reads git's config files as data: sections, keys and values, without includes and without running anything. */

/** Keys are lower-case `section.key` or `section.subsection.key` with the subsection unchanged; the last value of a key wins. */
export function parseGitConfig(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = "";
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      section = `${header[1]?.toLowerCase()}${header[2] === undefined ? "" : `.${header[2].replace(/\\(.)/g, "$1")}`}`;
      line = line.slice(header[0].length);
    }
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/s.exec(withoutLeadingComment(line));
    if (entry === null || section === "") continue;
    let raw = entry[2];
    while (raw !== undefined && /(?:^|[^\\])(?:\\\\)*\\$/.test(raw) && lines.length > 0) raw = raw.slice(0, -1) + (lines.shift() ?? "");
    // A key without a value means true.
    values.set(`${section}.${entry[1]?.toLowerCase()}`, raw === undefined ? "true" : configValue(raw));
  }
  return values;
}

const withoutLeadingComment = (line: string): string => (/^\s*[#;]/.test(line) ? "" : line);

/** Quotes group, a backslash escapes, a comment ends the value, surrounding spaces are dropped. */
function configValue(raw: string): string {
  let value = "";
  let isQuoted = false;
  let keep = 0;
  for (let i = 0; i < raw.length; i++) {
    const c = raw[i] ?? "";
    if (c === "\\") {
      const next = raw[++i] ?? "";
      value += ({ n: "\n", t: "\t", b: "\b" } as Record<string, string>)[next] ?? next;
      keep = value.length;
    } else if (c === '"') {
      isQuoted = !isQuoted;
      keep = value.length;
    } else if (!isQuoted && (c === "#" || c === ";")) break;
    else if (isQuoted || !/\s/.test(c) || value !== "") {
      value += c;
      if (isQuoted || !/\s/.test(c)) keep = value.length;
    }
  }
  return value.slice(0, keep);
}

/** A remote's URL that is safe to show: no user, password, token or query. */
export function publicUrl(url: string): string | null {
  const clean = url.trim();
  if (clean === "" || /[\x00-\x1f\x7f]/.test(clean)) return null;
  const schemed = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(clean);
  if (schemed !== null) {
    const [, scheme = "", authority = "", rest = ""] = schemed;
    const at = authority.lastIndexOf("@");
    const host = authority.slice(at + 1);
    const user = at < 0 ? "" : (authority.slice(0, at).split(":")[0] ?? "");
    const isLogin = /^(?:ssh|git\+ssh|ssh\+git)$/i.test(scheme) && /^[a-z_][a-z0-9_-]{0,31}$/.test(user);
    return `${scheme}://${isLogin ? `${user}@` : ""}${host}${rest}`;
  }
  const short = /^([^@/:]+(?::[^@/]*)?@)?([^/:@]+):(.*)$/.exec(clean);
  if (short === null) return clean;
  const user = (short[1] ?? "").replace(/@$/, "").split(":")[0] ?? "";
  return `${/^[a-z_][a-z0-9_-]{0,31}$/.test(user) ? `${user}@` : ""}${short[2]}:${short[3]}`;
}
