/** Port: evaluates the rules for a command before anybody is asked. */
import type { CommandAction } from "../../protocol/item.ts";

export type Verdict =
  /** A rule allows it, or it is a known read-only command. */
  | { readonly decision: "allow"; readonly because: "knownSafe" }
  /** `outside`: also outside the sandbox, by a rule made for that. */
  | { readonly decision: "allow"; readonly because: "rule"; readonly rule: string; readonly outside: boolean }
  | { readonly decision: "ask"; readonly rule?: string }
  | { readonly decision: "forbid"; readonly reason: string };

export interface ParsedCommand {
  /** For display: read, listFiles, search or unknown, one for each simple command. */
  readonly actions: readonly CommandAction[];
  /** The simple commands when the text consists of plain words and is fully parsed; undefined means opaque. */
  readonly simple: readonly (readonly string[])[] | undefined;
  /** The command as one shell-quoted string. */
  readonly display: string;
  readonly risk: "low" | "medium" | "high";
}

export interface ProposedRule {
  readonly prefix: readonly string[];
  /** False where other parts of the command would still need approval. */
  readonly coversAll: boolean;
}

/** A rule about one host, for commands whose hosts are filtered. */
export interface HostRule {
  /** In its canonical form; no pattern. */
  readonly host: string;
  readonly protocol: "http" | "https" | "socks5_tcp" | "socks5_udp";
  readonly decision: "allow" | "prompt" | "deny";
  /** File and line of the rule. */
  readonly source: string;
}

export interface ExecPolicy {
  /** Why the rules could not be read; no command runs until that is fixed. */
  readonly problem?: { readonly message: string; readonly file: string; readonly line: number; readonly column: number };
  parse(argv: readonly string[], cwd: string): ParsedCommand;
  /**
   * The strictest rule over all parts of a compound command; one that is not fully parsed is never known to be safe. A program that
   * is in one of `workspaceRoots` (or in cwd) is not treated as the one that a rule or the list of known commands names.
   */
  decide(argv: readonly string[], cwd: string, workspaceRoots?: readonly string[]): Verdict;
  /**
   * The rule that "accept and remember" would store, or undefined when none is sensible. `wanted` is the model's own proposal: used when
   * it fits the command and is not too broad. `outside`: the rule must also apply outside the sandbox.
   */
  proposedRule(argv: readonly string[], options: { wanted?: readonly string[] | undefined; outside: boolean }): ProposedRule | undefined;
  /** The user's rules about single hosts, for commands whose hosts are filtered. */
  readonly hosts: readonly HostRule[];
  /** Writes a decision about a host to the user's rules; takes effect at once. */
  rememberHost(rule: Pick<HostRule, "host" | "protocol" | "decision">): Promise<void>;
  /** Writes an allow rule to the user's rules; takes effect at once. Without `outside` it allows only sandboxed commands. */
  remember(prefix: readonly string[], outside: boolean): Promise<void>;
}
