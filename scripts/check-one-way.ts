/** Fails when a file reimplements something that one of our functions already does. Exceptions are listed with their reason. */
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Path prefixes that are exempt, each with its reason. */
  readonly exempt: Readonly<Record<string, string>>;
}

const rules: readonly Rule[] = [
  {
    pattern: /\brandomUUID\b/,
    instead: "take randomUuid or timedUuid of src/lib/random.ts",
    exempt: {
      "apps/web/": "runs in a browser, which has its own",
      "src/sessions/thread-view.ts": "runs in the page too",
      "scripts/": "names it in the checks",
    },
  },
  {
    pattern: /instanceof Error\s*\?[^:;]*(?:\.message|\.stack)\b|instanceof Error\s*\?\s*\w+\s*:\s*new Error\b/,
    instead: "take errorMessage, errorStack, causeMessage or toError of src/lib/error-text.ts",
    exempt: {
      "src/lib/error-text.ts": "the functions themselves",
      "scripts/check-one-way.ts": "the rule itself",
    },
  },
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const files = globSync(["src/**/*.{ts,tsx}", "apps/*/src/**/*.{ts,tsx}", "scripts/**/*.ts"]).filter(
    (file) => !/\.test\.tsx?$/.test(file),
  );
  const found = files.flatMap((file) => otherWays(file, readFileSync(file, "utf8")));
  for (const problem of found) console.error(problem);
  process.exitCode = found.length === 0 ? 0 : 1;
}

/** The errors in one file, with the line. */
export function otherWays(file: string, text: string): readonly string[] {
  return rules.flatMap(({ pattern, instead, exempt }) => {
    const found = Object.keys(exempt).some((path) => file.startsWith(path)) ? null : pattern.exec(text);
    return found === null ? [] : [`${file}:${text.slice(0, found.index).split("\n").length}: ${instead}`];
  });
}
