/** `account/usage/breakdown`: which folder, project and model the tokens went to. */
import type { SpendingEntry } from "../core/ports/usage.ts";
import type { spendingRequests, UsageBreakdownRow } from "../protocol/spending.ts";
import type { App, HandlersFor } from "./app.ts";

/** The newest rows; more would be a table that nobody reads. */
const maxRows = 5_000;
/** Folders are looked up for so many threads; the tokens of others count without one. */
const maxThreads = 5_000;

export const spendingHandlers: HandlersFor<typeof spendingRequests> = {
  async "account/usage/breakdown"({ since, until }, { app }) {
    const { entries, ...totals } = app.usage.breakdown(app.config.effective(process.cwd()), {
      since: since ?? undefined,
      until: until ?? undefined,
    });
    const places = await placesOf([...new Set(entries.map((entry) => entry.threadId))].slice(0, maxThreads), app);
    const rows = joined(entries, places);
    return { ...totals, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
  },
};

interface Place {
  readonly cwd: string | null;
  readonly projectId: string | null;
}

async function placesOf(ids: readonly string[], app: App): Promise<ReadonlyMap<string, Place>> {
  const listed = await app.lists.places(ids).catch((error: unknown) => {
    app.log.warn("projects could not be read", { error: String(error) });
    return undefined;
  });
  const places = new Map<string, Place>();
  for (const id of ids) {
    const cwd = app.threads.find(id)?.settings.cwd ?? (await app.store.find(id).catch(() => undefined))?.cwd ?? null;
    places.set(id, { cwd, projectId: listed?.get(id)?.projectId ?? null });
  }
  return places;
}

/** One row for each day, folder, project, model and provider; newest day first, within it the most expensive first. */
function joined(entries: readonly SpendingEntry[], places: ReadonlyMap<string, Place>): UsageBreakdownRow[] {
  const rows = new Map<string, UsageBreakdownRow>();
  for (const { day, threadId, model, provider, tokens, money } of entries) {
    const { cwd, projectId } = places.get(threadId) ?? { cwd: null, projectId: null };
    const key = JSON.stringify([day, cwd, projectId, model, provider]);
    const row = rows.get(key);
    rows.set(key, {
      ...{ day, cwd, projectId, model, provider: provider ?? null },
      threads: (row?.threads ?? 0) + 1,
      inputTokens: (row?.inputTokens ?? 0) + tokens.input,
      cachedInputTokens: (row?.cachedInputTokens ?? 0) + tokens.cached,
      outputTokens: (row?.outputTokens ?? 0) + tokens.output,
      totalTokens: (row?.totalTokens ?? 0) + tokens.total,
      money: money === undefined || row?.money === null ? null : (row?.money ?? 0) + money,
    });
  }
  return [...rows.values()].sort((a, b) =>
    a.day === b.day ? (b.money ?? 0) - (a.money ?? 0) || b.totalTokens - a.totalTokens : a.day < b.day ? 1 : -1,
  );
}
