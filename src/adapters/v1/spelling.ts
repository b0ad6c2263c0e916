/** The v1 event format: snake_case keys with camelCase duplicates, shell arguments, times. */
import type { CommandAction } from "../../protocol/item.ts";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import type { ParsedCommand } from "../../protocol/v1/approval.ts";
import type { Duration, SandboxPolicy as OldPolicy } from "../../protocol/v1/event-value.ts";

const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Duplicates every snake_case key in camelCase, at every depth: the v1 documentation shows one, the servers sent the other (docs/from-codex.md). */
export function inBothCases(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inBothCases);
  if (typeof value !== "object" || value === null) return value;
  const both: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const written = inBothCases(inner);
    both[key] = written;
    const other = camel(key);
    if (!key.includes("/") && other !== key && !Object.hasOwn(value, other)) both[other] = written;
  }
  return both;
}

/** Splits a command line, quoted as the server does it, into its arguments: plain, '…' and "…". */
export function splitCommand(line: string): string[] {
  const args: string[] = [];
  let arg: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? "";
    if (quote !== undefined) {
      if (c === quote) quote = undefined;
      else if (c === "\\" && quote === '"' && /["\\$`]/.test(line[i + 1] ?? "")) arg = (arg ?? "") + (line[++i] ?? "");
      else arg = (arg ?? "") + c;
    } else if (c === "'" || c === '"') {
      quote = c;
      arg ??= "";
    } else if (c === "\\") arg = (arg ?? "") + (line[++i] ?? "");
    else if (/\s/.test(c)) {
      if (arg !== undefined) args.push(arg);
      arg = undefined;
    } else arg = (arg ?? "") + c;
  }
  return arg === undefined ? args : [...args, arg];
}

export function parsedCommands(actions: readonly CommandAction[]): ParsedCommand[] {
  return actions.map((action) => {
    const cmd = action.command;
    if (action.type === "read") return { type: "read", cmd, name: action.name, path: action.path };
    if (action.type === "listFiles") return { type: "list_files", cmd, path: action.path ?? null };
    if (action.type === "search") return { type: "search", cmd, query: action.query ?? null, path: action.path ?? null };
    return { type: "unknown", cmd };
  });
}

export const durationOf = (ms: number): Duration => ({ secs: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 });

export function oldPolicy(policy: SandboxPolicy): OldPolicy {
  switch (policy.type) {
    case "dangerFullAccess":
      return { type: "danger-full-access" };
    case "readOnly":
      return { type: "read-only" };
    case "externalSandbox":
      return { type: "external-sandbox", network_access: policy.networkAccess ?? "restricted" };
    case "workspaceWrite":
      return {
        type: "workspace-write",
        writable_roots: policy.writableRoots ?? [],
        network_access: policy.networkAccess ?? false,
        exclude_tmpdir_env_var: policy.excludeTmpdirEnvVar ?? false,
        exclude_slash_tmp: policy.excludeSlashTmp ?? false,
      };
  }
}
