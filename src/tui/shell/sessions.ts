/** Choosing among stored sessions, copying and naming the current one. */

import { doing } from "../../client/doing.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { createPicker } from "../ask/picker.ts";
import { ago } from "./labels.ts";
import type { Shell } from "./shell.ts";
import { forkThread, resumeThread } from "./threads.ts";

const pageSize = 100;
/** More than anybody looks through; a server that never ends its list must not fill the memory. */
const mostListed = 20_000;

/** Newest first, of every provider. Sub-agents and other helper threads are left out. */
async function listThreads(shell: Shell, most: number): Promise<readonly Thread[]> {
  const { threadId } = shell.store.conversation;
  const found: Thread[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: readonly Thread[]; nextCursor?: string | null } = await shell.client().call("thread/list", {
      cursor,
      limit: Math.min(pageSize, most + 1), // the open one is left out
      sortKey: "updated_at",
      modelProviders: [],
      sourceKinds: ["cli", "vscode", "exec", "appServer"],
    });
    found.push(...page.data.filter(({ id }) => id !== threadId));
    cursor = page.nextCursor ?? null;
  } while (cursor !== null && found.length < most);
  return found.slice(0, most);
}

/** True when a thread was opened. */
export async function chooseThread(shell: Shell, what: "resume" | "fork"): Promise<void> {
  shell.store.setUi({ busy: "Reading the list of sessions" });
  const threads = await listThreads(shell, mostListed).finally(() => shell.store.setUi({ busy: undefined }));
  const picker = createPicker({
    title: what === "resume" ? "Which session shall go on?" : "Which session shall be copied?",
    items: threads.map((thread) => item(thread, shell.now())),
    canFilter: true,
    whenEmpty: "There is no earlier session",
    hint: "type to search, enter opens, esc cancels",
  });
  const id = await shell.pick(picker);
  if (id !== undefined) await (what === "resume" ? resumeThread(shell, id) : forkThread(shell, id));
}

function item(thread: Thread, nowMs: number) {
  const name = cleanLine(thread.name || thread.preview || "(no messages yet)");
  const branch = thread.gitInfo?.branch ? ` on ${cleanLine(thread.gitInfo.branch)}` : "";
  const when = doing(thread.status) || ago(thread.updatedAt, nowMs);
  return { id: thread.id, label: name.slice(0, 200), detail: `${when}  ${cleanLine(thread.cwd)}${branch}` };
}

export async function newestThread(shell: Shell): Promise<string | undefined> {
  return (await listThreads(shell, 1))[0]?.id;
}

export async function forkCurrent(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId !== undefined) await forkThread(shell, threadId);
}

export async function renameThread(shell: Shell, name: string): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  if (name === "") return shell.store.setUi({ hint: "Which name? Write /rename and the name" });
  await shell.client().call("thread/name/set", { threadId, name });
  shell.store.note("success", `This session is now called ${cleanLine(name)}`);
}
