/** The conversation: turns as articles in a virtual list that stays at the end while it grows and keeps its place while someone reads. */
import {
  memo,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { VList, type VListHandle } from "virtua";
import { clock, duration } from "../../state/format.ts";
import type { Decision, ThreadView, TurnView } from "../../state/model.ts";
import { Button } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { DecisionLine } from "../requests/decision-line.tsx";
import { Item, Note } from "./items.tsx";
import { placeDecisions, type Segment, type Step, segmentsOf, summarize } from "./rows.ts";

export interface TranscriptHandle {
  toLatest(): void;
  /** Scrolls to an item of a loaded turn and marks it for a moment; without an item, to the turn. */
  toItem(turnId: string, itemId: string | null): void;
}

export interface TranscriptProps {
  readonly thread: ThreadView;
  /** The decisions made in it, oldest first. */
  readonly decisions: readonly Decision[];
  readonly cwd: string;
  readonly foldReasoning: boolean;
  readonly onOlder: () => Promise<void>;
  /** Shown after the last turn: messages being sent, ended requests. */
  readonly footer: ReactNode;
  readonly empty: ReactNode;
  /** Drawn once for each state of its turn: it must not depend on what comes after. */
  readonly turnMenu?: (turn: TurnView) => ReactNode;
  /** Shown with the last turn if it failed or was interrupted. */
  readonly retry?: (turn: TurnView) => ReactNode;
  readonly ref?: Ref<TranscriptHandle>;
}

/** Nearer to the end than this many pixels counts as being at the end. */
const nearEnd = 80;
/** A scroll this soon after a gesture was made by the user; dragging a scrollbar and inertial scrolling take a while. */
const gestureMs = 1500;
const none: readonly Decision[] = [];
const gestures = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

export function Transcript({
  thread,
  decisions,
  cwd,
  foldReasoning,
  onOlder,
  footer,
  empty,
  turnMenu,
  retry,
  ref,
}: TranscriptProps): ReactElement {
  const list = useRef<VListHandle>(null);
  const [atEnd, setAtEnd] = useState(true);
  const stick = useRef(true);
  const [loadingOlder, setLoadingOlder] = useState(false);
  const busy = useRef(false);
  const segments = useMemo(() => thread.turns.flatMap((turn, i) => segmentsOf(turn, i + 1)), [thread.turns]);
  const count = segments.length + 1;
  const byTurn = useMemo(() => Map.groupBy(decisions, (decision) => decision.turnId), [decisions]);

  const toLatest = useHandle(ref, { list, stick, segments, setAtEnd });
  // The content after the last turn grows by itself: a message that waits to be sent shows why.
  const watchFooter = useCallback((footerBox: HTMLDivElement | null) => {
    if (footerBox === null) return;
    const observer = new ResizeObserver(() => {
      if (stick.current) list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
    });
    observer.observe(footerBox);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (stick.current) list.current?.scrollToIndex(count - 1, { align: "end" });
  }, [segments, footer, count]);
  // Rows are measured after they are drawn; the end can move once more.
  useEffect(() => {
    if (!stick.current) return;
    const frame = requestAnimationFrame(() => stick.current && list.current?.scrollToIndex(count - 1, { align: "end" }));
    return () => cancelAnimationFrame(frame);
  }, [segments, footer, count]);

  const older = useCallback(async (): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setLoadingOlder(true);
    try {
      await onOlder();
    } finally {
      busy.current = false;
      setLoadingOlder(false);
    }
  }, [onOlder]);

  // Late row measurements and appearing or disappearing cards move the view too; only a user's gesture stops following the end.
  const gesture = useRef(Number.NEGATIVE_INFINITY);
  const onScroll = (offset: number): void => {
    const handle = list.current;
    if (handle === null) return;
    const end = handle.scrollSize - offset - handle.viewportSize <= nearEnd;
    if (end) stick.current = true;
    else if (performance.now() - gesture.current < gestureMs) stick.current = false;
    setAtEnd(stick.current);
    if (offset < 600 && thread.olderCursor !== null && !stick.current) void older();
  };
  const box = useRef<HTMLDivElement>(null);
  const isShown = thread.turns.length > 0;
  useEffect(() => {
    const element = box.current;
    if (!isShown || element === null) return;
    const noteGesture = (): void => {
      gesture.current = performance.now();
    };
    for (const name of gestures) element.addEventListener(name, noteGesture, { passive: true });
    const observer = new ResizeObserver(() => stick.current && list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      for (const name of gestures) element.removeEventListener(name, noteGesture);
    };
  }, [isShown]);

  if (thread.loaded && thread.turns.length === 0)
    return (
      <div className="transcript transcript-empty">
        {empty}
        <div className="column">{footer}</div>
      </div>
    );
  return (
    <div ref={box} className="transcript">
      <VList
        ref={list}
        className="transcript-list"
        shift={loadingOlder}
        onScroll={onScroll}
        bufferSize={600}
        tabIndex={0}
        aria-label="Conversation"
        role="group"
      >
        {[
          ...segments.map((segment) => (
            <Article
              key={segment.key}
              segment={segment}
              decisions={byTurn.get(segment.turn.id) ?? none}
              cwd={cwd}
              foldReasoning={foldReasoning}
              menu={segment.isFirst ? turnMenu?.(segment.turn) : undefined}
              retry={segment.isLast && segment.number === thread.turns.length ? retry?.(segment.turn) : undefined}
            />
          )),
          <div key="footer" ref={watchFooter} className="column transcript-footer">
            {footer}
          </div>,
        ]}
      </VList>
      {atEnd ? null : (
        <Button className="to-latest" icon="down" size="small" onClick={toLatest}>
          Latest
        </Button>
      )}
    </div>
  );
}

