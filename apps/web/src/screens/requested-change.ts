/** The diff that a file-change request is about, wherever its card is shown. */
import { useEffect, useState } from "react";
import { useApp, useAppState } from "../app-context.tsx";
import type { ItemOf, PendingRequest, ThreadItem } from "../state/model.ts";

/** Taken from the session if it is open, else loaded from its newest turns. Undefined while loading, and for other kinds of requests. */
export function useRequestedChange(request: PendingRequest): ItemOf<"fileChange"> | undefined {
  const { connection } = useApp().controller;
  const { itemId, threadId, kind } = request;
  const thread = useAppState((s) => s.threads.get(threadId));
  const here = kind === "fileChange" && itemId !== null ? findChange(thread?.turns ?? [], itemId) : undefined;
  const [read, setRead] = useState<ItemOf<"fileChange">>();
  const isMissing = kind === "fileChange" && itemId !== null && here === undefined;
  useEffect(() => {
    if (!isMissing || itemId === null) return;
    let isWanted = true;
    connection.turns(threadId, null).then(
      ({ turns }) => isWanted && setRead(findChange(turns, itemId)),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [connection, threadId, itemId, isMissing]);
  return here ?? read;
}

function findChange(turns: readonly { readonly items: readonly ThreadItem[] }[], itemId: string): ItemOf<"fileChange"> | undefined {
  for (const turn of turns.toReversed()) {
    const item = turn.items.find((i) => i.id === itemId);
    if (item?.type === "fileChange") return item;
  }
  return undefined;
}
