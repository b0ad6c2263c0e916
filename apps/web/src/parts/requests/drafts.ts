/** Unfinished answers are kept with their request, whatever the user views in between. */
import { createContext, useContext, useState } from "react";

export interface AnswerDrafts {
  read(key: string): unknown;
  /** `stored` is the part that may outlive the page; it contains no secrets. */
  write(key: string, value: unknown, stored: unknown): void;
}

export const AnswerDraftsContext = createContext<AnswerDrafts | undefined>(undefined);

interface Draft<T> {
  readonly requestId: string;
  /** The part of the card it belongs to. */
  readonly part: string;
  readonly initial: T;
  readonly fits: (value: unknown) => value is T;
  readonly toStore?: (value: T) => unknown;
}

/** Like `useState`, for text typed into a card. */
export function useAnswerDraft<T>({ requestId, part, initial, fits, toStore }: Draft<T>): [T, (value: T) => void] {
  const drafts = useContext(AnswerDraftsContext);
  const key = `${requestId}#${part}`;
  const [value, setValue] = useState<T>(() => {
    const kept = drafts?.read(key);
    return fits(kept) ? kept : initial;
  });
  return [
    value,
    (next) => {
      setValue(next);
      drafts?.write(key, next, toStore === undefined ? next : toStore(next));
    },
  ];
}
