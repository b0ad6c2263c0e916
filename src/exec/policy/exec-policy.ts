/** Decides by the rules whether a command is allowed, forbidden or needs approval. Implements the ExecPolicy port. */
import path from "node:path";
import type { ExecPolicy, ParsedCommand, ProposedRule, Verdict } from "../../core/ports/exec-policy.ts";
import { searchPathOf } from "../../lib/program.ts";
import { commandActions } from "../../shell/command-actions.ts";
import { type CommandLine, loadShellParser, understand } from "../../shell/command-line.ts";
import { commandRisk } from "../../shell/command-risk.ts";
import { addsPower } from "../../shell/policy/added-power.ts";
import { literalCommands, withInner } from "../../shell/policy/literal-commands.ts";
import { isSensiblePrefix } from "../../shell/policy/prefix.ts";
import {
  allowRuleLine,
  type HostRule,
  hostRuleLine,
  matchedPrefix,
  type PrefixRule,
  type RuleSet,
  strictness,
} from "../../shell/policy/rules.ts";
import { quoteCommand } from "../../shell/quote.ts";
import type { ShellParser } from "../../shell/simple-commands.ts";
import { isKnownSafe, isOnPath, isOutsideWorkspace, type Lookup } from "./known-safe.ts";
import { appendRule, loadRules } from "./rules-file.ts";

export interface ExecPolicyOptions {
  /** New rules are stored in `rules/default.rules` in this folder. */
  readonly codexHome: string;
  /** Files, and folders of `*.rules`; those of a project only if the user trusts it. Default: the folder `rules` of the home. */
  readonly ruleFiles?: readonly string[];
  /** Files whose rules may ask and forbid but not allow: a project's files that the user has not approved. */
  readonly onlyStricter?: readonly string[];
  /** The PATH of commands. */
  readonly searchPath?: string | undefined;
}

/** Throws RulesError with file and line if a rules file is broken: rules that forbid must not disappear silently. */
export async function createExecPolicy(options: ExecPolicyOptions): Promise<ExecPolicy> {
  const parser = await loadShellParser();
  const places = options.ruleFiles ?? [path.join(options.codexHome, "rules")];
  return new RulePolicy(
    options,
    loadRules(places, { outside: outsideRules(options.codexHome), onlyStricter: options.onlyStricter ?? [] }),
    parser,
  );
}

/**
 * The rules that also let commands leave the sandbox: a separate file of the user, so that no other rule does. In Codex every allow rule
 * permits that, so Codex reads this file correctly.
 */
export const outsideRules = (codexHome: string): string => path.join(codexHome, "rules", "outside-sandbox.rules");

interface Match {
  readonly rule: PrefixRule;
  readonly prefix: readonly string[];
}

class RulePolicy implements ExecPolicy {
  readonly #options: ExecPolicyOptions;
  readonly #parser: ShellParser;
  #rules: RuleSet;

  constructor(options: ExecPolicyOptions, rules: RuleSet, parser: ShellParser) {
    this.#options = options;
    this.#rules = rules;
    this.#parser = parser;
  }

