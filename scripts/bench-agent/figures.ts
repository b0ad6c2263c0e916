/** The cost of a session's requests: whether each appends to the one before, tokens, and money with the vendors' caches simulated. */
import { createModelCatalog } from "../../src/models/catalog.ts";
import { isRecord, listOf, recordOf } from "../../src/models/json.ts";
import type { Lane, Part, Played } from "./play.ts";

export interface Figures {
  /** Requests of the thirty turns that did not append to the one before. */
  readonly brokenPrefixes: number;
  /** The same over resume, fork and a changed effort. */
  readonly brokenAcross: number;
  /** Percentage of the compaction's request that is the request before it. */
  readonly compactionShare: number;
  /** Tokens of every request before the first message. */
  readonly fixedTokens: number;
  /** Tokens of all tools when a server adds more than sixty. */
  readonly manyToolsTokens: number;
  readonly inputTokens: number;
  /** Tokens actually sent; less than the above where the provider stores the rest. */
  readonly sentTokens: number;
  /** Requests of the thirty turns, except the first, that sent everything again although the provider could have stored it. */
  readonly saidAgain: number;
  /** Requests that were not sent over the websocket of their lane. */
  readonly overHttp: number;
  readonly requests: number;
  readonly requestsOfATurn: number;
  readonly usd: number;
  readonly refused: number;
  readonly failedTurns: number;
}

/** A token is estimated as four characters, as the agent itself does; an image as a thousand tokens. */
const charactersPerToken = 4;
const picture = "x".repeat(4000);

/** The request in the order in which vendors read it, without moving cache markers: one string per piece. */
function pieces(body: Readonly<Record<string, unknown>>): string[] {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : onlyText(inner)))
      .replace(/data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g, picture)
      .replace(/"data":"[A-Za-z0-9+/=]{20,}"/g, `"data":"${picture}"`);
  const messages = listOf(body["messages"]).flatMap((message): unknown[] => {
    const { role, content, ...rest } = recordOf(message);
    return body["system"] !== undefined && Array.isArray(content)
      ? content.map((block) => ({ role, block }))
      : [{ role, content, ...rest }];
  });
  return [
    ...(listOf(body["tools"]).length === 0 ? [] : [plain(body["tools"])]),
    ...[body["instructions"], body["system"]].filter((text) => text !== undefined).map(plain),
    ...[...messages, ...listOf(body["input"])].map(plain),
  ];
}

/** A list of one text equals that text: the chat wire writes a list where it sets a cache marker. */
function onlyText(value: unknown): unknown {
  const [only, ...more] = listOf(value);
  return more.length === 0 && isRecord(only) && only["type"] === "text" && typeof only["text"] === "string" ? only["text"] : value;
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
function common(a: readonly string[], b: readonly string[]): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
const tokens = (characters: number): number => Math.round(characters / charactersPerToken);

export function figuresOf(lane: Lane, { requests, refused, failedTurns, overHttp }: Played): Figures {
  const sent = requests.map((request) => ({ ...request, pieces: pieces(request.body) }));
  const steps = sent.slice(1).map((request, i) => ({ ...request, before: sent[i]?.pieces ?? [] }));
  const broken = (parts: readonly Part[]): number =>
    steps.filter(({ part, pieces: now, before }) => parts.includes(part) && common(before, now) < before.length).length;
  const turns = sent.filter(({ part }) => part === "turns");
  const compaction = steps.findLast(({ part }) => part === "compaction");
  // A fork continues from its origin, not from the request before it.
  const base = compaction === undefined ? [] : (sent.findLast(({ part }) => part === "settings")?.pieces ?? []);
  const first = turns[0]?.pieces ?? [];
  const price = createModelCatalog().price(lane.model, lane.provider) ?? { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
  const cost = turns.map(({ pieces: now }, i) => {
    const read = lengthOf(now.slice(0, common(turns[i - 1]?.pieces ?? [], now)));
    return (tokens(read) * price.cachedInput + tokens(lengthOf(now) - read) * price.cacheWrite) / 1e6;
  });
  const counts = Map.groupBy(sent, ({ turn }) => turn);
  return {
    brokenPrefixes: broken(["turns"]),
    brokenAcross: broken(["resume", "settings", "fork"]),
    compactionShare:
      compaction === undefined
        ? 0
        : Math.floor((100 * lengthOf(base.slice(0, common(base, compaction.pieces)))) / Math.max(1, lengthOf(base))),
    fixedTokens: tokens(lengthOf(first.slice(0, -1))),
    manyToolsTokens: tokens(sent.find(({ part }) => part === "mcp")?.pieces[0]?.length ?? 0),
    inputTokens: tokens(turns.reduce((sum, { pieces: now }) => sum + lengthOf(now), 0)),
    sentTokens: tokens(turns.reduce((sum, { body, frame }) => sum + lengthOf(pieces(frame ?? body)), 0)),
    saidAgain: turns.slice(1).filter(({ frame }) => frame !== undefined && frame["previous_response_id"] === undefined).length,
    overHttp,
    requests: turns.length,
    requestsOfATurn: Math.max(...[...counts.values()].map((list) => list.length)),
    usd: Number(cost.reduce((a, b) => a + b, 0).toFixed(3)),
    refused: refused.length,
    failedTurns,
  };
}
