/** The automatic reviewer: a conversation of its own beside a turn, which nobody sees, that can read and not write, and ends with a decision. */
import { plainSchema } from "../../lib/plain-schema.ts";
import { parse } from "../../lib/schema.ts";
import type { GuardianApprovalReviewStatus } from "../../protocol/approval-review.ts";
import { DeniedActions } from "../approval/denied-actions.ts";
import { Grants } from "../approval/grants.ts";
import { BackgroundTerminals } from "../command/background.ts";
import { History, userMessage } from "../context/history.ts";
import { SeenContext } from "../context/seen-context.ts";
import { HookState } from "../hooks/hook-state.ts";
import type { Run } from "../model/run.ts";
import type { ReviewedAction, ReviewVerdict } from "../ports/approval-review.ts";
import type { Audience } from "../ports/audience.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { Assessment, noDecisionText, reviewerInstructions, transcriptOf } from "./auto-review-prompt.ts";
import { LiveTurn, type TurnThread } from "./live-turn.ts";
import { work } from "./turn.ts";

/** Model requests of one review: it may look at something, and must then decide. */
const maxRequests = 8;
/** Answers of one review: what is no decision is asked for again. */
const maxAnswers = 3;
/** An action that a reviewer could not read whole is not approved by it. */
const maxAction = 60_000;

/** Reviews an action; announced when it begins and when it ends. Rejects only when the turn is interrupted. */
export async function reviewApproval(turn: LiveTurn, action: ReviewedAction, itemId: string): Promise<ReviewVerdict> {
  const { thread } = turn;
  const { clock, ids } = thread.ports;
  const [reviewId, startedAtMs] = [ids.item(), clock.now()];
  const about = { threadId: thread.id, turnId: turn.id, reviewId, targetItemId: itemId, startedAtMs, action: action.shown };
  const open = { rationale: null, riskLevel: null, userAuthorization: null };
  turn.notify("item/autoApprovalReview/started", { ...about, review: { status: "inProgress", ...open } });
  const end = (status: GuardianApprovalReviewStatus, verdict?: ReviewVerdict): void => {
    if (verdict !== undefined) turn.notify("guardianWarning", { threadId: thread.id, message: reviewNotice(verdict) });
    turn.notify("item/autoApprovalReview/completed", {
      ...about,
      completedAtMs: clock.now(),
      decisionSource: "agent",
      review: {
        status,
        rationale: verdict?.rationale ?? null,
        riskLevel: verdict?.risk ?? null,
        userAuthorization: verdict?.authorization ?? null,
      },
    });
  };
  try {
    const verdict = { reviewId, ...(await decide(turn, action)) };
    turn.signal.throwIfAborted();
    // Clients know no failed review; a failure counts as a denial, with its reason.
    end(verdict.status === "failed" ? "denied" : verdict.status, verdict);
    return verdict;
  } catch (error) {
    end("aborted");
    throw error;
  }
}

/** For people; as Codex has it. */
function reviewNotice({ status, risk, authorization, rationale }: ReviewVerdict): string {
  const judged = risk === undefined ? "" : ` (risk: ${risk}, authorization: ${authorization ?? "unknown"})`;
  return `Automatic approval review ${status === "timedOut" ? "timed out" : status}${judged}: ${rationale}`;
}

type Decided = Omit<ReviewVerdict, "reviewId">;

async function decide(turn: LiveTurn, action: ReviewedAction): Promise<Decided> {
  if (action.text.length > maxAction) return { status: "failed", rationale: "the action is too long to be reviewed as a whole" };
  const { thread } = turn;
  const limit = thread.ports.clock.timeout(thread.config.autoReview.timeoutMs);
  const hidden = reviewerTurn(turn);
  const stop = AbortSignal.any([turn.signal, limit]);
  const interrupt = (): void => hidden.interrupt();
  stop.addEventListener("abort", interrupt, { once: true });
  try {
    if (stop.aborted) hidden.interrupt();
    const run = reviewerRun(hidden, evidence(turn, action));
    for (let answers = 1; ; answers++) {
      const failure = await work(run);
      if (failure !== undefined) return { status: "failed", rationale: failure.message };
      const verdict = verdictIn(hidden.lastAgentMessage ?? "");
      if (verdict.status !== "failed" || answers >= maxAnswers) return verdict;
      run.history.add(userMessage(noDecisionText));
    }
  } catch (error) {
    if (turn.signal.aborted) throw error;
    if (limit.aborted) return { status: "timedOut", rationale: "the review took too long" };
    thread.ports.log.warn("an automatic review failed", { threadId: thread.id, error: String(error) });
    return { status: "failed", rationale: "the reviewer could not be asked" };
  } finally {
    stop.removeEventListener("abort", interrupt);
    await hidden.thread.terminals.killAll();
    await hidden.commands.end(() => false);
  }
}

