/** Beside the conversation: what was changed, the plan, and the session's figures. */
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { RateLimits } from "../connection/connection.ts";
import { commentsMessage, type LineComment } from "../parts/diff/comments.ts";
import { DiffCount, DiffView } from "../parts/diff/diff-view.tsx";
import { diffOfChange, type FileDiff, mergeFiles, parseDiff } from "../parts/diff/parse.ts";
import { PlanList } from "../parts/plan.tsx";
import type { SessionSummary, ThreadView, TurnView } from "../state/model.ts";
import { plural, shortPath } from "../state/words.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { UsageTable } from "./meter.tsx";

export type PanelTab = "changes" | "plan" | "details";
const tabs: readonly (readonly [PanelTab, string])[] = [
  ["changes", "Changes"],
  ["plan", "Plan"],
  ["details", "Details"],
];

export interface PanelProps {
  readonly tab: PanelTab;
  readonly onTab: (tab: PanelTab) => void;
  readonly onClose: () => void;
  readonly thread: ThreadView;
  readonly session: SessionSummary | undefined;
  readonly comments: readonly LineComment[];
  readonly onComments: (comments: readonly LineComment[]) => void;
}

export function SidePanel(props: PanelProps): ReactElement {
  const { tab, onTab, onClose, thread, session } = props;
  return (
    <aside className="panel" aria-label="Session details">
      <header className="panel-head">
        <div className="tabs" role="tablist" aria-label="Panel">
          {tabs.map(([id, label], i) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={tab === id}
              aria-controls="panel-body"
              tabIndex={tab === id ? 0 : -1}
              onClick={() => onTab(id)}
              onKeyDown={(e) => {
                const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
                const next = tabs[(i + by + tabs.length) % tabs.length];
                if (by === 0 || next === undefined) return;
                onTab(next[0]);
                document.getElementById(`tab-${next[0]}`)?.focus();
              }}
            >
              {label}
            </button>
          ))}
        </div>
        <IconButton icon="close" label="Close the panel" onClick={onClose} />
      </header>
      <div className="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "changes" ? (
          <Changes {...props} />
        ) : tab === "plan" ? (
          <Plan thread={thread} />
        ) : (
          <Details thread={thread} session={session} />
        )}
      </div>
    </aside>
  );
}

function filesOfTurn(turn: TurnView): readonly FileDiff[] {
  if (turn.diff !== null && turn.diff !== "") return parseDiff(turn.diff);
  return mergeFiles(turn.items.flatMap((i) => (i.type === "fileChange" && i.status === "completed" ? i.changes.map(diffOfChange) : [])));
}

function Changes({ thread, session, comments, onComments }: PanelProps): ReactElement {
  const { controller, settings, change, scope } = useApp();
  const [wide, setWide] = useState<"turn" | "session">("turn");
  const cwd = session?.cwd ?? "";
  const perTurn = useMemo(() => thread.turns.map(filesOfTurn), [thread.turns]);
  const last = perTurn.findLast((files) => files.length > 0) ?? [];
  const files = useMemo(() => (wide === "turn" ? last : mergeFiles(perTurn.flat())), [wide, last, perTurn]);
  const added = files.reduce((n, f) => n + f.added, 0);
  const removed = files.reduce((n, f) => n + f.removed, 0);
  const send = (): void => {
    if (session === undefined) return;
    controller.send(session.sessionId, [{ type: "text", text: commentsMessage(comments) }], { delivery: "auto", overrides: {} });
    onComments([]);
  };
  return (
    <>
      <div className="panel-bar">
        <fieldset className="segmented" aria-label="Scope">
          {(["turn", "session"] as const).map((scopeName) => (
            <button key={scopeName} type="button" aria-pressed={wide === scopeName} onClick={() => setWide(scopeName)}>
              {scopeName === "turn" ? "Last turn" : "Session"}
            </button>
          ))}
        </fieldset>
        <span className="panel-count">
          {plural(files.length, "file")} <DiffCount added={added} removed={removed} />
        </span>
        <span className="spacer" />
        <IconButton
          icon={settings.diffView === "unified" ? "columns" : "rows"}
          label={settings.diffView === "unified" ? "Side by side" : "Unified"}
          onClick={() => change({ diffView: settings.diffView === "unified" ? "split" : "unified" })}
        />
      </div>
      {files.length === 0 ? (
        <Empty icon="diff" title="No changes yet">
          <p>What the agent changes in files shows up here.</p>
        </Empty>
      ) : (
        <DiffView
          files={files}
          view={settings.diffView}
          shorten={(p) => shortPath(p, cwd)}
          {...(allows(scope, "drive")
            ? {
                comments: {
                  list: comments,
                  add: (c: Omit<LineComment, "id">) => onComments([...comments, { ...c, id: crypto.randomUUID() }]),
                  remove: (id: string) => onComments(comments.filter((c) => c.id !== id)),
                },
              }
            : {})}
        />
      )}
      {comments.length === 0 ? null : (
        <div className="panel-send">
          <span>{plural(comments.length, "comment")}</span>
          <span className="spacer" />
          <Button tone="quiet" size="small" onClick={() => onComments([])}>
            Discard
          </Button>
          <Button tone="primary" size="small" icon="send" onClick={send}>
            Send as one message
          </Button>
        </div>
      )}
    </>
  );
}

function Plan({ thread }: { thread: ThreadView }): ReactElement {
  const plan = thread.turns.findLast((t) => t.plan !== null)?.plan;
  return plan == null ? (
    <Empty icon="plan" title="No plan yet">
      <p>For larger tasks the agent keeps a list of steps here.</p>
    </Empty>
  ) : (
    <PlanList plan={plan} />
  );
}

function Details({ thread, session }: { thread: ThreadView; session: SessionSummary | undefined }): ReactElement {
  const { controller } = useApp();
  const [limits, setLimits] = useState<RateLimits>();
  useEffect(() => {
    controller.connection.rateLimits().then(setLimits, () => {});
  }, [controller]);
  return (
    <div className="details">
      {thread.tokenUsage === null ? <p className="hint">No tokens used yet.</p> : <UsageTable usage={thread.tokenUsage} />}
      {limits === undefined ? null : <Limits limits={limits} />}
      {session === undefined ? null : (
        <dl className="facts">
          {(
            [
              ["Id", session.sessionId],
              ["Folder", session.cwd],
              ["Model", session.model ?? "default"],
              ["Provider", session.modelProvider],
              ["Started", new Date(session.createdAt * 1000).toLocaleString()],
              ["From", session.source],
            ] as const
          ).map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className={label === "Id" || label === "Folder" ? "mono" : undefined}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

export function Limits({ limits }: { limits: RateLimits }): ReactElement | null {
  const windows = [limits.primary, limits.secondary].filter((w) => w != null);
  if (windows.length === 0) return null;
  return (
    <div className="limits">
      {windows.map((w, i) => (
        <div key={i}>
          <span>
            {windowName(w.windowDurationMins ?? null)}: {w.usedPercent} % used
          </span>
          <meter min={0} max={100} high={85} value={w.usedPercent} aria-label={windowName(w.windowDurationMins ?? null)} />
          {w.resetsAt == null ? null : <span className="hint">resets {new Date(w.resetsAt * 1000).toLocaleString()}</span>}
        </div>
      ))}
    </div>
  );
}

const windowName = (minutes: number | null): string =>
  minutes === null ? "Limit" : minutes >= 1440 ? `${Math.round(minutes / 1440)}-day limit` : `${Math.round(minutes / 60)}-hour limit`;
