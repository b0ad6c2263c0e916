/** Parses `.rules` files and matches their rules against one simple command. Examples in a file are checked when it is loaded. */
import path from "node:path";
import { canonicalHost } from "../../lib/host-pattern.ts";
import { quoteCommand } from "../quote.ts";
import { splitWords } from "../words.ts";
import { type Call, parseCalls, RulesError, type Value } from "./starlark.ts";

export type Decision = "allow" | "prompt" | "forbidden";

export interface PrefixRule {
  /** The accepted arguments for each position. */
  readonly pattern: readonly (readonly string[])[];
  readonly decision: Decision;
  readonly justification: string | undefined;
  /** File and line of the rule. */
  readonly source: string;
  /** Whether it also lets the command leave the sandbox. */
  readonly outside: boolean;
}

/** What may be reached over the network by commands whose hosts are filtered. */
export interface HostRule {
  /** In its canonical form; no pattern. */
  readonly host: string;
  readonly protocol: "http" | "https" | "socks5_tcp" | "socks5_udp";
  readonly decision: "allow" | "prompt" | "deny";
  /** File and line of the rule. */
  readonly source: string;
}

export interface RuleSet {
  readonly rules: readonly PrefixRule[];
  readonly hosts: readonly HostRule[];
  /** Full paths accepted for a program's name; a name without an entry is looked up on the PATH. */
  readonly executables: ReadonlyMap<string, readonly string[]>;
}

const decisions: readonly Decision[] = ["allow", "prompt", "forbidden"];
/** How strict a decision is; of all matching rules, the strictest wins. */
export const strictness = (decision: Decision): number => decisions.indexOf(decision);

/**
 * Throws RulesError with file and line for unknown syntax and for examples that do not match. `outside`: allow rules of this file let
 * commands leave the sandbox.
 */
export function parseRules(text: string, file: string, outside = false): RuleSet {
  const rules: PrefixRule[] = [];
  const executables = new Map<string, readonly string[]>();
  const hosts: HostRule[] = [];
  for (const call of parseCalls(text, file)) {
    const args = new Arguments(call, file);
    if (call.name === "prefix_rule") rules.push({ ...prefixRule(args, `${file}:${call.line}`), outside });
    else if (call.name === "host_executable") executables.set(args.text("name"), absolutePaths(args));
    else if (call.name === "network_rule") hosts.push(hostRule(args, `${file}:${call.line}`));
    else args.fail(`unknown rule ${call.name}; known are prefix_rule, host_executable and network_rule`);
    args.requireNoOthers();
  }
  return { rules, hosts, executables };
}

/** The leading arguments that a rule's pattern covers, or undefined if the rule does not match. */
export function matchedPrefix(rule: PrefixRule, argv: readonly string[]): readonly string[] | undefined {
  if (argv.length < rule.pattern.length) return undefined;
  return rule.pattern.every((accepted, i) => accepted.includes(argv[i] ?? "")) ? argv.slice(0, rule.pattern.length) : undefined;
}

/** The line that stores an allow rule for a prefix. */
export const allowRuleLine = (prefix: readonly string[]): string =>
  `prefix_rule(pattern=[${prefix.map((arg) => JSON.stringify(arg)).join(", ")}], decision="allow")`;

/** The line that stores a decision about a host, as Codex writes it. */
export function hostRuleLine({ host, protocol, decision }: Pick<HostRule, "host" | "protocol" | "decision">): string {
  const label = protocol === "https" ? "https_connect" : protocol;
  const justification = `${decision === "allow" ? "Allow" : "Deny"} ${label} access to ${host}`;
  const values = { host, protocol, decision, justification };
  return `network_rule(${Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ")})`;
}