/** Only an answer that is nothing but the agreed object counts. What it may not allow is denied, whatever it says. */
export function verdictIn(text: string): Decided {
  const bare = /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(text.trim())?.[1] ?? text.trim();
  const read = parse(Assessment, json(bare));
  if (read === undefined) return { status: "failed", rationale: "the reviewer's answer was no decision" };
  const { risk_level: risk, user_authorization: authorization, outcome } = read;
  const rationale = read.rationale.trim().slice(0, maxRationale) || "no reason was given";
  const isTooRisky = risk === "critical" || (risk === "high" && (authorization === "unknown" || authorization === "low"));
  return { status: outcome === "allow" && !isTooRisky ? "approved" : "denied", risk, authorization, rationale };
}
const maxRationale = 2000;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function evidence({ thread, settings }: LiveTurn, action: ReviewedAction): string {
  const isSubAgent = thread.meta.parentThreadId !== undefined;
  const { sandboxPolicy, approvalPolicy, cwd } = settings;
  return JSON.stringify({
    transcript: transcriptOf(thread.history.items, isSubAgent),
    permissions: { sandbox: sandboxPolicy, approval_policy: approvalPolicy, cwd },
    action: JSON.parse(action.text),
  });
}

const reviewerTools: ReadonlySet<string> = new Set(["exec_command", "write_stdin", "shell_command", "view_image"]);

function reviewerRun(turn: LiveTurn, text: string): Run<LiveTurn> {
  const { history, config, settings } = turn.thread;
  history.add(userMessage(text));
  return {
    turn,
    settings,
    instructions: reviewerInstructions(config.autoReview.policy),
    history,
    isThreads: false,
    isVisible: false,
    aside: { kind: "guardian", id: turn.thread.ports.ids.thread() },
    offers: ({ name, namespace }) => namespace === undefined && reviewerTools.has(name),
    context: async () => [],
  };
}

function reviewerTurn(turn: LiveTurn): LiveTurn {
  const { ids, clock } = turn.thread.ports;
  const options = { id: ids.turn(), startedAtMs: clock.now(), kind: "review" as const, outputSchema: plainSchema(Assessment()) };
  return new LiveTurn(reviewerThread(turn), options);
}

/** The thread as its reviewer has it: another history, other rules, no hooks, no client that sees or answers anything. */
function reviewerThread({ thread, settings }: LiveTurn): TurnThread {
  const { ports, config, clients } = thread;
  return {
    id: thread.id,
    meta: thread.meta,
    path: thread.path,
    settings: reviewerSettings(thread, settings),
    config: { ...config, hooks: [], mcpServers: {}, plugins: [], maxRequestsPerTurn: maxRequests, showRawReasoning: false },
    hooks: new HookState(),
    ports: { ...ports, audience: silent(ports.audience) },
    grants: new Grants(),
    denied: new DeniedActions(),
    terminals: new BackgroundTerminals(),
    history: new History(),
    seenContext: new SeenContext(),
    slowCheckers: thread.slowCheckers,
    ephemeral: true,
    kept: [],
    get usage() {
      return thread.usage;
    },
    clients: { name: clients.name, dynamicTools: [], userAgent: clients.userAgent, isInteractive: false, refusesTour: clients.refusesTour },
    provider: (of) => thread.provider(of),
    countTokens: (last) => thread.countTokens(last),
    record: async () => {},
    contextWindow: (of) => thread.contextWindow(of),
    learnWindow: (of, tokens) => thread.learnWindow(of, tokens),
    outputLimit: (of) => thread.outputLimit(of),
    previewBy: () => {},
    ask: async () => ({ kind: "nobody" }),
  };
}

function reviewerSettings({ config, ports }: TurnThread, settings: ThreadSettings): ThreadSettings {
  const { model } = config.autoReview;
  const chosen = model === undefined ? {} : { model, modelProvider: ports.chooseModel(config, model, undefined).provider };
  const plain = { mode: "default", modeInstructions: null, developerInstructions: null, baseInstructions: null } as const;
  const rules: ThreadSettings = {
    ...settings,
    ...chosen,
    ...plain,
    approvalPolicy: "never",
    approvalsReviewer: "user",
    sandboxPolicy: { type: "readOnly", networkAccess: false },
    permissionProfile: null,
  };
  return Object.freeze(rules);
}

const silent = (audience: Audience): Audience => ({
  toThread: () => {},
  textToThread: () => {},
  toOlder: () => {},
  toAll: () => {},
  ask: async () => ({ kind: "nobody" }),
  forget: () => {},
  hurry: () => {},
  isWatched: (threadId) => audience.isWatched(threadId),
  caughtUp: () => undefined,
});
