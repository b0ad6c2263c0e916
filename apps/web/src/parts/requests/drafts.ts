/** Answers that a person has begun stay with their request, whatever is looked at in between. */
import { createContext, useContext, useState } from "react";

export interface AnswerDrafts {
  read(key: string): unknown;
  /** `stored` is what may outlive the page; secrets are left out of it. */
  write(key: string, value: unknown, stored: unknown): void;
}

export const AnswerDraftsContext = createContext<AnswerDrafts | undefined>(undefined);

interface Draft<T> {
  readonly requestId: string;
  /** Which part of the card it is. */
  readonly part: string;
  readonly initial: T;
  readonly fits: (value: unknown) => value is T;
  readonly toStore?: (value: T) => unknown;
}

/** As `useState`, for something that is typed into a card. */
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