  parse(argv: readonly string[], cwd: string): ParsedCommand {
    const line = understand(argv, this.#parser);
    const actions = commandActions(line, cwd);
    return { actions, simple: line.commands, display: line.display, risk: commandRisk(line, actions) };
  }

  decide(argv: readonly string[], cwd: string, workspaceRoots: readonly string[] = []): Verdict {
    const line = understand(argv, this.#parser);
    const forbidden = this.#forbidden(argv, line);
    if (forbidden !== undefined) return { decision: "forbid", reason: forbidText(line, forbidden) };
    const lookup = this.#lookup(cwd, workspaceRoots);
    const whole = this.#strictest(argv, lookup);
    const parts = line.commands?.map((command) => this.#strictest(command, lookup)) ?? [whole];
    // A rule for the shell call itself covers what it runs, unless a rule requires approval for a part.
    const isCovered = whole?.rule.decision === "allow" && parts.every((part) => part?.rule.decision !== "prompt");
    const verdict = verdictOf(isCovered ? [whole] : parts);
    const [only, more] = line.commands ?? [];
    const isAlone = only !== undefined && more === undefined && !line.isNested;
    if (verdict.decision === "ask" && verdict.rule === undefined && isAlone && isKnownSafe(only, lookup))
      return { decision: "allow", because: "knownSafe" };
    return verdict;
  }

  proposedRule(
    argv: readonly string[],
    { wanted, outside }: { wanted?: readonly string[] | undefined; outside: boolean },
  ): ProposedRule | undefined {
    const { commands } = understand(argv, this.#parser);
    if (commands === undefined) return undefined;
    const decides = ({ rule }: Match): boolean => rule.decision !== "allow" || !outside || rule.outside;
    const undecided = commands.filter((command) => !this.#matches(command).some(decides));
    const [first] = undecided;
    if (first === undefined) return undefined;
    const fits = wanted !== undefined && undecided.every((command) => wanted.every((arg, i) => command[i] === arg));
    if (fits && isSensiblePrefix(wanted)) return { prefix: [...wanted], coversAll: true };
    const coversAll = undecided.every((command) => first.every((arg, i) => command[i] === arg));
    return isSensiblePrefix(first) ? { prefix: [...first], coversAll } : undefined;
  }

  async remember(prefix: readonly string[], outside: boolean): Promise<void> {
    if (prefix.length === 0 || prefix.some((arg) => arg === "" || arg.includes("\0")))
      throw new Error("a rule needs at least one argument, and none may be empty");
    const file = outside ? outsideRules(this.#options.codexHome) : path.join(this.#options.codexHome, "rules", "default.rules");
    await appendRule(file, allowRuleLine(prefix));
    const rule: PrefixRule = { pattern: prefix.map((arg) => [arg]), decision: "allow", justification: undefined, source: file, outside };
    this.#rules = { ...this.#rules, rules: [...this.#rules.rules, rule] };
  }

  get hosts(): readonly HostRule[] {
    return this.#rules.hosts;
  }

  async rememberHost(rule: Pick<HostRule, "host" | "protocol" | "decision">): Promise<void> {
    const file = path.join(this.#options.codexHome, "rules", "default.rules");
    await appendRule(file, hostRuleLine(rule));
    this.#rules = { ...this.#rules, hosts: [...this.#rules.hosts, { ...rule, source: file }] };
  }

  #lookup(cwd: string, workspace: readonly string[]): Lookup {
    return { searchPath: this.#options.searchPath ?? searchPathOf(process.env), cwd, workspace };
  }

  /** A rule that forbids a part of the line, also behind a wrapper program; in an opaque script, any command found in it. */
  #forbidden(argv: readonly string[], line: CommandLine): Match | undefined {
    const commands = line.commands ?? literalCommands(line.script ?? "", this.#parser);
    for (const command of [...commands, argv].flatMap(withInner))
      for (const match of this.#matches(command)) if (match.rule.decision === "forbidden") return match;
    return undefined;
  }

  #strictest(argv: readonly string[], lookup: Lookup): Match | undefined {
    const counting = this.#matches(argv).filter(({ rule }) => rule.decision !== "allow" || this.#mayAllow(argv, rule, lookup));
    const stricter = withInner(argv)
      .flatMap((form) => this.#matches(form))
      .filter(({ rule }) => rule.decision !== "allow");
    return [...counting, ...stricter].reduce<Match | undefined>(
      (worst, match) => (worst === undefined || isStricter(match, worst) ? match : worst),
      undefined,
    );
  }

  /** Rules that match the arguments; for a full path, also those that name its last component. */
  #matches(argv: readonly string[]): Match[] {
    const [program = "", ...rest] = argv;
    const short = path.isAbsolute(program) ? [path.basename(program), ...rest] : argv;
    return this.#rules.rules.flatMap((rule) => {
      const prefix = matchedPrefix(rule, argv) ?? matchedPrefix(rule, short);
      return prefix === undefined ? [] : [{ rule, prefix }];
    });
  }

  /**
   * An allow rule names a program; a file with that name that a command put into the workspace is a different program. A path counts if the
   * rule names exactly that path, if the rules list it as an executable, or if it is what the PATH resolves to.
   */
  #mayAllow(argv: readonly string[], rule: PrefixRule, lookup: Lookup): boolean {
    const [program = ""] = argv;
    if (addsPower(argv, rule.pattern.length)) return false;
    if (!program.includes("/")) return isShellBuiltin(program) || isOutsideWorkspace(program, lookup);
    if (matchedPrefix(rule, argv) !== undefined) return true;
    const listed = this.#rules.executables.get(path.basename(program));
    if (listed !== undefined) return listed.includes(program);
    return isOutsideWorkspace(program, lookup) && isOnPath(program, lookup);
  }
}

/** Of two allow rules, the one that also applies outside the sandbox wins, because it grants more. */
function isStricter({ rule }: Match, { rule: other }: Match): boolean {
  const [own, others] = [strictness(rule.decision), strictness(other.decision)];
  return own === others ? rule.outside && !other.outside : own > others;
}

function verdictOf(parts: readonly (Match | undefined)[]): Verdict {
  const prompting = parts.find((part) => part?.rule.decision === "prompt");
  if (prompting !== undefined) return { decision: "ask", rule: prompting.rule.source };
  const [first] = parts;
  if (first === undefined || parts.includes(undefined)) return { decision: "ask" };
  return { decision: "allow", because: "rule", rule: first.rule.source, outside: parts.every((part) => part?.rule.outside === true) };
}

function forbidText(line: CommandLine, { rule, prefix }: Match): string {
  return `\`${line.display}\` rejected: ${rule.justification ?? `policy forbids commands starting with \`${quoteCommand(prefix)}\``}`;
}

/** Shell builtins; nothing on the PATH can replace them in a script. */
const isShellBuiltin = (name: string): boolean =>
  [":", "cd", "exit", "export", "set", "type", "ulimit", "umask", "unset", "wait"].includes(name);
