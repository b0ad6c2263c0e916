/** Commands that keep running after their turn: shown above the composer, listed by `/ps`, ended one by one or all by `/stop`. */
import { homedir } from "node:os";
import { errorMessage } from "../../lib/error-text.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadBackgroundTerminal } from "../../protocol/background-terminals.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import { createPicker } from "../ask/picker.ts";
import { shortPath } from "../draw/status-line.ts";
import type { Shell } from "./shell.ts";

const mostListed = 100;

async function read(shell: Shell, threadId: string): Promise<readonly ThreadBackgroundTerminal[]> {
  const { data } = await shell.client().call("thread/backgroundTerminals/list", { threadId, limit: mostListed });
  return data;
}

const nameOf = ({ command }: ThreadBackgroundTerminal): string => cleanLine(scriptOf(command).script);

/** Shows what runs now. Servers without such commands have none. */
export async function refreshBackground(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  try {
    const running = await read(shell, threadId);
    if (shell.store.conversation.threadId === threadId) shell.store.setUi({ background: running.map(nameOf) });
  } catch (error) {
    if (!isUnsupported(error)) shell.options.report("the commands in the background could not be read", errorMessage(error));
  }
}

export async function chooseBackground(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  const running = await read(shell, threadId);
  const items = running.map((terminal) => ({
    id: terminal.processId,
    label: nameOf(terminal),
    detail: cleanLine(`in ${shortPath(terminal.cwd, homedir())}${terminal.osPid == null ? "" : `, process ${terminal.osPid}`}`),
  }));
  const hint = "enter ends the chosen one, esc closes; /stop ends all";
  const id = await shell.pick(createPicker({ title: "Commands in the background", items, whenEmpty: "None runs", hint }));
  const chosen = running.find(({ processId }) => processId === id);
  if (chosen === undefined) return;
  const { terminated } = await shell.client().call("thread/backgroundTerminals/terminate", { threadId, processId: chosen.processId });
  shell.store.note(terminated ? "success" : "info", terminated ? `Ended: ${nameOf(chosen)}` : `It had ended already: ${nameOf(chosen)}`);
  await refreshBackground(shell);
}

export async function stopBackground(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId === undefined) return;
  const { length } = await read(shell, threadId);
  if (length === 0) return shell.store.note("info", "No command runs in the background");
  await shell.client().call("thread/backgroundTerminals/clean", { threadId });
  shell.store.note("success", length === 1 ? "The command in the background was ended" : `${length} commands in the background were ended`);
  await refreshBackground(shell);
}
