/** `parley threads list`, `search` and `usage`: tables that fit the terminal, or JSON. */
import { homedir } from "node:os";
import path from "node:path";
import { doing } from "../../client/doing.ts";
import { grouped } from "../../lib/grouped.ts";
import type { Thread } from "../../protocol/thread.ts";
import type { ThreadSearchResponse } from "../../protocol/thread-list.ts";
import { titleOf } from "../../sessions/export/transcript.ts";
import { oneOf, print, printJson, refuseMore, UsageError } from "../usage.ts";
import { listThreads, ownKinds, threadOf } from "./find.ts";
import { type Column, outputWidth, shortPath, table, timeAgo } from "./table.ts";
import { type Context, numberFrom, type Values } from "./threads.ts";

/** The first characters of an id are its time in milliseconds. Threads of the same millisecond, of agents or forks, are shown with whole ids. */
const shortId = ({ id }: Thread, shown: readonly Thread[]): string => {
  const short = id.slice(0, 13);
  return shown.some((other) => other.id !== id && other.id.startsWith(short)) ? id : short;
};

const columns: readonly Column[] = [
  { title: "ID" },
  { title: "CHANGED" },
  { title: "FOLDER", cut: "middle", least: 10 },
  { title: "THREAD", least: 12 },
];
const row = (thread: Thread, shown: readonly Thread[], text: string): readonly string[] => [
  shortId(thread, shown),
  doing(thread.status) || timeAgo(thread.updatedAt, Date.now()),
  shortPath(thread.cwd, homedir()),
  text,
];

export async function list({ client }: Context, args: readonly string[], values: Values<"list">): Promise<number> {
  refuseMore(args);
  const sort = oneOf("sort", values.sort ?? "updated", ["updated", "created"]);
  const threads = await collect(
    listThreads(
      client,
      {
        sortKey: sort === "updated" ? "updated_at" : "created_at",
        archived: values.archived === true,
        sourceKinds: [...ownKinds],
        ...(values.cwd === undefined ? {} : { cwd: path.resolve(values.cwd) }),
        ...(values.provider === undefined ? {} : { modelProviders: [values.provider] }),
      },
      numberFrom("limit", values.limit, 20),
    ),
  );
  if (values.json === true) return printJson(threads);
  if (threads.length === 0) return print(values.archived === true ? "No archived threads.\n" : "No threads yet.\n");
  const rows = threads.map((thread) => row(thread, threads, titleOf(thread)));
  return print(table(columns, rows, outputWidth()));
}

async function collect(threads: AsyncIterable<Thread>): Promise<readonly Thread[]> {
  const all: Thread[] = [];
  for await (const thread of threads) all.push(thread);
  return all;
}

type Hit = ThreadSearchResponse["data"][number];

export async function search({ client }: Context, args: readonly string[], values: Values<"search">): Promise<number> {
  if (args.length === 0) throw new UsageError("the search text is missing");
  const limit = numberFrom("limit", values.limit, 20);
  const data: Hit[] = [];
  let cursor: string | null = null;
  do {
    const page: ThreadSearchResponse = await client.call("thread/search", {
      searchTerm: args.join(" "),
      limit: limit === 0 ? 100 : limit - data.length,
      archived: values.archived === true,
      sourceKinds: [...ownKinds],
      cursor,
    });
    data.push(...page.data);
    cursor = page.nextCursor ?? null;
  } while (cursor !== null && (limit === 0 || data.length < limit));
  if (values.json === true) return printJson(data);
  if (data.length === 0) return print("Nothing was found.\n");
  const shown = data.map(({ thread }) => thread);
  const rows = data.map(({ thread, snippet }) => row(thread, shown, snippet));
  return print(table([...columns.slice(0, 3), { title: "FOUND", least: 20 }], rows, outputWidth()));
}

const tokens = (n: number | null | undefined): string => grouped(n ?? 0);

export async function usage({ app, client }: Context, args: readonly string[], values: Values<"usage">): Promise<number> {
  const config = app.config.effective(process.cwd());
  if (args.length > 0 || values.last === true) {
    const thread = await threadOf(client, args, values.last === true);
    const { threadUsage } = app.usage.summary(config, thread.id);
    if (values.json === true) return printJson(threadUsage);
    const rows = (threadUsage?.groups ?? []).map((group) => [
      group.model ?? "",
      tokens(group.inputTokens),
      tokens(group.cachedInputTokens),
      tokens(group.outputTokens),
      tokens(group.totalTokens),
    ]);
    if (rows.length === 0) return print(`No tokens were counted in ${thread.id}.\n`);
    const numbers = ["INPUT", "CACHED", "OUTPUT", "TOTAL"].map((title) => ({ title, right: true }));
    return print(table([{ title: "MODEL", least: 8 }, ...numbers], rows, outputWidth()));
  }
  const { summary, dailyUsageBuckets } = app.usage.summary(config);
  if (values.json === true) return printJson({ summary, dailyUsageBuckets });
  const days = (dailyUsageBuckets ?? []).slice(-numberFrom("days", values.days, 14));
  const most = Math.max(1, ...days.map((day) => day.tokens));
  const room = Math.max(5, Math.min(40, outputWidth() - 30));
  const rows = days.map((day) => [day.startDate, tokens(day.tokens), "█".repeat(Math.ceil((day.tokens / most) * room))]);
  print(
    rows.length === 0
      ? "No tokens were counted yet.\n"
      : table([{ title: "DAY" }, { title: "TOKENS", right: true }, { title: "" }], rows, outputWidth()),
  );
  return print(`all time: ${tokens(summary.lifetimeTokens)} tokens, at most ${tokens(summary.peakDailyTokens)} on one day\n`);
}
