/** Runs a command: rules, approval, sandbox, output, end. No tool can skip a step. */
import { withoutSecrets } from "../../lib/redact.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { policyName, refusalOf, settle } from "../approval/approve.ts";
import { approveCommand, auditedCommand, type CommandRequest } from "../approval/ask-command.ts";
import { isConfined, stepForCommand } from "../approval/command-rules.ts";
import { cutText, outputName } from "../context/tool-output.ts";
import { runPatch } from "../edit/run-patch.ts";
import { interceptPatch } from "../patch/heredoc.ts";
import type { Settled } from "../ports/approval.ts";
import { type CommandExit, CommandRefused, type Confinement, type RunningCommand } from "../ports/command-runner.ts";
import { resolvedFiles } from "../ports/file-access.ts";
import { networkRulesOf, withoutNetwork } from "../ports/network-rules.ts";
import type { KeptOutput } from "../ports/output-files.ts";
import { type CommandAction, failed, succeeded, type ToolOutput } from "../ports/tool.ts";
import { maxTerminals } from "../settings/count-limits.ts";
import type { Terminal } from "./background.ts";
import { commandNetwork } from "./command-network.ts";
import { CommandOutput, streamsOf } from "./command-output.ts";
import { type Cut, formatResult, formatRunning } from "./command-result.ts";
import type { CommandTurn } from "./command-turn.ts";

type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;

export async function runCommand(action: CommandAction, callId: string, turn: CommandTurn): Promise<ToolOutput> {
  const { thread } = turn;
  const patch = interceptPatch(action.argv, action.cwd);
  if (patch !== undefined) return "failed" in patch ? failed(patch.failed) : await runPatch({ kind: "patch", ...patch }, callId, turn);
  if (action.yieldMs !== undefined && thread.terminals.list().length >= maxTerminals)
    return failed(`${maxTerminals} commands of this thread run in the background already; wait for one or end one before starting another`);
  const policy = await thread.ports.execPolicy(thread.config);
  const parsed = policy.parse(action.argv, action.cwd);
  const verdict = policy.decide(action.argv, action.cwd, turn.settings.workspaceRoots);
  const request: CommandRequest = { action, callId, parsed, verdict, policy };
  const openNames = await thread.ports.runner.openNames(confinementFor(turn, action.escalate));
  const step = stepForCommand(turn.settings, { verdict, openNames, escalate: action.escalate, justification: action.justification });
  if (step.kind === "refuse") {
    if (step.because === "machine") turn.warnOnce(`a command was ${step.text}`);
    await settle(turn, auditedCommand(request, turn), { decision: "refusedByPolicy", by: step.text });
    return failed(step.text);
  }
  const item: CommandItem = {
    type: "commandExecution",
    id: callId,
    command: withoutSecrets(parsed.display),
    cwd: action.cwd,
    processId: String(thread.terminals.nextSession()),
    source: action.format === "exec_command" ? "unifiedExecStartup" : "agent",
    status: "inProgress",
    commandActions: parsed.actions.map((step) => ({ ...step, command: withoutSecrets(step.command) })),
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  };
  if (!isReader(request)) turn.edits.snapshot.expectCommand();
  const basis = step.kind === "ask" ? { reason: step.reason } : { settled: settledWithoutAsking(request, turn) };
  const ruling = await approveCommand(request, { ...basis, announce: () => turn.items.start(item) }, turn);
  if (!ruling.allows) {
    const { status, text } = refusalOf(ruling);
    await turn.items.complete({ ...item, status });
    turn.signal.throwIfAborted();
    return failed(rejection(action, text));
  }
  const confinement = { ...confinementFor(turn, action.escalate), namesMayBeOpen: true, ...networkFor(request, turn) };
  // A command that ran unasked because it only reads must not write where its sandbox leaves protected names open.
  return await runGranted(request, item, openNames !== undefined && isReader(request) ? readOnly(confinement, turn) : confinement, turn);
}

function settledWithoutAsking({ verdict }: CommandRequest, turn: CommandTurn): Settled {
  if (verdict.decision === "allow" && verdict.because === "rule") return { decision: "allowedByRule", by: verdict.rule ?? "rule" };
  return { decision: "allowedByPolicy", by: policyName(turn) };
}

/** Runs it under the granted sandbox; under `on-failure`, a command that the sandbox blocked may be retried outside after asking. */
async function runGranted(request: CommandRequest, item: CommandItem, confinement: Confinement, turn: CommandTurn): Promise<ToolOutput> {
  const { action } = request;
  const first = await attempt(request, item, confinement, turn);
  if ("output" in first) return first.output;
  const mayLeave = turn.settings.approvalPolicy === "on-failure" && isConfined(confinement.policy);
  if (!mayLeave || !stoppedBySandbox(first.exit, first.terminal.output.text)) return await finish(item, first, action, turn);
  const outside: CommandRequest = { ...request, action: { ...action, escalate: true } };
  const ruling = await approveCommand(outside, { reason: "the command failed in the sandbox; run it outside?" }, turn);
  if (!ruling.allows) return await endDeclined(item, first, action, turn);
  const second = await attempt(request, item, { ...confinement, ...confinementFor(turn, true), network: undefined }, turn);
  return "output" in second ? second.output : await finish(item, second, action, turn);
}

