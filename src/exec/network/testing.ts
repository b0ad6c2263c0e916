/** For the tests of this folder: a network whose rules and answers a test gives, and what the proxy reported. */
import type { CommandNetwork, NetworkRules, NetworkTarget } from "../../core/ports/network-access.ts";
import { targetText } from "../../core/ports/network-access.ts";

export const noRules: NetworkRules = {
  ...{ allow: [], deny: [], mode: "full", allowsLocal: false, usesUpstream: true, hasSocks: true, isClosed: false },
};

export interface RecordedNetwork extends CommandNetwork {
  /** Targets that were asked about, and those that the rules decided about. */
  readonly asked: string[];
  readonly ruled: string[];
  readonly unavailableFor: string[];
}

export function recordedNetwork(
  rules: Partial<NetworkRules>,
  answer: (target: NetworkTarget, signal: AbortSignal) => Promise<string | undefined> = async () => "nobody allowed it",
): RecordedNetwork {
  const all = { ...noRules, ...rules };
  const asked: string[] = [];
  const ruled: string[] = [];
  const unavailableFor: string[] = [];
  return {
    ...{ asked, ruled, unavailableFor },
    rules: all,
    async ask(target, signal) {
      asked.push(targetText(target));
      return await answer(target, signal);
    },
    decided: (target, block) => void ruled.push(`${targetText(target)} ${block ?? "allowed"}`),
    unavailable: (reason) => void unavailableFor.push(reason),
  };
}
