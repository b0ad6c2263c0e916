/** What the page reads of a session's repository: again after every action of the agent, of a person here, and when the window is looked at again. */
import { useCallback, useEffect, useState } from "react";
import { type Connection, type GitDiff, Refused, type SessionGit } from "../../connection/connection.ts";

export interface Read<T> {
  /** The last one stays while it is read again. */
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

function useRead<T>(key: string, stamp: string, read: (() => Promise<T>) | undefined): Read<T> {
  const [known, setKnown] = useState<{ key: string; value?: T; problem?: string }>();
  useEffect(() => {
    if (read === undefined) return;
    let isWanted = true;
    read().then(
      (value) => isWanted && setKnown({ key, value }),
      (error: unknown) =>
        isWanted && setKnown({ key, problem: error instanceof Refused ? error.message : "The manager cannot be reached." }),
    );
    return () => {
      isWanted = false;
    };
  }, [key, stamp]);
  const fresh = known?.key === key ? known : undefined;
  return { value: fresh?.value, problem: fresh?.problem };
}

/** A number that grows when the window gets the focus again: files may have changed elsewhere. */
export function useFocusCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const onFocus = (): void => setCount((n) => n + 1);
    addEventListener("focus", onFocus);
    return () => removeEventListener("focus", onFocus);
  }, []);
  return count;
}

const checksEveryMs = 60_000;

/** Has the pull request and its checks asked for again when a session is opened, looked at again, and while it is open. The answer is an event. */
export function usePullRequest({ git }: Connection, sessionId: string, isWanted: boolean): void {
  const focused = useFocusCount();
  useEffect(() => {
    if (git === undefined || !isWanted) return;
    const ask = (): void => void git.status(sessionId, true).catch(() => {});
    ask();
    const timer = setInterval(() => document.visibilityState === "visible" && ask(), checksEveryMs);
    return () => clearInterval(timer);
  }, [git, sessionId, isWanted, focused]);
}

/** `stamp` changes when the repository may have changed. Undefined value and problem: no repository can be asked. */
export function useGitStatus(connection: Connection, sessionId: string, stamp: string, refresh = false): Read<SessionGit> {
  const { git } = connection;
  const read = useCallback(() => git?.status(sessionId, refresh) ?? Promise.reject(new Error()), [git, sessionId, refresh]);
  return useRead(`${sessionId} ${refresh}`, stamp, git === undefined ? undefined : read);
}

export function useGitDiff(
  connection: Connection,
  sessionId: string,
  scope: "staged" | "unstaged" | "branch",
  stamp: string,
): Read<GitDiff> {
  const { git } = connection;
  const read = useCallback(() => git?.diff(sessionId, scope) ?? Promise.reject(new Error()), [git, sessionId, scope]);
  return useRead(`${sessionId} ${scope}`, stamp, git === undefined ? undefined : read);
}
