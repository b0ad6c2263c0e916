/** The panel of a session's programs: a terminal in its folder, commands that the agent left running, and previews of local ports. */
import { lazy, type ReactElement, Suspense, useCallback, useEffect, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { ToolCalls } from "../connection/tools.ts";
import type { SessionSummary } from "../state/model.ts";
import { Button } from "../ui/controls.tsx";
import { Shown, useLoaded } from "./settings/load.tsx";

const LiveTerminal = lazy(() => import("../parts/terminal/live-terminal.tsx").then((m) => ({ default: m.LiveTerminal })));

export function Programs({ tools, session }: { tools: ToolCalls; session: SessionSummary }): ReactElement {
  const { scope } = useApp();
  const admin = allows(scope, "admin");
  return (
    <div className="programs">
      {admin ? <TerminalBox tools={tools} session={session} /> : <p className="hint">This device may not open a terminal.</p>}
      <LeftRunning tools={tools} sessionId={session.sessionId} />
      {admin ? <PreviewBox tools={tools} /> : null}
    </div>
  );
}

function TerminalBox({ tools, session }: { tools: ToolCalls; session: SessionSummary }): ReactElement {
  const { toast } = useApp();
  const { sessionId } = session;
  const [terminalId, setTerminalId] = useState<string | null>();
  const [ended, setEnded] = useState<string>();
  const connect = useCallback(
    (size: { cols: number; rows: number }) => tools.openTerminal(sessionId, size, terminalId ?? null),
    [tools, sessionId, terminalId],
  );
  const open = async (): Promise<void> => {
    setEnded(undefined);
    // One that was left open is joined again.
    const running = (await tools.terminals().catch(() => [])).find((one) => one.sessionId === sessionId && one.exitCode === null);
    setTerminalId(running?.terminalId ?? null);
  };
  const receive = (message: unknown): void => {
    if (typeof message !== "object" || message === null || !("type" in message)) return;
    if (message.type === "error" && "message" in message) toast(String(message.message), "problem");
    if (message.type === "exit" && "exitCode" in message) setEnded(`The shell has ended with code ${String(message.exitCode)}.`);
    if (message.type === "skipped") toast("The terminal printed more than this page could take; some of it was skipped.");
  };
  return (
    <section className="programs-part" aria-label="Terminal">
      <div className="row">
        <h3>Terminal</h3>
        <span className="spacer" />
        {terminalId === undefined ? (
          <Button size="small" icon="terminal" onClick={() => void open()}>
            Open a terminal
          </Button>
        ) : (
          <Button size="small" onClick={() => setTerminalId(undefined)}>
            Hide
          </Button>
        )}
      </div>
      <p className="hint">
        A shell of yours in <code>{session.cwd}</code>, outside of the sandbox. Shift+Esc leaves it.
      </p>
      {terminalId === undefined ? null : (
        <Suspense fallback={<p className="hint">Loading…</p>}>
          <LiveTerminal
            label="Terminal screen"
            connect={connect}
            onMessage={receive}
            onClosed={() => setEnded((known) => known ?? "The connection to the terminal is lost. It keeps running: open it again.")}
          />
        </Suspense>
      )}
      {ended === undefined || terminalId === undefined ? null : <p role="status">{ended}</p>}
    </section>
  );
}

const lookEveryMs = 3000;

function LeftRunning({ tools, sessionId }: { tools: ToolCalls; sessionId: string }): ReactElement {
  const { controller, scope } = useApp();
  const running = useLoaded(useCallback(() => tools.backgroundTerminals(sessionId), [tools, sessionId]));
  const { reload } = running;
  useEffect(() => {
    const timer = setInterval(() => void (document.visibilityState === "visible" && reload()), lookEveryMs);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <section className="programs-part" aria-label="Left running">
      <h3>Left running by the agent</h3>
      <Shown of={running}>
        {(list) =>
          list.length === 0 ? (
            <p className="hint">Nothing runs in the background.</p>
          ) : (
            <ul className="server-list">
              {list.map((one) => (
                <li key={one.processId} className="row">
                  <code className="program-command">{one.command}</code>
                  <span className="hint">{one.rssKb == null ? "" : `${Math.round(one.rssKb / 1024)} MB`}</span>
                  <span className="spacer" />
                  {allows(scope, "drive") ? (
                    <Button
                      size="small"
                      tone="danger"
                      aria-label={`Stop ${one.command}`}
                      onClick={() => void controller.try(tools.endBackgroundTerminal(sessionId, one.processId), "Stopped").then(reload)}
                    >
                      Stop
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function PreviewBox({ tools }: { tools: ToolCalls }): ReactElement {
  const { controller } = useApp();
  const previews = useLoaded(useCallback(() => tools.previews(), [tools]));
  const [port, setPort] = useState("");
  const open = async (wanted: number): Promise<void> => {
    const url = await controller.try(tools.openPreview(wanted));
    if (url !== undefined) window.open(url, "_blank", "noopener,noreferrer");
    await previews.reload();
  };
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return (
    <section className="programs-part" aria-label="Preview">
      <h3>Preview a local port</h3>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          if (isPort) void open(Number(port));
        }}
      >
        <label className="field">
          <span className="visually-hidden">Port</span>
          <input type="text" inputMode="numeric" placeholder="3000" value={port} onChange={(e) => setPort(e.target.value.trim())} />
        </label>
        <Button type="submit" icon="external" disabled={!isPort}>
          Open in a new tab
        </Button>
      </form>
      <Shown of={previews}>
        {(list) => (
          <ul className="server-list">
            {list.map((one) => (
              <li key={one.previewId} className="row">
                <span>Port {one.port}</span>
                <span className="hint">{one.address}</span>
                <span className="spacer" />
                <Button size="small" onClick={() => void open(one.port)} aria-label={`Open the preview of port ${one.port}`}>
                  Open
                </Button>
                <Button
                  size="small"
                  tone="danger"
                  aria-label={`Close the preview of port ${one.port}`}
                  onClick={() => void controller.try(tools.closePreview(one.previewId)).then(previews.reload)}
                >
                  Close
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
