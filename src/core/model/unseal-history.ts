/** A history that its provider compacted can be read by that provider alone: elsewhere a thread goes on with what was said. */
import { historyInWords, isSealedHistory } from "../context/replay.ts";
import { type Run, recordHistory } from "./run.ts";

/** Whether the run's provider compacts histories itself, and reads those that it has compacted. */
export const canUnseal = ({ turn: { thread }, settings }: Run): boolean =>
  thread.ports.catalog.find(settings.model, thread.provider(settings)).compactsRemotely;

/** To be called before a request: the model or provider may have been changed since the last one. */
export async function unsealHistory(run: Run): Promise<void> {
  const { turn, history } = run;
  const { thread } = turn;
  if (!run.isThreads || !history.items.some(isSealedHistory) || canUnseal(run)) return;
  const records = thread.ephemeral ? thread.kept : await thread.ports.store.read(thread.id);
  const known = new Map(history.items.map((item) => [JSON.stringify(item), item])); // others know them by identity
  const items = historyInWords(records).map((item) => known.get(JSON.stringify(item)) ?? item);
  if (items.some(isSealedHistory)) return; // it began so: the wire says that it cannot be read
  history.replace(items);
  await recordHistory(run, "");
}
