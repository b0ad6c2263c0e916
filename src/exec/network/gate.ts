/** Decides about every target of one command: by the rules, else by asking once. Checks the very address that is connected to. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  type CommandNetwork,
  type NetworkBlock,
  type NetworkRules,
  type NetworkTarget,
  targetText,
} from "../../core/ports/network-access.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { hostMatcher } from "../../lib/host-pattern.ts";
import { isPrivateAddress } from "../../lib/private-network.ts";

/** Targets of one command that are decided about; programs that try more than this are looking for a way out. */
const mostTargets = 500;
/** Questions of one command. */
const mostQuestions = 32;
const lookupMs = 10_000;
/** Node looks names up in the threads that also read files: a command must not occupy them all. */
const mostLookups = 2;

export interface Refused {
  readonly block: NetworkBlock | "failed";
  /** Who refused it, as Codex's proxy names them; undefined for a failure. */
  readonly source?: "baseline_policy" | "mode_guard" | "decider";
  /** For the program's user. */
  readonly text: string;
}

export type Names = (host: string) => Promise<readonly LookupAddress[]>;

/** Looks up names for all commands, a few at a time. */
export class NameQueue {
  readonly #lookup: Names;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(names: Names = (host) => lookup(host, { all: true, order: "ipv4first" })) {
    this.#lookup = names;
  }

  async find(host: string): Promise<readonly LookupAddress[]> {
    if (this.#running >= mostLookups) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    // A lookup that takes too long still occupies its thread: the next one starts when it is over.
    const found = this.#lookup(host).finally(() => {
      this.#running--;
      this.#waiting.shift()?.();
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("the name server did not answer in time")), lookupMs);
    return await Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
  }
}

