/** Runs the hooks of one event: all that match in parallel, each announced, audited and parsed; results keep the hooks' order. */
import type { HookEventName, HookRunSummary } from "../../protocol/hooks.ts";
import { cutText } from "../context/tool-output.ts";
import { type Hook, hookEventNames } from "../ports/hooks.ts";
import type { HookedThread, HookedTurn } from "./hooked.ts";
import { matchingHooks } from "./match.ts";
import { type HookExit, type Verdict, verdictFrom } from "./output.ts";
import { runHandler } from "./run-handler.ts";

/** An event in a thread that hooks may handle. */
export interface Moment {
  readonly event: HookEventName;
  /** The names that matchers are compared with. */
  readonly subjects?: readonly string[];
  /** Input fields in addition to the common ones. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The tool call that the event is about. */
  readonly callId?: string;
  /** Aborts the hooks, in place of the turn's signal. */
  readonly signal?: AbortSignal;
}

export interface RanHook extends Verdict {
  readonly runId: string;
}

const none: readonly RanHook[] = Object.freeze([]);

/** Whether any hook handles this event: most threads have no hooks at all. */
export const hasHooks = ({ config }: HookedThread, ...events: readonly HookEventName[]): boolean =>
  config.hooks.length > 0 && config.hooks.some(({ metadata }) => events.includes(metadata.eventName));

/** Background hooks give no result. */
export async function runHooks(thread: HookedThread, turn: HookedTurn | undefined, moment: Moment): Promise<readonly RanHook[]> {
  if (thread.config.hooks.length === 0) return none;
  const hooks = matchingHooks(thread.config.hooks, moment.event, moment.subjects);
  if (hooks.length === 0) return none;
  const input = { ...commonInput(thread, turn, moment.event), ...moment.input };
  const isAsync = ({ handler }: Hook): boolean => handler.type === "command" && handler.isAsync;
  for (const hook of hooks.filter(isAsync)) runInBackground(hook, { thread, turn, moment, input });
  const waitedFor = hooks.filter((hook) => !isAsync(hook));
  const started = waitedFor.map((hook) => announceStart(hook, { thread, turn, moment, input }));
  const exits = await Promise.all(waitedFor.map((hook) => runOne(hook, { thread, turn, moment, input })));
  const ran: RanHook[] = [];
  for (const [i, hook] of waitedFor.entries()) {
    const summary = started[i];
    const exit = exits[i];
    if (summary === undefined || exit === undefined) continue;
    ran.push(await settle(hook, summary, exit, { thread, turn, moment, input }));
  }
  return ran;
}

