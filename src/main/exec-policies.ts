/** The exec rules that apply to a config, reloaded when their files have changed. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Config } from "../core/ports/config.ts";
import type { ExecPolicy } from "../core/ports/exec-policy.ts";
import { createExecPolicy } from "../exec/policy/exec-policy.ts";
import { RulesError } from "../shell/policy/starlark.ts";

export interface PoliciesOptions {
  readonly codexHome: string;
  readonly searchPath: string | undefined;
  /** No rules file is read; the built-in rules still apply. */
  readonly ignoreRules?: boolean | undefined;
}

/** Whether any rules are written: without them nothing needs to be loaded before the first command. */
export const hasRules = (options: PoliciesOptions, config: Config): boolean =>
  foldersOf(options, config).some((folder) => stateOf(folder) !== "");

function foldersOf({ codexHome, ignoreRules }: PoliciesOptions, config: Config): readonly string[] {
  if (ignoreRules === true) return [];
  return [path.join(codexHome, "rules"), ...(config.trusted ? [path.join(config.projectRoot, ".codex", "rules")] : [])];
}

export function createExecPolicies(options: PoliciesOptions): (config: Config) => Promise<ExecPolicy> {
  const known = new Map<string, { readonly state: string; readonly policy: Promise<ExecPolicy> }>();
  return (config) => {
    const folders = foldersOf(options, config);
    const key = folders.join("\0");
    const state = [...folders.map(stateOf), ...config.unacceptedRules].join("\0");
    const current = known.get(key);
    if (current?.state === state) return current.policy;
    const policy = createExecPolicy({ ...options, ruleFiles: folders, onlyStricter: config.unacceptedRules }).catch(forbidAll);
    known.set(key, { state, policy });
    return policy;
  };
}

/** Names, times and sizes of a folder's rules files, to detect changes. */
function stateOf(folder: string): string {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".rules"))
      .map((name) => {
        const { mtimeMs, size } = statSync(path.join(folder, name));
        return `${name}:${mtimeMs}:${size}`;
      })
      .join("\n");
  } catch {
    return "";
  }
}

/** A broken rules file may contain a rule that forbids: until it is fixed, nothing runs, and the message says where it is broken. */
function forbidAll(error: unknown): ExecPolicy {
  if (!(error instanceof RulesError)) throw error;
  const reason = `rejected: a rules file is broken, so no command can run: ${error.message}`;
  return {
    problem: { message: error.message, file: error.file, line: error.line, column: error.column },
    parse: (argv) => ({
      actions: [{ type: "unknown", command: argv.join(" ") }],
      simple: undefined,
      display: argv.join(" "),
      risk: "high",
    }),
    decide: () => ({ decision: "forbid", reason }),
    proposedRule: () => undefined,
    remember: async () => {},
    hosts: [],
    rememberHost: async () => {},
  };
}
