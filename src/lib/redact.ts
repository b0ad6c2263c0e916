/** Removes secrets from text that people will read or pass on: log lines, reports. Prefers to hide a harmless word over leaking a key. */

const mask = "***";

const secretName = /(?:key|token|secret|password|passwd|passphrase|authorization|cookie|credential)s?$/i;
/** Names that end like secrets but only count, sort or refer to something. */
const harmlessName =
  /(?:(?:total|input|output|cached|reasoning|max|used)_?\w*tokens?|^tokens|(?:idempotency|sort|env|public)_?key|monkey)$/i;

/** Whether a value with this name must never be shown. */
export const isSecretName = (name: string): boolean => secretName.test(name) && !harmlessName.test(name);

const shapes: readonly (readonly [RegExp, string])[] = [
  // Values after a name that announces a secret.
  [/\b(Bearer|Basic)\s+[\w+/.~=-]{6,}/gi, `$1 ${mask}`],
  [
    /((?:api[_-]?key|access[_-]?token|refresh[_-]?token|id[_-]?token|client[_-]?secret|password|passwd|secret|authorization|token)["']?\s*[=:]\s*["']?)(?!\s|["'*])[^\s"',;&}]{6,}/gi,
    `$1${mask}`,
  ],
  // Keys that are recognizable by their prefix.
  [/\b(?:sk|pk|rk|xai|gsk|csk|or|fw|pplx|hf|r8|tgp|nvapi|AIza|ya29)[-_][\w-]{12,}/g, mask],
  [/\bAIza[\w-]{20,}/g, mask],
  [/\b(?:gh[pousr]|github_pat|glpat|npm|xox[abeoprs]|shpat|dop_v1)[-_][\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  // User names and passwords inside URLs, and sign-in codes.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${mask}@`],
  [/([?&#](?:code|state|sig|signature|key|token|sign-in)=)[^\s&#"']+/gi, `$1${mask}`],
];

/** The password in an address, as it is written there and as it was chosen. */
function passwordsIn(address: string): string[] {
  const password = (/^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(address) ? URL.parse(address)?.password : undefined) ?? "";
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Ids, which most of a log's values are: none of the shapes fits them, and trying each takes longer than everything else about a line. */
const isPlainId = (text: string): boolean => /^[0-9a-f-]{1,64}$/.test(text);

/** The longest first. */
const secretsIn = (variables: readonly (readonly [string, string | undefined])[]): readonly string[] =>
  variables
    .flatMap(([name, value]) => (value === undefined ? [] : isSecretName(name) ? [value] : passwordsIn(value)))
    .filter((value) => value.length >= 8)
    .sort((a, b) => b.length - a.length);

/** Returns a function that also replaces the secrets of this environment, whatever they look like. */
export function redactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const variables = Object.entries(env); // as they are now: a secret may be taken out of the environment later
  let known: readonly string[] | undefined; // found out for the first text, which a start does not wait for
  return (text) => {
    known ??= secretsIn(variables);
    let clean = text;
    for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, mask);
    if (isPlainId(clean)) return clean;
    for (const [shape, by] of shapes) clean = clean.replace(shape, by);
    return clean;
  };
}

/** The same for a JSON value: strings are cleaned, values with secret names are dropped. Cycles and excessive depth are replaced by a marker. */
export function redactValue(value: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > 20) return "…";
  if (Array.isArray(value)) return value.map((part) => redactValue(part, clean, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      isSecretName(name) && (typeof part === "string" || typeof part === "object") && part !== null && part !== ""
        ? mask
        : redactValue(part, clean, depth + 1),
    ]),
  );
}

const shownMark = "[REDACTED_SECRET]";

/** A command as shown in a transcript, with the marker that clients know. Commands shown in an approval are never changed. */
export function withoutSecrets(command: string): string {
  return command
    .replace(/\bBearer[ \t]+[\w.~+/-]{16,}=*/gi, `Bearer ${shownMark}`)
    .replace(/sk-[A-Za-z0-9]{20,}/g, shownMark)
    .replace(/\bAKIA[0-9A-Z]{16}\b/g, shownMark)
    .replace(/\b(api[_-]?key|token|secret|password)\b(\s*[:=]\s*)(["']?)[^\s"']{8,}/gi, `$1$2$3${shownMark}`);
}