interface Running {
  readonly thread: HookedThread;
  readonly turn: HookedTurn | undefined;
  readonly moment: Moment;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The common fields of every hook's standard input. */
function commonInput(thread: HookedThread, turn: HookedTurn | undefined, event: HookEventName): Record<string, unknown> {
  const { settings, meta } = thread;
  const isChild = meta.parentThreadId !== undefined;
  const isEnd = event === "sessionEnd";
  const hasTurn = turn !== undefined && event !== "sessionStart" && !isEnd;
  return {
    session_id: meta.parentThreadId ?? thread.id,
    ...(hasTurn ? { turn_id: turn.id } : {}),
    transcript_path: thread.path,
    cwd: settings.cwd,
    hook_event_name: hookEventNames[event],
    ...(isEnd ? {} : { model: settings.model }),
    ...(withoutMode.has(event) ? {} : { permission_mode: permissionMode(thread) }),
    ...(isChild && !isEnd ? { agent_id: thread.id, agent_type: agentType(thread) } : {}),
  };
}

/** The role of a sub-agent, as hooks see it. */
export function agentType({ meta: { source } }: HookedThread): string {
  const spawned = typeof source === "object" && "subAgent" in source ? source.subAgent : undefined;
  const role = typeof spawned === "object" && "thread_spawn" in spawned ? spawned.thread_spawn.agent_role : undefined;
  return role ?? "default";
}

/** Events whose input has no permission mode. */
const withoutMode: ReadonlySet<HookEventName> = new Set(["preModelRequest", "postModelRequest", "preCompact", "postCompact", "sessionEnd"]);

function permissionMode({ settings }: HookedThread): string {
  if (settings.mode === "plan") return "plan";
  return settings.approvalPolicy === "never" ? "bypassPermissions" : "default";
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const ofThread: ReadonlySet<HookEventName> = new Set(["sessionStart", "sessionEnd", "subagentStart"]);

function announceStart({ metadata }: Hook, { thread, turn, moment }: Running): HookRunSummary {
  const run: HookRunSummary = {
    id: `${kebab(moment.event)}:${metadata.displayOrder}:${metadata.sourcePath}${moment.callId === undefined ? "" : `:${moment.callId}`}`,
    eventName: moment.event,
    handlerType: metadata.handlerType,
    executionMode: "sync",
    scope: ofThread.has(moment.event) ? "thread" : "turn",
    sourcePath: metadata.sourcePath,
    source: metadata.source,
    displayOrder: metadata.displayOrder,
    status: "running",
    statusMessage: metadata.statusMessage ?? null,
    startedAt: seconds(thread),
    completedAt: null,
    durationMs: null,
    entries: [],
  };
  notifyOfRun(thread, turn, "hook/started", run);
  return run;
}

const seconds = ({ ports }: HookedThread): number => Math.floor(ports.clock.now() / 1000);

function notifyOfRun(
  thread: HookedThread,
  turn: HookedTurn | undefined,
  method: "hook/started" | "hook/completed",
  run: HookRunSummary,
): void {
  thread.ports.audience.toThread(thread.id, method, { threadId: thread.id, turnId: turn?.id ?? null, run });
}

interface Timed extends HookExit {
  readonly durationMs: number;
}

async function runOne(hook: Hook, running: Running): Promise<Timed> {
  const { thread, turn, moment, input } = running;
  const begun = thread.ports.clock.now();
  const signal = moment.signal ?? turn?.signal ?? thread.hooks.signal;
  const exit = await runHandler(hook, { thread, turn, input, signal });
  return { ...exit, durationMs: thread.ports.clock.now() - begun };
}

async function settle(hook: Hook, started: HookRunSummary, exit: Timed, { thread, turn, moment }: Running): Promise<RanHook> {
  const verdict = await withinLimit(hook, verdictFrom(moment.event, exit), thread, started.id);
  const { status, entries } = verdict;
  notifyOfRun(thread, turn, "hook/completed", {
    ...started,
    status,
    entries: entries.map(({ kind, text }) => ({ kind, text: text.slice(0, maxShown) })),
    completedAt: seconds(thread),
    durationMs: exit.durationMs,
  });
  return { ...verdict, runId: started.id };
}

/** The longest line that clients are shown. */
const maxShown = 20_000;
const standardContextTokens = 2500;

/** Long texts are shortened for the model, with the full text in a file it can read. 0 means no limit. */
async function withinLimit({ metadata }: Hook, verdict: Verdict, thread: HookedThread, runId: string): Promise<Verdict> {
  const maxTokens = metadata.additionalContextLimit ?? standardContextTokens;
  const cut = async (text: string): Promise<string> =>
    maxTokens === 0
      ? text
      : await cutText({ thread }, { text, name: `hook-${runId.replace(/[^A-Za-z0-9-]+/g, "_").slice(-80)}`, maxTokens });
  return {
    ...verdict,
    ...(verdict.context === undefined ? {} : { context: await cut(verdict.context) }),
    ...(verdict.blocked === undefined ? {} : { blocked: await cut(verdict.blocked) }),
  };
}

/** Nothing waits for it and it decides nothing; its text for the model is read at the next request. */
function runInBackground(hook: Hook, running: Running): void {
  const { thread, moment } = running;
  const begun = thread.hooks.inBackground(async () => {
    const exit = await runOne(hook, { ...running, turn: undefined, moment: { ...moment, signal: thread.hooks.signal } });
    const verdict = await withinLimit(hook, verdictFrom(moment.event, exit), thread, hook.metadata.key);
    if (verdict.context !== undefined) thread.hooks.arrived(verdict.context);
    for (const { kind, text } of verdict.entries) if (kind === "warning" || kind === "error") warn(thread, hook, text);
  });
  if (!begun) warn(thread, hook, "it was left out, since too many hooks wait to run in the background");
}

function warn(thread: HookedThread, { metadata }: Hook, text: string): void {
  const message = `${hookEventNames[metadata.eventName]} hook of ${metadata.sourcePath}: ${text.slice(0, maxShown)}`;
  thread.ports.audience.toThread(thread.id, "warning", { threadId: thread.id, message });
}
