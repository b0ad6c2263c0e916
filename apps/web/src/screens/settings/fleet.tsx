/** The fleet that the engine belongs to: its workers, what they hold, and letting one leave. */
import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import { Refused } from "../../connection/connection.ts";
import type { FleetStatus, ToolCalls } from "../../connection/tools.ts";
import { type FleetWorker, inOrder, inShort, stateWords } from "../../state/fleet.ts";
import { Button, Empty, focusIt } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Dialog } from "../../ui/overlays.tsx";
import { useBusy } from "./busy.ts";

const lookEveryMs = 3000;

interface Seen {
  readonly status: FleetStatus | undefined;
  /** When `status` was so. */
  readonly at: number;
  /** Why the last look failed; what was seen before stays. */
  readonly problem: string | undefined;
}

/** Looks again and again while the page is visible, at most once at a time. */
function useFleet(tools: ToolCalls): Seen & { readonly look: () => Promise<void> } {
  const { name } = useApp().controller.connection.offers;
  const [seen, setSeen] = useState<Seen>({ status: undefined, at: 0, problem: undefined });
  const under = useRef<Promise<void>>(undefined);
  const look = useCallback((): Promise<void> => {
    under.current ??= tools
      .fleet()
      .then(
        (status) => setSeen({ status, at: Date.now(), problem: undefined }),
        (error: unknown) => {
          const problem = error instanceof Refused ? error.message : `The ${name} cannot be reached.`;
          setSeen((known) => ({ ...known, problem }));
        },
      )
      .finally(() => {
        under.current = undefined;
      });
    return under.current;
  }, [tools, name]);
  useEffect(() => {
    const lookIfVisible = (): void => void (document.visibilityState === "visible" && look());
    lookIfVisible();
    const timer = setInterval(lookIfVisible, lookEveryMs);
    document.addEventListener("visibilitychange", lookIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", lookIfVisible);
    };
  }, [look]);
  return { ...seen, look };
}

export function FleetTab({ tools }: { tools: ToolCalls }): ReactElement {
  const { scope } = useApp();
  const { status, at, problem, look } = useFleet(tools);
  const [leaving, setLeaving] = useState<string>();
  return (
    <>
      <p>The workers that run this fleet's threads. When one is lost, others go on with its threads.</p>
      {problem === undefined ? null : (
        <div className="load-problem" role="alert">
          <p>
            {problem}
            {status === undefined ? null : ` Below is how it was at ${new Date(at).toLocaleTimeString()}.`}
          </p>
          <Button size="small" onClick={() => void look()}>
            Try again
          </Button>
        </div>
      )}
      {status === undefined ? (
        problem === undefined ? (
          <p className="hint">Loading…</p>
        ) : null
      ) : (
        <>
          <Counts threads={status.threads} />
          <p role="status">{inShort(status.workers)}</p>
          {allows(scope, "admin") ? null : <p className="hint">This device may look, but not drain a worker.</p>}
          {status.workers.length === 0 ? (
            <Empty icon="rows" title="No worker has joined yet">
              <p>
                Start one with <code>parley worker</code>.
              </p>
            </Empty>
          ) : (
            <ul className="server-list" aria-label="Workers">
              {inOrder(status.workers).map((worker) => (
                <WorkerBox key={worker.name} worker={worker} onDrain={() => setLeaving(worker.name)} />
              ))}
            </ul>
          )}
        </>
      )}
      {leaving === undefined ? null : (
        <DrainDialog
          tools={tools}
          name={leaving}
          isLast={status?.workers.every((one) => one.name === leaving || one.state !== "up") === true}
          onClose={() => setLeaving(undefined)}
          // A look that was under way may have seen it as it was before.
          onDone={() => void look().then(look)}
        />
      )}
    </>
  );
}

function Counts({ threads: { live, active, waiting } }: { threads: FleetStatus["threads"] }): ReactElement {
  const rows = [
    ["Live threads", live, "held by a worker"],
    ["Active threads", active, "with a running turn"],
    ["Waiting threads", waiting, "for an answer of a person"],
  ] as const;
  return (
    <section aria-label="Threads">
      <dl className="fleet-counts">
        {rows.map(([label, count, meaning]) => (
          <div key={label}>
            <dt>
              {label} <span className="hint">{meaning}</span>
            </dt>
            <dd>{count.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function WorkerBox({ worker, onDrain }: { worker: FleetWorker; onDrain: () => void }): ReactElement {
  const { scope } = useApp();
  const { name, state, threads, labels } = worker;
  const { label, meaning } = stateWords[state];
  return (
    <li className={`setting-box worker-${state}`} data-worker={name} data-state={state}>
      <div className="row">
        <h3 dir="auto">{name}</h3>
        <span className={`tag ${state === "lost" ? "tag-failed" : state === "up" ? "tag-connected" : ""}`}>
          {state === "lost" ? <Icon name="warning" size={13} /> : null}
          {label}
        </span>
        <span className="spacer" />
        {allows(scope, "admin") ? (
          <Button size="small" disabled={state !== "up"} aria-label={`Drain ${name}`} onClick={onDrain}>
            Drain
          </Button>
        ) : null}
      </div>
      {meaning === "" ? null : <p>{meaning}</p>}
      <p className="worker-facts">
        <span>{threads === 1 ? "1 thread" : `${threads.toLocaleString()} threads`}</span>
        {[...new Set(labels)].map((one) => (
          <span key={one} className="tag" dir="auto">
            {one}
          </span>
        ))}
        {labels.length === 0 ? <span className="hint">no labels</span> : null}
      </p>
    </li>
  );
}

function DrainDialog({
  tools,
  name,
  isLast,
  onClose,
  onDone,
}: {
  tools: ToolCalls;
  name: string;
  isLast: boolean;
  onClose: () => void;
  onDone: () => void;
}): ReactElement {
  const { controller } = useApp();
  const { busy, run } = useBusy();
  return (
    <Dialog title="Drain this worker?" onClose={onClose}>
      <p>
        <strong dir="auto">{name}</strong> takes no new threads, gives its idle and waiting threads up to other workers, lets running turns
        end, and then its program exits. This cannot be taken back: to use the worker again, start it anew.
      </p>
      {isLast ? <p className="drain-last">No other worker is up: threads will wait until one is started.</p> : null}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (busy) return;
          void run(async () => {
            await controller.try(tools.drainWorker(name), `${name} is draining`);
            onClose();
            onDone();
          });
        }}
      >
        <div className="row-end">
          <Button ref={focusIt} tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="danger" busy={busy} disabled={busy}>
            Drain
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