interface Scrolling {
  readonly list: RefObject<VListHandle | null>;
  /** Whether the view follows the end. */
  readonly stick: RefObject<boolean>;
  readonly segments: readonly Segment[];
  readonly setAtEnd: (atEnd: boolean) => void;
}

/** What others may do with the transcript. Returns the way to its end. */
function useHandle(ref: Ref<TranscriptHandle> | undefined, { list, stick, segments, setAtEnd }: Scrolling): () => void {
  const toLatest = useCallback((): void => {
    stick.current = true;
    setAtEnd(true);
    list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
  }, [list, stick, setAtEnd]);
  const toItem = useCallback(
    (turnId: string, itemId: string | null): void => {
      const at = indexOf(segments, turnId, itemId);
      if (at === -1) return;
      stick.current = false;
      setAtEnd(false);
      list.current?.scrollToIndex(at, { align: "start" });
      markOnceDrawn(turnId, itemId);
    },
    [list, stick, segments, setAtEnd],
  );
  useImperativeHandle(ref, () => ({ toLatest, toItem }), [toLatest, toItem]);
  return toLatest;
}

/** The part of a turn that shows an item; its first part if the item is in none. */
function indexOf(segments: readonly Segment[], turnId: string, itemId: string | null): number {
  const shows = ({ turn, steps }: Segment): boolean =>
    turn.id === turnId &&
    steps.some((step) => (step.kind === "item" ? step.item.id === itemId : step.items.some((item) => item.id === itemId)));
  const exact = segments.findIndex(shows);
  return exact === -1 ? segments.findIndex(({ turn }) => turn.id === turnId) : exact;
}

/** Rows are measured after they are drawn, so the place is looked for again until it stands still. */
function markOnceDrawn(turnId: string, itemId: string | null): void {
  let tries = 0;
  const attempt = (): void => {
    const turn = document.querySelector(`[data-turn="${CSS.escape(turnId)}"]`);
    const found = itemId === null ? null : document.querySelector(`[data-item="${CSS.escape(itemId)}"]`)?.firstElementChild;
    const element = found ?? turn;
    if (++tries < 12) setTimeout(attempt, 60);
    if (!(element instanceof HTMLElement)) return;
    element.scrollIntoView({ block: "center" });
    if (element.classList.contains("found-here")) return;
    element.classList.add("found-here");
    setTimeout(() => element.classList.remove("found-here"), 2500);
  };
  attempt();
}

