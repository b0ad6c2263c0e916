/** What rules files say about one command, for `parley execpolicy check`: the answer's shape is Codex's. */
import { statSync } from "node:fs";
import { loadRules } from "../exec/policy/rules-file.ts";
import { type Decision, matchedPrefix, strictness } from "../shell/policy/rules.ts";
import { RulesError } from "../shell/policy/starlark.ts";

export interface RulesVerdict {
  readonly matchedRules: readonly {
    readonly prefixRuleMatch: {
      readonly matchedPrefix: readonly string[];
      readonly decision: Decision;
      readonly justification?: string;
    };
  }[];
  /** The strictest decision; missing when no rule matches. */
  readonly decision?: Decision;
}

/** Throws with the file's name when one is missing or broken. */
export function checkRules(files: readonly string[], argv: readonly string[]): RulesVerdict {
  for (const file of files) if (statSync(file, { throwIfNoEntry: false }) === undefined) throw new Error(`there is no rules file ${file}`);
  const matches = load(files).flatMap((rule) => {
    const prefix = matchedPrefix(rule, argv);
    return prefix === undefined ? [] : [{ prefix, rule }];
  });
  const matchedRules = matches.map(({ prefix, rule: { decision, justification } }) => ({
    prefixRuleMatch: { matchedPrefix: prefix, decision, ...(justification === undefined ? {} : { justification }) },
  }));
  const [strictest] = matches.map(({ rule }) => rule.decision).toSorted((a, b) => strictness(b) - strictness(a));
  return strictest === undefined ? { matchedRules } : { matchedRules, decision: strictest };
}

function load(files: readonly string[]): ReturnType<typeof loadRules>["rules"] {
  try {
    return loadRules(files, { outside: "", onlyStricter: [] }).rules;
  } catch (error) {
    if (error instanceof RulesError) throw new Error(error.message);
    throw error;
  }
}
