/** Parses a hook's output: its verdict, and the lines that people are shown. */
import {
  boolean,
  type Infer,
  jsonSchema,
  type Lazy,
  literals,
  maybe,
  named,
  object,
  optional,
  problem,
  type Schema,
  string,
  unknown,
} from "../../lib/schema.ts";
import type { HookEventName, HookOutputEntry, HookRunStatus } from "../../protocol/hooks.ts";
import { hookEventNames } from "../ports/hooks.ts";

/** How a hook ended. */
export interface HookExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** Why it did not run to completion. */
  readonly error?: string | undefined;
}

/** The verdict of one hook. */
export interface Verdict {
  readonly status: Exclude<HookRunStatus, "running">;
  readonly entries: readonly HookOutputEntry[];
  /** Text for the model. */
  readonly context?: string;
  /** Why the action, the prompt or the end of the turn is blocked. */
  readonly blocked?: string;
  /** Why the turn must end. */
  readonly stopped?: string;
  /** The hook grants the requested permission. */
  readonly allowed?: true;
  /** Arguments that replace the model's. */
  readonly updatedInput?: unknown;
}

const Specific = named("HookSpecificOutput", () =>
  object({
    hookEventName: string(),
    additionalContext: maybe(string()),
    permissionDecision: maybe(literals("allow", "deny", "ask")),
    permissionDecisionReason: maybe(string()),
    updatedInput: optional(unknown()),
    decision: maybe(object({ behavior: literals("allow", "deny"), message: maybe(string()) })),
  }),
);
const Output = named("HookOutput", () =>
  object({
    continue: optional(boolean()),
    stopReason: maybe(string()),
    suppressOutput: optional(boolean()),
    systemMessage: maybe(string()),
    decision: maybe(literals("block", "approve")),
    reason: maybe(string()),
    hookSpecificOutput: maybe(Specific()),
  }),
);
type Output = Infer<typeof Output>;

/** What the hooks of each event may output. */
interface Rules {
  /** How plain (non-JSON) output is used. */
  readonly plainText: "context" | "nothing" | "wrong";
  /** `decision: "block"`, and exit code 2 with the reason on stderr. */
  readonly block: "may" | "by exit code" | "may not";
  /** `continue: false`. */
  readonly stop: "may" | "no effect" | "may not";
  /** Members of `hookSpecificOutput` other than the event's name. */
  readonly specific: readonly string[];
}

const starts: Rules = { plainText: "context", block: "may not", stop: "may", specific: ["additionalContext"] };
const around: Rules = { plainText: "nothing", block: "may not", stop: "may", specific: [] };
/** These hooks observe and decide nothing. */
const observes: Rules = { plainText: "nothing", block: "may not", stop: "may not", specific: [] };
const ends: Rules = { plainText: "wrong", block: "may", stop: "may", specific: [] };
const rules: Readonly<Record<HookEventName, Rules>> = {
  sessionStart: starts,
  subagentStart: { ...starts, stop: "no effect" },
  userPromptSubmit: { ...starts, block: "may" },
  preToolUse: {
    ...{ plainText: "nothing", block: "may", stop: "may not" },
    specific: ["additionalContext", "permissionDecision", "permissionDecisionReason", "updatedInput"],
  },
  permissionRequest: { plainText: "nothing", block: "by exit code", stop: "may not", specific: ["decision"] },
  postToolUse: { plainText: "nothing", block: "may", stop: "may", specific: ["additionalContext"] },
  preModelRequest: observes,
  postModelRequest: observes,
  preCompact: around,
  postCompact: around,
  stop: ends,
  subagentStop: ends,
  interrupt: observes,
  sessionEnd: observes,
};

