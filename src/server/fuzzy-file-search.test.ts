import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileIndex, FileSearch, FoundFile } from "../core/ports/file-search.ts";
import { RpcError } from "../protocol/errors.ts";
import type { Call, Session } from "./app.ts";
import { fuzzyFileSearchHandlers } from "./fuzzy-file-search.ts";

const found: FoundFile = { root: "/r", path: "src/a.ts", kind: "file", score: 5, indices: [0, 4] };
const onWire = { root: "/r", path: "src/a.ts", match_type: "file", file_name: "a.ts", score: 5, indices: [0, 4] };

/** A search that responds on demand. */
function place() {
  const opened: string[][] = [];
  const closed: number[] = [];
  const waiting: { query: string; done: (files: readonly FoundFile[]) => void }[] = [];
  const fileSearch: FileSearch = {
    open(roots): FileIndex {
      const id = opened.push([...roots]) - 1;
      return {
        search: (query, _limit, signal) =>
          new Promise((resolve, reject) => {
            waiting.push({ query, done: resolve });
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
        close: () => closed.push(id),
      };
    },
  };
  const sent: [string, unknown][] = [];
  const session = {
    onClose: new Set<() => void>(),
    notify: (method: string, params: unknown) => sent.push([method, params]),
  } as unknown as Session;
  const after: (() => void)[] = [];
  const call = {
    app: { fileSearch, log: { error: assert.fail } },
    session,
    after: (run: () => void) => after.push(run),
  } as unknown as Call;
  const settle = async (): Promise<void> => {
    for (const run of after.splice(0)) run();
    await new Promise(setImmediate);
  };
  return { opened, closed, waiting, sent, session, call, settle };
}

test("one search responds in the wire's form and releases its listing", async () => {
  const p = place();
  const answer = fuzzyFileSearchHandlers.fuzzyFileSearch({ query: "a", roots: ["/r"] }, p.call);
  p.waiting[0]?.done([found]);
  assert.deepEqual(await answer, { files: [onWire] });
  assert.deepEqual([p.opened, p.closed], [[["/r"]], [0]]);
});

test("a newer search with the same token ends the older one with no results", async () => {
  const p = place();
  const older = fuzzyFileSearchHandlers.fuzzyFileSearch({ query: "a", roots: [], cancellationToken: "t" }, p.call);
  const newer = fuzzyFileSearchHandlers.fuzzyFileSearch({ query: "ab", roots: [], cancellationToken: "t" }, p.call);
  assert.deepEqual(await older, { files: [] });
  p.waiting[1]?.done([found]);
  assert.deepEqual(await newer, { files: [onWire] });
});

test("a session answers the empty query at once, so that clients know it is ready", async () => {
  const p = place();
  fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStart"]({ sessionId: "s", roots: ["/r"] }, p.call);
  assert.equal(p.waiting.length, 0, "nothing before the response is out");
  await p.settle();
  p.waiting[0]?.done([]);
  await p.settle();
  assert.deepEqual(p.sent, [
    ["fuzzyFileSearch/sessionUpdated", { sessionId: "s", query: "", files: [] }],
    ["fuzzyFileSearch/sessionCompleted", { sessionId: "s" }],
  ]);
});

test("a session answers its last query, then announces its completion", async () => {
  const p = place();
  fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStart"]({ sessionId: "s", roots: ["/r"] }, p.call);
  assert.deepEqual(fuzzyFileSearchHandlers["fuzzyFileSearch/sessionUpdate"]({ sessionId: "s", query: "a" }, p.call), {});
  assert.equal(p.waiting.length, 0, "nothing before the response is out");
  await p.settle();
  fuzzyFileSearchHandlers["fuzzyFileSearch/sessionUpdate"]({ sessionId: "s", query: "ab" }, p.call);
  await p.settle();
  for (const { done } of p.waiting) done([found]);
  await p.settle();
  assert.deepEqual(p.sent, [
    ["fuzzyFileSearch/sessionUpdated", { sessionId: "s", query: "ab", files: [onWire] }],
    ["fuzzyFileSearch/sessionCompleted", { sessionId: "s" }],
  ]);
});

test("sessions are found by id until stopped or the connection ends", () => {
  const p = place();
  const refused = (work: () => unknown, text: string): void =>
    assert.throws(work, (error: unknown) => error instanceof RpcError && error.message === text);
  refused(
    () => fuzzyFileSearchHandlers["fuzzyFileSearch/sessionUpdate"]({ sessionId: "s", query: "" }, p.call),
    "fuzzy file search session not found: s",
  );
  refused(
    () => fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStart"]({ sessionId: "", roots: [] }, p.call),
    "sessionId must not be empty",
  );
  for (const sessionId of ["s", "s", "t"]) fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStart"]({ sessionId, roots: [] }, p.call);
  assert.deepEqual(p.closed, [0], "the same name again begins anew");
  fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStop"]({ sessionId: "s" }, p.call);
  fuzzyFileSearchHandlers["fuzzyFileSearch/sessionStop"]({ sessionId: "s" }, p.call);
  assert.deepEqual(p.closed, [0, 1]);
  for (const end of p.session.onClose) end();
  assert.deepEqual(p.closed, [0, 1, 2]);
});