interface Attempt {
  readonly terminal: Terminal;
  readonly exit: CommandExit;
}

/** Runs it to its end, or for as long as the model waits; in that case the output is what has arrived so far. */
async function attempt(
  request: CommandRequest,
  item: CommandItem,
  confinement: Confinement,
  turn: CommandTurn,
): Promise<Attempt | { output: ToolOutput }> {
  const { action } = request;
  const mayWrite = confinement.policy.type !== "readOnly" && !isReader(request);
  const ended = mayWrite ? await turn.edits.snapshot.remember() : () => {};
  const started = await start(request, item, confinement, turn);
  if ("refused" in started) {
    ended();
    return { output: await endRefused(item, started.refused, turn) };
  }
  const { terminal } = started;
  terminal.running.exit.then(ended, ended);
  const exit = await firstLook(terminal, action, turn);
  if (exit !== undefined) return { terminal, exit };
  return {
    output: succeeded(
      await formatRunning(terminal, turn.thread.ports.clock.now() - terminal.startedAtMs, cutFor(action, terminal.itemId, turn)),
    ),
  };
}

/** Whether it is one of the fixed list of read-only programs: no file needs to be remembered for undo. */
const isReader = ({ verdict }: CommandRequest): boolean => verdict.decision === "allow" && verdict.because === "knownSafe";

function confinementFor(turn: CommandTurn, escalated: boolean): Confinement {
  const { sandboxPolicy, workspaceRoots } = turn.settings;
  const rules = escalated ? undefined : networkRulesOf(turn.settings, turn.thread.config);
  const policy: SandboxPolicy = escalated
    ? { type: "dangerFullAccess" }
    : rules === undefined
      ? sandboxPolicy
      : withoutNetwork(sandboxPolicy);
  return {
    policy,
    files: resolvedFiles(turn.settings, policy),
    workspaceRoots,
    protectedNames: turn.thread.config.protectedNames,
    limits: turn.thread.config.commandLimits,
  };
}
/** A command that left the sandbox has the network of the machine. */
function networkFor(request: CommandRequest, turn: CommandTurn): Pick<Confinement, "network"> {
  const rules = request.action.escalate ? undefined : networkRulesOf(turn.settings, turn.thread.config);
  return rules === undefined ? {} : { network: commandNetwork(rules, request, turn) };
}
function readOnly(confinement: Confinement, turn: CommandTurn): Confinement {
  const networkAccess = "networkAccess" in confinement.policy && confinement.policy.networkAccess === true;
  const policy: SandboxPolicy = { type: "readOnly", networkAccess };
  return { ...confinement, policy, files: resolvedFiles(turn.settings, policy) };
}

async function start(
  request: CommandRequest,
  item: CommandItem,
  confinement: Confinement,
  turn: CommandTurn,
): Promise<{ terminal: Terminal } | { refused: string }> {
  const { thread } = turn;
  const { action } = request;
  await turn.questions.begin(item.id);
  let running: RunningCommand;
  try {
    running = await thread.ports.runner.start(
      {
        argv: action.argv,
        cwd: action.cwd,
        env: thread.ports.commandEnv(thread.config),
        stdin: action.yieldMs === undefined ? "closed" : "open",
        ...(action.tty ? { tty: { cols: 120, rows: 40 } } : {}),
        ...(action.timeoutMs === undefined ? {} : { timeoutMs: action.timeoutMs }),
        item: { threadId: thread.id, turnId: turn.id, itemId: item.id },
      },
      confinement,
      turn.signal,
    );
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    turn.outcomes.note(auditedCommand(request, turn), `not started: ${error.message}`);
    return { refused: error.message };
  }
  void running.exit.then((exit) => turn.outcomes.note(auditedCommand(request, turn), outcomeOf(exit)));
  return { terminal: watch(running, item, turn, action) };
}

export const outcomeOf = ({ exitCode, timedOut }: CommandExit): string => (timedOut ? "timed out" : `exit code ${exitCode}`);

/** The script that a shell runs; undefined for other programs. */
const scriptOf = ([program = "", flag = "", script]: readonly string[]): string | undefined =>
  program.endsWith("sh") && /^-\w*c$/.test(flag) ? script : undefined;