export function verdictFrom(event: HookEventName, exit: HookExit): Verdict {
  const { plainText, block } = rules[event];
  if (exit.error !== undefined) return failed(exit.error);
  if (exit.exitCode === 2 && block !== "may not") {
    const reason = exit.stderr.trim();
    return reason === "" ? failed("it exited with code 2, which blocks, and gave no reason on stderr") : blocked(reason);
  }
  if (exit.exitCode !== 0) return failed(`it exited with code ${exit.exitCode}`);
  const text = exit.stdout.trim();
  if (text === "") return { status: "completed", entries: [] };
  const value = jsonObject(text);
  if (value !== undefined) return checked(event, value);
  if (plainText === "wrong" || /^[[{]/.test(text)) return failed(`its output is no JSON object: ${text.slice(0, 100)}`);
  return plainText === "context" ? withContext({ status: "completed", entries: [] }, text) : { status: "completed", entries: [] };
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const failed = (text: string): Verdict => ({ status: "failed", entries: [{ kind: "error", text }] });
const blocked = (reason: string): Verdict => ({ status: "blocked", entries: [{ kind: "feedback", text: reason }], blocked: reason });
const withContext = (verdict: Verdict, text: string): Verdict => ({
  ...verdict,
  entries: [{ kind: "context", text }, ...verdict.entries],
  context: text,
});

/** An unknown member would be a request that is silently ignored: the output is invalid. */
function checked(event: HookEventName, value: object): Verdict {
  const wrong = unknownMember(Output, value) ?? problem(Output(), value);
  if (wrong !== undefined) return failed(`its output is wrong: ${wrong}`);
  const output = value as Output;
  const verdict = requestedVerdict(event, output);
  const note = output.systemMessage ?? "";
  return note === "" ? verdict : { ...verdict, entries: [{ kind: "warning", text: note }, ...verdict.entries] };
}

function unknownMember(schema: Lazy<Schema>, value: object): string | undefined {
  const known = Object.keys(jsonSchema(schema()).properties ?? {});
  const stray = Object.keys(value).find((key) => !known.includes(key));
  return stray === undefined ? undefined : `unknown member \`${stray}\``;
}

function requestedVerdict(event: HookEventName, output: Output): Verdict {
  const name = hookEventNames[event];
  const wrong = notForEvent(event, output);
  if (wrong !== undefined) return failed(`a ${name} hook cannot say ${wrong}`);
  const specific = output.hookSpecificOutput ?? undefined;
  const context = specific?.additionalContext ?? "";
  const decision = decisionOf(event, output);
  return context === "" ? decision : withContext(decision, context);
}

/** The members of the output that this event does not support. */
function notForEvent(event: HookEventName, output: Output): string | undefined {
  const { block, stop, specific: allowed } = rules[event];
  const { hookSpecificOutput: specific } = output;
  if (stop === "may not" && output.continue === false) return "`continue: false`";
  if (stop === "may not" && (output.stopReason ?? null) !== null) return "`stopReason`";
  if (block !== "may" && (output.decision ?? null) !== null) return "`decision`";
  if (output.decision === "approve") return '`decision: "approve"`; it runs unless it is blocked';
  if (!specific) return undefined;
  if (specific.hookEventName !== hookEventNames[event]) return `\`hookEventName: ${JSON.stringify(specific.hookEventName)}\``;
  const stray = Object.keys(specific).find((key) => key !== "hookEventName" && !allowed.includes(key));
  return stray === undefined ? undefined : `\`hookSpecificOutput.${stray}\``;
}

function decisionOf(event: HookEventName, output: Output): Verdict {
  const specific = output.hookSpecificOutput ?? undefined;
  if (output.continue === false && rules[event].stop === "may") {
    const reason = output.stopReason ?? "";
    const shown = reason === "" ? `stopped by a ${hookEventNames[event]} hook` : reason;
    return { status: "stopped", entries: [{ kind: "stop", text: shown }], stopped: (output.reason ?? "").trim() || shown };
  }
  if (event === "permissionRequest") return permissionOf(specific?.decision ?? undefined);
  if (event === "preToolUse" && specific !== undefined && isToolDecision(specific)) return toolDecision(specific);
  const reason = (output.reason ?? "").trim();
  if (output.decision === "block") return reason === "" ? failed("`decision` without a `reason`") : blocked(reason);
  return { status: "completed", entries: [] };
}

type SpecificOutput = Infer<typeof Specific>;

const isToolDecision = ({ permissionDecision, permissionDecisionReason, updatedInput }: SpecificOutput): boolean =>
  (permissionDecision ?? permissionDecisionReason ?? undefined) !== undefined || updatedInput !== undefined;

function toolDecision({ permissionDecision, permissionDecisionReason, updatedInput }: SpecificOutput): Verdict {
  const reason = (permissionDecisionReason ?? "").trim();
  if (permissionDecision === "deny")
    return reason === "" ? failed('`permissionDecision: "deny"` without a `permissionDecisionReason`') : blocked(reason);
  if (permissionDecision === "allow" && updatedInput !== undefined) return { status: "completed", entries: [], updatedInput };
  if (permissionDecision === "allow")
    return failed('`permissionDecision: "allow"` goes with `updatedInput` only; a PermissionRequest hook grants');
  if (permissionDecision === "ask") return failed('`permissionDecision: "ask"` is not supported; the approval policy decides who is asked');
  return failed("`updatedInput` and `permissionDecisionReason` need a `permissionDecision`");
}

function permissionOf(decision: { behavior: "allow" | "deny"; message?: string | null } | undefined): Verdict {
  if (decision === undefined) return { status: "completed", entries: [] };
  if (decision.behavior === "allow") return { status: "completed", entries: [], allowed: true };
  return blocked((decision.message ?? "").trim() || "denied by a PermissionRequest hook");
}