const Article = memo(
  function Article({
    segment,
    decisions,
    cwd,
    foldReasoning,
    menu,
    retry,
  }: {
    segment: Segment;
    decisions: readonly Decision[];
    cwd: string;
    foldReasoning: boolean;
    menu: ReactNode;
    retry: ReactNode;
  }): ReactElement {
    const { turn, isFirst, isLast } = segment;
    const heading = `turn-${segment.key}`;
    const placed = useMemo(() => placeDecisions(segment, decisions), [segment, decisions]);
    return (
      <article className="turn column" aria-labelledby={heading} data-turn={turn.id}>
        <h2 id={heading} className="visually-hidden">
          {isFirst ? `Turn ${segment.number}` : `Turn ${segment.number}, continued`}
        </h2>
        {menu === undefined ? null : <div className="turn-menu">{menu}</div>}
        {segment.steps.map((step, i) => (
          <StepView
            key={step.kind === "group" ? step.id : step.item.id}
            step={step}
            startedAt={turn.startedAt}
            decisions={placed.get(i) ?? none}
            live={turn.status === "inProgress" && isLast && i === segment.steps.length - 1}
            cwd={cwd}
            foldReasoning={foldReasoning}
          />
        ))}
        {isLast ? (placed.get("end") ?? none).map((d) => <DecisionLine key={d.requestId} decision={d} />) : null}
        {isLast ? <TurnEnd turn={turn} retry={retry} /> : null}
      </article>
    );
  },
  (a, b) =>
    a.segment === b.segment &&
    a.decisions === b.decisions &&
    a.cwd === b.cwd &&
    a.foldReasoning === b.foldReasoning &&
    (a.retry === undefined) === (b.retry === undefined),
);

interface StepProps {
  readonly step: Step;
  /** Decisions about this step. */
  readonly decisions: readonly Decision[];
  readonly startedAt: number | null;
  readonly live: boolean;
  readonly cwd: string;
  readonly foldReasoning: boolean;
}

function StepView({ step, decisions, startedAt, live, cwd, foldReasoning }: StepProps): ReactElement {
  const [open, setOpen] = useState(false);
  const lines = decisions.map((d) => <DecisionLine key={d.requestId} decision={d} />);
  if (step.kind === "item")
    return (
      <>
        <div className="item-box" data-item={step.item.id}>
          <Item item={step.item} startedAt={startedAt} live={live} cwd={cwd} foldReasoning={foldReasoning} />
        </div>
        {lines}
      </>
    );
  return (
    <div className="group">
      <button type="button" className="group-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "chevronDown" : "chevronRight"} size={13} />
        <span>{summarize(step.items)}</span>
      </button>
      {open ? (
        <div className="group-body">
          {step.items.map((item) => (
            <Item key={item.id} item={item} startedAt={startedAt} live={false} cwd={cwd} foldReasoning={foldReasoning} />
          ))}
        </div>
      ) : null}
      {lines}
    </div>
  );
}

function TurnEnd({ turn, retry }: { turn: TurnView; retry: ReactNode }): ReactElement | null {
  if (turn.status === "inProgress")
    return turn.retrying === null ? null : (
      <p className="turn-retry">
        <span className="spinner" aria-hidden="true" /> Trying again: {turn.retrying}
      </p>
    );
  if (turn.status === "failed")
    return (
      <div className="turn-error">
        <Icon name="warning" size={16} />
        <div>
          <strong>The turn failed.</strong>
          <p dir="auto">{turn.error?.message ?? "No reason was given."}</p>
          {turn.error?.additionalDetails == null ? null : <p className="hint">{turn.error.additionalDetails}</p>}
          {retry}
        </div>
      </div>
    );
  if (turn.status === "interrupted")
    return (
      <div className="turn-stopped">
        <Note icon="stop">Stopped</Note>
        {retry}
      </div>
    );
  if (turn.durationMs === null) return null;
  const end = turn.startedAt === null ? null : turn.startedAt * 1000 + turn.durationMs;
  return (
    <p className="turn-time">
      {end === null ? null : <time dateTime={new Date(end).toISOString()}>{clock(end)}</time>}
      {turn.durationMs < 1000 ? null : `${end === null ? "" : " · "}${duration(turn.durationMs)}`}
    </p>
  );
}
