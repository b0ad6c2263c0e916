/** `/agents`: the sub-agents of this session as a tree: go to one, come back, or interrupt it. */
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { createPicker } from "../ask/picker.ts";
import { ago } from "./labels.ts";
import type { Shell } from "./shell.ts";
import { resumeThread } from "./threads.ts";

const mostListed = 100;
/** A server that names threads as their own parents must not be followed without end. */
const deepest = 20;

export async function chooseAgent(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  const { root, agents } = await treeOf(shell, threadId);
  const items = [root, ...agents].map((thread) => itemFor(thread, { shell, rootId: root.id, agents, currentId: threadId }));
  const title = "Which agent of this session?";
  const picker = createPicker({ title, items: agents.length === 0 ? [] : items, whenEmpty: "This session has no agents", canFilter: true });
  const id = await shell.pick(picker);
  const chosen = [root, ...agents].find((thread) => thread.id === id);
  if (chosen !== undefined) await act(shell, chosen, chosen.id === threadId);
}

/** A running agent can be looked at or interrupted; others are opened at once. */
async function act(shell: Shell, thread: Thread, isOpen: boolean): Promise<void> {
  const isRunning = thread.status.type === "active" && thread.parentThreadId != null;
  const name = nameOf(thread);
  const choices = [
    ...(isOpen ? [] : [{ id: "open", label: `Go to ${name}`, detail: "/agents brings you back" }]),
    ...(isRunning ? [{ id: "interrupt", label: `Interrupt ${name}`, detail: "it stays open for further tasks" }] : []),
  ];
  const choice = choices.length > 1 ? await shell.pick(createPicker({ title: name, items: choices })) : choices[0]?.id;
  if (choice === "open") await resumeThread(shell, thread.id);
  if (choice === "interrupt") await interrupt(shell, thread);
}

async function interrupt(shell: Shell, { id, ...thread }: Thread): Promise<void> {
  const { thread: read } = await shell.client().call("thread/read", { threadId: id, includeTurns: true });
  const turn = read.turns.findLast(({ status }) => status === "inProgress");
  if (turn !== undefined) await shell.client().call("turn/interrupt", { threadId: id, turnId: turn.id });
  shell.store.note("success", `${nameOf({ id, ...thread })} was interrupted`);
}

/** The whole tree, wherever in it the person is. */
async function treeOf(shell: Shell, threadId: string): Promise<{ root: Thread; agents: readonly Thread[] }> {
  const read = async (id: string): Promise<Thread> => (await shell.client().call("thread/read", { threadId: id })).thread;
  let root = await read(threadId);
  for (let at = 0; root.parentThreadId != null && at < deepest; at++) root = await read(root.parentThreadId);
  const order = { limit: mostListed, sortKey: "created_at", sortDirection: "asc" } as const;
  const { data } = await shell.client().call("thread/list", { ancestorThreadId: root.id, modelProviders: [], ...order });
  return { root, agents: data };
}

interface Tree {
  readonly shell: Shell;
  readonly rootId: string;
  readonly agents: readonly Thread[];
  readonly currentId: string;
}

function itemFor(thread: Thread, { shell, rootId, agents, currentId }: Tree) {
  const indent = "  ".repeat(depthOf(thread, agents));
  const label = thread.id === rootId ? "This session" : `${indent}${nameOf(thread)}`;
  const state = thread.status.type === "active" ? "working" : ago(thread.updatedAt, shell.now());
  return { id: thread.id, label, detail: `${state}  ${cleanLine(thread.preview).slice(0, 100)}`, isCurrent: thread.id === currentId };
}

function depthOf({ parentThreadId }: Thread, agents: readonly Thread[]): number {
  let depth = 0;
  for (let at = parentThreadId; at != null && depth < deepest; depth++) at = agents.find(({ id }) => id === at)?.parentThreadId;
  return depth;
}

function nameOf({ agentNickname, agentRole, id, parentThreadId }: Thread): string {
  if (parentThreadId == null) return "This session";
  return cleanLine(`${agentNickname ?? id.slice(-8)}${agentRole ? ` (${agentRole})` : ""}`);
}
