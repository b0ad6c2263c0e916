/** The error for an answer that no connection can carry, for clients that ask for all of a very long thread at once. */
import { invalidRequest, type RpcError } from "../protocol/errors.ts";
import { maxAnswerBytes } from "../rpc/peer.ts";

/** How to ask for less, for each method whose answers grow with a thread. */
export const smaller: Readonly<Record<string, string>> = {
  "thread/resume": "set excludeTurns, and read the turns page by page with thread/turns/list or initialTurnsPage",
  "thread/fork": "set excludeTurns, and read the turns page by page with thread/turns/list",
  "thread/read": "leave out includeTurns, and read the turns page by page with thread/turns/list",
  "thread/turns/list": "set a smaller limit, or another itemsView than full",
};

export const tooLarge = (method: string): RpcError =>
  invalidRequest(
    `the answer to ${method} has more than ${maxAnswerBytes / 2 ** 20} MiB and was not sent: ${smaller[method] ?? "ask for less of it"}`,
  );