/** Streams the output and, for a command that outlives its call, completes the item when it ends. */
function watch(running: RunningCommand, item: CommandItem, turn: CommandTurn, action: CommandAction): Terminal {
  const { thread } = turn;
  const output = new CommandOutput(
    thread.ports.clock,
    (delta, runs) =>
      turn.notify("item/commandExecution/outputDelta", {
        threadId: thread.id,
        turnId: turn.id,
        itemId: item.id,
        delta,
        ...streamsOf(runs),
      }),
    () => thread.ports.outputs.open(outputName(thread.id, item.id)),
  );
  running.onOutput = (chunk, stream) => output.push(chunk, stream);
  turn.commands.add(running);
  const sessionId = Number(item.processId);
  const done = Promise.withResolvers<void>();
  const terminal: Terminal = {
    sessionId,
    processId: String(sessionId),
    itemId: item.id,
    turnId: turn.id,
    command: withoutSecrets(scriptOf(action.argv) ?? item.command),
    cwd: item.cwd,
    tty: action.tty,
    running,
    output,
    startedAtMs: thread.ports.clock.now(),
    exitCode: undefined,
    done: done.promise,
  };
  void running.exit.then(async (exit) => {
    try {
      output.end();
      terminal.exitCode = exit.exitCode;
      output.onArrival();
      if (thread.terminals.find(sessionId) !== undefined) {
        await turn.edits.snapshot.makeDurable();
        await turn.items.complete(ended(item, terminal, exit));
      }
    } catch (error) {
      thread.ports.log.error("the end of a background command could not be stored", { item: item.id, error: String(error) });
    } finally {
      done.resolve(); // nothing must wait for its end for ever
    }
  });
  return terminal;
}

/** Waits for the end, or as long as the model asked for; a command that is still running then moves to the background. */
async function firstLook(terminal: Terminal, action: CommandAction, turn: CommandTurn): Promise<CommandExit | undefined> {
  if (action.yieldMs === undefined) return await terminal.running.exit;
  const exit = await Promise.race([terminal.running.exit, timeout(action.yieldMs, turn)]);
  if (exit !== undefined) return exit;
  turn.thread.terminals.add(terminal);
  return undefined;
}

const timeout = (ms: number, { thread }: CommandTurn): Promise<undefined> =>
  new Promise((resolve) => {
    thread.ports.clock.after(ms, () => resolve(undefined));
  });

/** Waits until a running command ends, goes quiet after new output, or the time is up. */
export async function waitForOutput(terminal: Terminal, ms: number, turn: CommandTurn): Promise<void> {
  if (terminal.exitCode !== undefined) return;
  await Promise.race([terminal.done, timeout(ms, turn), aborted(turn.signal)]);
  turn.signal.throwIfAborted();
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));

async function finish(item: CommandItem, { terminal, exit }: Attempt, action: CommandAction, turn: CommandTurn): Promise<ToolOutput> {
  await Promise.all([terminal.done, turn.edits.snapshot.makeDurable()]);
  await turn.items.complete(ended(item, terminal, exit));
  turn.signal.throwIfAborted();
  const result = { output: terminal.output.text, exitCode: exit.exitCode, durationMs: exit.durationMs, timedOut: exit.timedOut };
  return {
    kind: "text",
    text: await formatResult(action.format, result, cutFor(action, item.id, turn, await terminal.output.whole())),
    success: exit.exitCode === 0,
  };
}

/** How much output the model asks to read, within the configured limit. */
export const cutFor =
  ({ maxOutputTokens }: Pick<CommandAction, "maxOutputTokens">, name: string, turn: CommandTurn, whole?: KeptOutput): Cut =>
  (text) => {
    const maxTokens = Math.min(maxOutputTokens ?? Number.POSITIVE_INFINITY, turn.thread.outputLimit(turn.settings));
    return cutText(turn, { text, name, maxTokens, whole });
  };

function ended(item: CommandItem, terminal: Terminal, exit: CommandExit): CommandItem {
  return {
    ...item,
    status: exit.exitCode === 0 ? "completed" : "failed",
    aggregatedOutput: terminal.output.text,
    exitCode: exit.exitCode,
    durationMs: exit.durationMs,
  };
}

const rejection = (action: CommandAction, text = "rejected by user"): string =>
  action.format === "exec_command" ? `exec_command failed: ${text}` : `exec command ${text}`;

/** The person refused to run it outside the sandbox: its output inside is all there is. */
async function endDeclined(item: CommandItem, { terminal, exit }: Attempt, action: CommandAction, turn: CommandTurn): Promise<ToolOutput> {
  await Promise.all([terminal.done, turn.edits.snapshot.makeDurable()]);
  await turn.items.complete({ ...ended(item, terminal, exit), status: "declined" });
  turn.signal.throwIfAborted();
  return failed(`${rejection(action)}\nIts run in the sandbox had failed:\n${await cutFor(action, item.id, turn)(terminal.output.text)}`);
}

async function endRefused(item: CommandItem, reason: string, turn: CommandTurn): Promise<ToolOutput> {
  await turn.items.complete({ ...item, status: "failed", aggregatedOutput: reason, exitCode: -1, durationMs: 0 });
  return failed(reason);
}

/** Messages that programs print when a sandbox blocks them. */
function stoppedBySandbox(exit: CommandExit, output: string): boolean {
  return (
    exit.exitCode !== 0 &&
    !exit.timedOut &&
    /permission denied|read-only file system|operation not permitted|network is unreachable|could not resolve/i.test(output)
  );
}
