/** Takes secrets out of text that people will read or pass on: log lines, reports. Rather one harmless word too many than one key. */

const mask = "***";

const secretName = /(?:key|token|secret|password|passwd|passphrase|authorization|cookie|credential)s?$/i;
/** Names that end like secrets and only count, sort or refer. */
const harmlessName =
  /(?:(?:total|input|output|cached|reasoning|max|used)_?\w*tokens?|^tokens|(?:idempotency|sort|env|public)_?key|monkey)$/i;

/** Whether a value of this name is never to be shown. */
export const isSecretName = (name: string): boolean => secretName.test(name) && !harmlessName.test(name);

const shapes: readonly (readonly [RegExp, string])[] = [
  // What stands after the words that announce it.
  [/\b(Bearer|Basic)\s+[\w+/.~=-]{6,}/gi, `$1 ${mask}`],
  [
    /((?:api[_-]?key|access[_-]?token|refresh[_-]?token|id[_-]?token|client[_-]?secret|password|passwd|secret|authorization|token)["']?\s*[=:]\s*["']?)(?!\s|["'*])[^\s"',;&}]{6,}/gi,
    `$1${mask}`,
  ],
  // Keys that tell by their first letters what they are.
  [/\b(?:sk|pk|rk|xai|gsk|csk|or|fw|pplx|hf|r8|tgp|nvapi|AIza|ya29)[-_][\w-]{12,}/g, mask],
  [/\bAIza[\w-]{20,}/g, mask],
  [/\b(?:gh[pousr]|github_pat|glpat|npm|xox[abeoprs]|shpat|dop_v1)[-_][\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  // Names and passwords inside of addresses, and sign-in codes.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${mask}@`],
  [/([?&#](?:code|state|sig|signature|key|token|sign-in)=)[^\s&#"']+/gi, `$1${mask}`],
];

/** A function that also knows the secrets of this environment by heart, whatever they look like. */
export function redactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const known = Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && value.length >= 8 && isSecretName(name) ? [value] : []))
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, mask);
    for (const [shape, by] of shapes) clean = clean.replace(shape, by);
    return clean;
  };
}

/** The same for a whole value: strings are cleaned, values of secret names are dropped. Cycles and depth end in a word. */
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

/** A command as it is shown in a transcript, with the mark that clients know. What people are asked about is never changed. */
export function withoutSecrets(command: string): string {
  return command
    .replace(/\bBearer[ \t]+[\w.~+/-]{16,}=*/gi, `Bearer ${shownMark}`)
    .replace(/sk-[A-Za-z0-9]{20,}/g, shownMark)
    .replace(/\bAKIA[0-9A-Z]{16}\b/g, shownMark)
    .replace(/\b(api[_-]?key|token|secret|password)\b(\s*[:=]\s*)(["']?)[^\s"']{8,}/gi, `$1$2$3${shownMark}`);
}
