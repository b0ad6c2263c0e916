/** Reviews in the v1 form: the target, and the findings as a list. */
import { parse } from "../../lib/schema.ts";
import type { ReviewTarget } from "../../protocol/review.ts";
import { ReviewOutputEvent } from "../../protocol/v1/event-value.ts";

/** Derives the review target from its display label. */
export function targetFrom(label: string): ReviewTarget {
  if (label === "current changes") return { type: "uncommittedChanges" };
  const branch = /^changes against '(.+)'$/.exec(label)?.[1];
  if (branch !== undefined) return { type: "baseBranch", branch };
  const [, sha, title] = /^commit ([0-9a-f]{4,7})(?:: (.*))?$/.exec(label) ?? [];
  return sha === undefined ? { type: "custom", instructions: label } : { type: "commit", sha, title: title ?? null };
}

/** The reviewer's structured answer if it followed the schema; otherwise the displayed text as a whole. */
export function outputFrom(answer: string | undefined, shown: string): ReviewOutputEvent {
  return verdictIn(answer ?? "") ?? { findings: [], overall_correctness: "", overall_explanation: shown, overall_confidence_score: 0 };
}

function verdictIn(text: string): ReviewOutputEvent | undefined {
  try {
    return parse(ReviewOutputEvent, JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
  } catch {
    return undefined;
  }
}