function prefixRule(args: Arguments, source: string): PrefixRule {
  const pattern = args.list("pattern").map((item) => (typeof item === "string" ? [item] : args.strings(item, "pattern")));
  if (pattern.length === 0 || pattern.some((accepted) => accepted.length === 0 || accepted.includes("")))
    args.fail("pattern must contain strings, or lists of strings");
  const decision = args.optionalText("decision") ?? "allow";
  const known =
    decisions.find((one) => one === decision) ??
    args.fail(`decision must be one of ${decisions.join(", ")}, not ${JSON.stringify(decision)}`);
  const justification = args.optionalText("justification");
  if (justification?.trim() === "") args.fail("justification must not be empty");
  const rule: PrefixRule = { pattern, decision: known, justification, source, outside: false };
  for (const example of args.examples("match"))
    if (matchedPrefix(rule, example) === undefined) args.fail(`the match example ${quoteCommand(example)} does not fit the pattern`);
  for (const example of args.examples("not_match"))
    if (matchedPrefix(rule, example) !== undefined) args.fail(`the not_match example ${quoteCommand(example)} fits the pattern`);
  return rule;
}

function absolutePaths(args: Arguments): readonly string[] {
  const paths = args.strings(args.list("paths"), "paths");
  if (paths.some((file) => !path.isAbsolute(file))) args.fail("paths must be absolute");
  return paths;
}

function hostRule(args: Arguments, source: string): HostRule {
  const text = args.text("host");
  const host = canonicalHost(text) ?? canonicalHost(text.replace(/:\d{1,5}$/, ""));
  if (host === undefined) args.fail(`host must be one host without wildcards, not ${JSON.stringify(text)}`);
  const protocol = args.text("protocol");
  const known =
    hostProtocols.find((one) => one === protocol) ??
    args.fail(`protocol must be one of http, https, socks5_tcp, socks5_udp, not ${JSON.stringify(protocol)}`);
  const decision = args.text("decision");
  if (!["allow", "prompt", "deny", "forbidden"].includes(decision))
    args.fail(`decision must be one of allow, prompt, deny, not ${JSON.stringify(decision)}`);
  args.optionalText("justification");
  return { host, protocol: known, decision: decision === "allow" || decision === "prompt" ? decision : "deny", source };
}

const hostProtocols = ["http", "https", "socks5_tcp", "socks5_udp"] as const;

/** Reads and checks the named arguments of one call. */
class Arguments {
  readonly #call: Call;
  readonly #file: string;
  readonly #taken = new Set<string>();

  constructor(call: Call, file: string) {
    this.#call = call;
    this.#file = file;
  }

  fail(message: string): never {
    throw new RulesError(this.#file, { line: this.#call.line, column: 1 }, message);
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.fail(`${this.#call.name} needs ${name}="…"`);
  }

  optionalText(name: string): string | undefined {
    const value = this.#take(name);
    if (value === undefined || value === null) return undefined;
    return typeof value === "string" ? value : this.fail(`${name} must be a string`);
  }

  list(name: string): readonly Value[] {
    const value = this.#take(name);
    return Array.isArray(value) ? value : this.fail(`${this.#call.name} needs ${name}=[…]`);
  }

  strings(value: Value, name: string): readonly string[] {
    const items: readonly Value[] = Array.isArray(value) ? value : this.fail(`${name} must contain only strings`);
    return items.map((item) => (typeof item === "string" ? item : this.fail(`${name} must contain only strings`)));
  }

  /** Commands as strings or as argument lists. */
  examples(name: string): (readonly string[])[] {
    const value = this.#take(name);
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) this.fail(`${name} must be a list of examples`);
    return value.map((example: Value) => {
      const argv = typeof example === "string" ? splitWords(example) : this.strings(example, name);
      if (argv === undefined) this.fail(`the ${name} example ${JSON.stringify(example)} has an open quote`);
      return argv.length === 0 ? this.fail(`an example in ${name} is empty`) : argv;
    });
  }

  requireNoOthers(): void {
    const other = [...this.#call.args.keys()].find((name) => !this.#taken.has(name));
    if (other !== undefined) this.fail(`${this.#call.name} has no argument ${other}`);
  }

  #take(name: string): Value | undefined {
    this.#taken.add(name);
    return this.#call.args.get(name);
  }
}