export class Gate {
  readonly #network: CommandNetwork;
  readonly #names: NameQueue;
  readonly #signal: AbortSignal;
  /** Why each target is refused; undefined allows it. */
  readonly #decided = new Map<string, Promise<Refused | undefined>>();
  readonly #blocked = new Map<string, string>();
  /** Lists are long and seldom change. */
  readonly #matchers = new WeakMap<readonly string[], (host: string) => boolean>();
  #questions = 0;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(network: CommandNetwork, names: NameQueue, signal: AbortSignal) {
    this.#network = network;
    this.#names = names;
    this.#signal = signal;
  }

  get rules(): NetworkRules {
    return this.#network.rules;
  }

  /** What was refused, as sentences for whoever reads the command's output. */
  get sentences(): readonly string[] {
    return [...this.#blocked.values()];
  }

  /** The addresses at which the target may be connected to, in order. Where another proxy is used, it may be the only one to know them. */
  async admit(
    target: NetworkTarget,
    { method, hasUpstream }: { method?: string; hasUpstream: boolean },
  ): Promise<readonly string[] | Refused> {
    const { rules } = this;
    const block = this.#byRules(target, rules, method);
    const refused = block === undefined || block === "not_allowed" ? await this.#decide(target, rules, block) : this.#refuse(target, block);
    if (refused !== undefined) return refused;
    const addresses = await this.#addresses(target, rules);
    return hasUpstream && "block" in addresses && addresses.block === "failed" ? [] : addresses;
  }

  #byRules({ host, protocol }: NetworkTarget, rules: NetworkRules, method: string | undefined): NetworkBlock | undefined {
    if (this.#fits(rules.deny, host)) return "denied";
    if (!rules.allowsLocal && isLocalName(host) && !namesExactly(rules.allow, host)) return "not_allowed_local";
    if (rules.mode === "limited" && protocol !== "http") return "mitm_required";
    if (rules.mode === "limited" && !["GET", "HEAD", "OPTIONS"].includes(method ?? "")) return "method_not_allowed";
    return this.#fits(rules.allow, host) ? undefined : "not_allowed";
  }

  #fits(patterns: readonly string[], host: string): boolean {
    const matcher = this.#matchers.get(patterns) ?? hostMatcher(patterns);
    this.#matchers.set(patterns, matcher);
    return matcher(host);
  }

  /** A target that the rules allow, or that has to be asked about: once for the whole command. */
  async #decide(target: NetworkTarget, rules: NetworkRules, block: "not_allowed" | undefined): Promise<Refused | undefined> {
    const key = `${block ?? "allowed"} ${targetText(target)}`;
    const known = this.#decided.get(key);
    if (known !== undefined) return await known;
    if (this.#decided.size >= mostTargets) return refusal("not_allowed", `this command has tried ${mostTargets} targets already`);
    const deciding = this.#ask(target, rules, block);
    this.#decided.set(key, deciding);
    return await deciding;
  }

  async #ask(target: NetworkTarget, rules: NetworkRules, block: "not_allowed" | undefined): Promise<Refused | undefined> {
    if (block === undefined) {
      this.#network.decided(target, undefined);
      return undefined;
    }
    if (rules.isClosed) return this.#refuse(target, block);
    if (++this.#questions > mostQuestions) return this.#refuse(target, block, `the command has asked for ${mostQuestions} other hosts`);
    // One after another: whoever answers is not shown a pile of them.
    const asking = this.#asking.then(() => (this.#signal.aborted ? "the command has ended" : this.#network.ask(target, this.#signal)));
    this.#asking = asking.catch(() => undefined);
    const answer = await asking;
    if (answer === undefined) return undefined;
    this.#note(target, `Network access to "${targetText(target)}" was blocked: ${answer}.`);
    return { ...refusal("not_allowed"), source: "decider" };
  }

  #refuse(target: NetworkTarget, block: NetworkBlock, because: string = reasons[block]): Refused {
    if (this.#note(target, `Network access to "${target.host}" was blocked: ${because}.`)) this.#network.decided(target, block);
    return refusal(block);
  }

  /** Whether it is the first one about this target. */
  #note(target: NetworkTarget, sentence: string): boolean {
    const key = targetText(target);
    if (this.#blocked.has(key) || this.#blocked.size >= mostTargets) return false;
    this.#blocked.set(key, sentence);
    return true;
  }

  /** Names are looked up only after they were allowed: a lookup alone can carry data out. */
  async #addresses(target: NetworkTarget, rules: NetworkRules): Promise<readonly string[] | Refused> {
    const { host } = target;
    if (isIP(host) !== 0) return [host];
    let found: readonly string[];
    try {
      found = (await this.#names.find(host)).map(({ address }) => address);
    } catch (error) {
      return { block: "failed", text: `${host} could not be looked up: ${errorMessage(error)}` };
    }
    if (found.length === 0) return { block: "failed", text: `${host} has no address` };
    const mayBeLocal = rules.allowsLocal || host === "localhost";
    return !mayBeLocal && found.some(isPrivateAddress) ? this.#refuse(target, "not_allowed_local") : found;
  }
}

/** Known to be on this machine or its network without looking it up. */
const isLocalName = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && isPrivateAddress(host));

/** Wildcards name no local address. */
const namesExactly = (patterns: readonly string[], host: string): boolean =>
  hostMatcher(patterns.filter((text) => !/[*?]/.test(text)))(host);

const reasons: Readonly<Record<NetworkBlock, string>> = {
  denied: "domain is explicitly denied by policy and cannot be approved from this prompt",
  not_allowed: "domain is not on the allowlist for the current sandbox mode",
  not_allowed_local: "local/private network addresses are blocked by the sandbox policy",
  method_not_allowed: "request method is blocked by the current network mode",
  mitm_required: "encrypted connections are blocked in the limited network mode, which allows only requests that read",
};

const texts: Readonly<Record<NetworkBlock, string>> = {
  denied: "Domain denied by the sandbox policy.",
  not_allowed: "Domain not in allowlist.",
  not_allowed_local: "Sandbox policy blocks local/private network addresses.",
  method_not_allowed: "Method not allowed in limited mode.",
  mitm_required: "MITM required for limited HTTPS.",
};

const refusal = (block: NetworkBlock, text: string = texts[block]): Refused => ({
  block,
  text,
  source: block === "method_not_allowed" || block === "mitm_required" ? "mode_guard" : "baseline_policy",
});
