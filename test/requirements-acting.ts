/** Requirements for commands and edits beyond the documents: what ends, what is announced, what is stored. */
import type { Requirement } from "./requirements.ts";

export const actingRequirements = {
  "goal.pursued": {
    source: "observed 0.166",
    says: "turns for an active goal start by themselves while the thread is idle, without a message of a person, until the model ends it",
  },
  "goal.bounds": {
    source: "observed 0.166",
    says: "a goal has an objective of at most 4,000 characters and a positive budget within the configured one; when it is spent, no further turn starts",
  },
  "goal.stopped": {
    source: "observed 0.166 and Parley",
    says: "a goal whose turn fails is blocked or limited, and one whose turns do nothing is blocked after three: nothing runs without bound",
  },
  "goal.interrupted": {
    source: "observed 0.166",
    says: "after an interrupt a goal stays active and waits, also over a restart, until the person writes or sets it active again",
  },
  "goal.beside": {
    source: "observed 0.166",
    says: "a model sets a goal when it is asked to, one at a time; waiting messages come before it, and a thread without a file has none",
  },
  "goal.off": { source: "observed 0.166", says: "with the feature switched off there are no goals" },
  "queue.order": {
    source: "observed 0.166",
    says: "waiting messages are listed, changed, reordered and removed by every client, and start one after another when turns end",
  },
  "queue.interrupt": {
    source: "observed 0.166",
    says: "after an interrupt nothing waiting starts by itself, also not after a restart, until a client starts it; a failed turn holds nothing back",
  },
  "queue.kept": {
    source: "observed 0.166",
    says: "waiting messages survive a restart and start when the thread is opened again, and not before",
  },
  "queue.limits": {
    source: "observed 0.166",
    says: "at most a hundred messages wait in a thread; a thread without a file has no queue, and a deleted one leaves none behind",
  },
  "web.fetch": {
    source: "Parley",
    says: "a page is fetched where the sandbox has a network or a person allows the host, is shown as an item, and never from inside this network",
  },
  "command.endsWithTurn": {
    source: "Parley",
    says: "in full access, what a command has left running ends with its turn, however the turn ends; listed terminals live on",
  },
  "command.execNamed": {
    source: "observed 0.166",
    says: "a command of the client is known by its processId from its request on: to writes, to its end, and to a second one of that name",
  },
  "command.survivors": { source: "Parley", says: "a process that left its command's session on purpose is told of, once" },
  "command.clientTerminal": {
    source: "Parley",
    says: "a client that offers terminals is asked to run what leaves the sandbox anyway, and every other client sees its output",
  },
  "command.noTraces": { source: "Parley", says: "what a sandbox needs while a command runs is neither kept nor restored by undo" },
  "command.terminalLeavings": {
    source: "Parley",
    says: "what a background terminal has left running ends when the terminal does",
  },
  "thread.shellBeside": {
    source: "observed 0.166",
    says: "the person's own command beside a turn outlives it as a listed terminal, and its item is completed once",
  },
  "approval.outsideDeclined": {
    source: "observed 0.98",
    says: "under on-failure a command whose second run is declined ends as declined, and the turn goes on",
  },
  "dynamicTool.interrupted": { source: "observed 0.166", says: "an interrupted call of a client's tool ends without success and content" },
  "turn.steerStored": {
    source: "Parley",
    says: "words added to a turn are on disk before the answer says so, and a crash or an interrupt does not take them back",
  },
  "trust.heldThread": {
    source: "Parley",
    says: "a thread that another server writes is not archived, deleted or changed; whoever asks is told who holds it",
  },
  "trust.leftovers": {
    source: "Parley",
    cases: [407],
    says: "a server killed in the middle of a sandboxed command leaves no stand-ins for protected names, neither in the workspace nor in /tmp",
  },
  "trust.secretFiles": {
    source: "security cases",
    cases: [402],
    says: "files with secrets that the command line or the settings name cannot be read by commands, in any sandbox mode",
  },
  "trust.planted": {
    source: "security cases",
    cases: [192],
    says: "what a command plants in temp folders, caches, helper and module paths is neither loaded nor run nor followed after a restart",
  },
  "approval.permissionsForSession": {
    source: "Parley",
    says: "room granted for the session counts for the thread's later turns, not for a fork, and not once the person chooses another sandbox",
  },
  "turn.additionalContext": {
    source: "observed 0.166",
    says: "context that a client adds is read by the model before the message, what is not to be trusted marked so; a tier for one turn is sent",
  },
  "thread.listFilters": {
    source: "observed 0.166",
    says: "thread/list filters by parent, ancestor, exclusion and originator; what nothing belongs to gives nothing, or is named as unknown",
  },
  "thread.unloadDelay": {
    source: "observed 0.166",
    says: "a thread that nobody watches leaves memory after thread_unload_delay_secs, and clients hear thread/closed",
  },
  "thread.initialTurnsPage": {
    source: "observed 0.166",
    says: "thread/resume brings the page of turns that was asked for, with a cursor that goes on",
  },
  "skills.extraRoots": { source: "observed 0.166", says: "skills/extraRoots/set lists skills of further folders until it is set anew" },
  "skills.onlyNamed": { source: "observed 0.166", says: "a skill that forbids implicit use is put before the model only when it is named" },
  "hooks.trust": {
    source: "observed 0.166",
    says: "a hook runs when the user trusts exactly what it does, and waits again when it changes",
  },
  "hooks.moments": { source: "observed 0.166", says: "hooks run at their moments of a turn, in order, and read what each is about" },
  "hooks.prompt": {
    source: "observed 0.166",
    says: "a UserPromptSubmit hook adds context, or keeps words from the model and from the history",
  },
  "hooks.context": {
    source: "Parley",
    says: "what hooks say around tool calls is read after the outputs of all calls of an answer: some providers take nothing between",
  },
  "hooks.toolDenied": { source: "observed 0.166", says: "a PreToolUse hook that denies leaves no item, and the model reads why" },
  "hooks.toolRewritten": {
    source: "observed 0.166",
    says: "a PreToolUse hook may change a command, a PostToolUse hook what the model reads of it",
  },
  "hooks.permissionNetwork": {
    source: "source of 0.166",
    says: "hooks are shown the questions about hosts and further permissions too, and decide them in the person's place",
  },
  "hooks.permissionHosts": {
    source: "source of 0.166",
    says: "a PermissionRequest hook decides about a host that a running command wants to reach, and sees the command",
  },
  "hooks.permission": {
    source: "observed 0.166",
    says: "a PermissionRequest hook decides in the place of people, and the audit log names it",
  },
  "hooks.agentType": { source: "Codex source", says: "hooks of a sub-agent are matched by its role and read it as agent_type" },
  "hooks.subagentStart": {
    source: "Codex source",
    says: "a sub-agent begins with the SubagentStart hooks and not with those of SessionStart, and reads what they add",
  },
  "hooks.stop": { source: "observed 0.166", says: "a Stop hook that blocks gives the turn more to do, as a hookPrompt item" },
  "hooks.output": {
    source: "observed 0.166",
    says: "a hook that fails, hangs, floods or says what nobody knows decides nothing, and clients see why",
  },
  "hooks.ended": { source: "Parley", says: "hooks end with their turn; Interrupt and SessionEnd hooks run when it is over" },
  "hooks.background": {
    source: "observed 0.166",
    says: "an async hook is waited for by nobody and blocks nothing; what it says is read at the next request",
  },
  "hooks.sessionStart": {
    source: "observed 0.166",
    says: "SessionStart hooks know how a session began, add to what the model reads, and may stop the turn",
  },
  "hooks.compaction": {
    source: "observed 0.166",
    says: "hooks run around a compaction by its trigger, and SessionStart once more after it",
  },
  "hooks.untrustedProject": { source: "Parley", says: "no file of a project can make the project's hooks run" },
  "audit.outcomes": {
    source: "Parley",
    says: "the audit log tells of every kind of action who decided, before it runs, and what came of it",
  },
  "question.outlives": {
    source: "Parley",
    says: "a question of a server that was killed is put again when the thread is opened, under the same ids, over several kills, and the turn goes on after the answer",
  },
  "question.declined": { source: "Parley", says: "a question that is put again can be declined, and the model is told as usual" },
  "question.begunOnce": {
    source: "Parley",
    says: "a command that had begun when its server was killed is never begun again, and the model is told that its outcome is unknown",
  },
  "question.begunEdit": {
    source: "Parley",
    says: "an edit that had begun when its server was killed is not begun again, the model is told, and what it did can be taken back",
  },
  "question.movedOn": {
    source: "Parley",
    says: "whoever starts a turn instead of answering a question that was put again has moved on: its turn ends, and nothing was done",
  },
  "question.parallel": {
    source: "Parley",
    says: "two open questions are put again side by side, and one that was answered is not put once more",
  },
  "question.kinds": {
    source: "Parley",
    says: "a question to the user, a permission request and a client's tool are put again by a server that was restarted, with the same params",
  },
  "question.edit": {
    source: "Parley",
    says: "an edit that waited for approval is asked about again after a restart, and the turn's diff and undo cover what it did before and after",
  },
  "question.steered": { source: "Parley", says: "a turn that goes on after a restart can be steered" },
  "question.interrupted": {
    source: "Parley",
    says: "a turn that goes on after a restart can be interrupted, and its question is gone then",
  },
  "question.unopened": { source: "Parley", says: "a thread with an open question that nobody opens starts nothing by itself" },
  "question.answered": { source: "Parley", says: "what was allowed and had not begun runs after a restart without another question" },
  "question.planted": {
    source: "Parley",
    says: "a log of questions cannot bring in a call that the thread's file does not have, nor an answer to a question that was not asked",
  },
  "question.damaged": { source: "Parley", says: "a log of questions that cannot be read counts as none: the turn is interrupted" },
  "question.stricter": {
    source: "Parley",
    says: "a question that is put again keeps the sandbox it was about, whatever the client that opens the thread asks for",
  },
  "approval.ruleForEdit": { source: "docs/from-codex.md", says: "an answer that would make a rule for commands is no yes to an edit" },
  "turn.webSearch": { source: "observed 0.166", says: "a web search is started and completed with an action" },
  "patch.failedQuietly": { source: "Parley", says: "a patch that failed and changed nothing brings no new diff" },
} as const satisfies Readonly<Record<string, Requirement>>;
