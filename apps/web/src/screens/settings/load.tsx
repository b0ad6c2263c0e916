/** Loads data once for a settings page and shows errors. */
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { Refused } from "../../connection/connection.ts";
import { Button } from "../../ui/controls.tsx";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  /** Resolves once the loaded data is shown. */
  readonly reload: () => Promise<void>;
  readonly set: (value: T) => void;
}

export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const { name } = useApp().controller.connection.offers;
  const [value, setValue] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const reload = useCallback((): Promise<void> => {
    setProblem(undefined);
    return read().then(setValue, (error: unknown) =>
      setProblem(error instanceof Refused ? error.message : `The ${name} cannot be reached.`),
    );
  }, [read, name]);
  useEffect(() => void reload(), [reload]);
  return { value, problem, reload, set: setValue };
}

export function Shown<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ReactNode }): ReactNode {
  if (of.problem !== undefined)
    return (
      <div className="load-problem">
        <p>{of.problem}</p>
        <Button size="small" onClick={of.reload}>
          Try again
        </Button>
      </div>
    );
  return of.value === undefined ? <p className="hint">Loading…</p> : children(of.value);
}
