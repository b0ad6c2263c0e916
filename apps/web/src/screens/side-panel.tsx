/** The panel beside the conversation: changes, the plan, and the session's figures. */
import { lazy, type ReactElement, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useApp } from "../app-context.tsx";
import type { Connection, RateLimits } from "../connection/connection.ts";
import { PlanList } from "../parts/plan.tsx";
import type { SessionSummary, ThreadView } from "../state/model.ts";
import { Empty, IconButton } from "../ui/controls.tsx";
import { Changes, type ChangesProps } from "./changes.tsx";
import { UsageTable } from "./meter.tsx";
import { type OpenedFile, type PanelTab, tabs } from "./panel-tabs.ts";

const Programs = lazy(() => import("./programs.tsx").then((m) => ({ default: m.Programs })));

const Agents = lazy(() => import("./agents.tsx").then((m) => ({ default: m.Agents })));
const History = lazy(() => import("./history.tsx"));
const Attachments = lazy(() => import("./attachments.tsx"));
const FileView = lazy(() => import("./file-view.tsx"));

export interface PanelProps extends ChangesProps {
  readonly file: OpenedFile | undefined;
  /** Shows a place of the conversation. */
  readonly onJump: (turnId: string, itemId: string | null) => void;
  /** The splitter next to the conversation. */
  readonly grip: ReactElement;
  readonly tab: PanelTab;
  readonly onTab: (tab: PanelTab) => void;
  readonly onClose: () => void;
}

export function SidePanel(props: PanelProps): ReactElement {
  const { tab, onTab, onClose, thread, session, grip, file } = props;
  const shown = tabsFor(useApp().controller.connection, file);
  return (
    <aside className="panel" aria-label="Session details">
      {grip}
      <header className="panel-head">
        <div className="tabs" role="tablist" aria-label="Panel">
          {shown.map(([id, label], i) => (
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
                const next = shown[(i + by + shown.length) % shown.length];
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
        ) : tab === "details" ? (
          <Details thread={thread} session={session} />
        ) : (
          <Suspense fallback={<p className="hint file-loading">Loading…</p>}>
            <OnDemand {...props} />
          </Suspense>
        )}
      </div>
    </aside>
  );
}

/** What the backend can show. */
function tabsFor({ search, tools }: Connection, file: OpenedFile | undefined): readonly (readonly [PanelTab, string])[] {
  const usual = tabs.filter(([id]) => (id !== "history" || search !== undefined) && (id !== "programs" || tools !== undefined));
  return file === undefined ? usual : [...usual, ["file", "File"]];
}

/** Parts of the panel that are loaded when they are used. */
function OnDemand({ tab, session, file, onJump }: PanelProps): ReactElement | null {
  const { tools } = useApp().controller.connection;
  if (session === undefined) return null;
  if (tab === "programs") return tools === undefined ? null : <Programs key={session.sessionId} tools={tools} session={session} />;
  if (tab === "agents") return <Agents session={session} />;
  if (tab === "history") return <History sessionId={session.sessionId} onJump={onJump} />;
  return file === undefined ? null : <FileTab session={session} file={file} />;
}

/** Another file is opened only after unsaved edits of this one are saved or dropped. */
function FileTab({ session, file }: { session: SessionSummary; file: OpenedFile }): ReactElement {
  const { toast } = useApp();
  const [shown, setShown] = useState(file);
  const isDirty = useRef(false);
  const onDirty = useCallback((dirty: boolean) => {
    isDirty.current = dirty;
  }, []);
  useEffect(() => {
    if (!isDirty.current || file.path === shown.path) setShown(file);
    else toast(`Save or drop your edits of ${shown.path} first.`, "problem");
  }, [file]);
  return <FileView key={shown.path} session={session} path={shown.path} line={shown.line} onDirty={onDirty} />;
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
        <Suspense>
          <Attachments key={session.sessionId} sessionId={session.sessionId} />
        </Suspense>
      )}
      {session === undefined ? null : (
        <dl className="facts">
          {(
            [
              ["Id", session.sessionId],
              ["Folder", session.cwd],
              ["Model", session.model ?? "default"],
              ["Provider", session.modelProvider],
              ["Started", new Date(session.createdAt * 1000).toLocaleString()],
              ["From", fromWhere(session.source)],
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
  minutes === null
    ? "Limit"
    : minutes >= 1440
      ? `${Math.round(minutes / 1440)}-day limit`
      : minutes % 60 === 0
        ? `${minutes / 60}-hour limit`
        : `${minutes}-minute limit`;

/** A label for where a session was started. The engine names clients of its protocol after the first editor that used it. */
const fromWhere = (source: string): string => (source === "vscode" || source === "appServer" ? "this page or an editor" : source);
