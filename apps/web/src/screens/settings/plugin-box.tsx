/** One plugin: its state, what it contains and runs, and whether it is accepted. */
import { type ReactElement, useCallback, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { spelledLine, spelledOut } from "../../parts/requests/spelled.ts";
import {
  broughtAlong,
  isInUse,
  mayInstall,
  mustBeAccepted,
  type PluginDetail,
  type PluginRow,
  pluginState,
  programKind,
  sourceText,
} from "../../state/plugins.ts";
import { Button } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/overlays.tsx";
import { focusOnceDrawn } from "../focus.ts";
import { useBusy } from "./busy.ts";
import { Shown, useLoaded } from "./load.tsx";

interface BoxProps {
  readonly row: PluginRow;
  readonly mayChange: boolean;
  readonly onChange: () => Promise<void>;
}

export function PluginBox({ row, mayChange, onChange }: BoxProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const title = spelledLine(row.title);
  return (
    <li className="setting-box" data-plugin={row.id}>
      <div className="row marketplace-head">
        <h4>{title}</h4>
        <span className={`tag ${isInUse(row) ? "tag-connected" : mustBeAccepted(row) && row.enabled ? "tag-failed" : ""}`}>
          {spelledLine(pluginState(row))}
        </span>
      </div>
      {row.description === "" ? null : <p>{spelledLine(row.description)}</p>}
      <p className="hint">
        <code>{spelledLine(row.id)}</code>
      </p>
      <Programs row={row} />
      <div className="row marketplace-head">
        {mayChange ? <Actions row={row} onChange={onChange} /> : null}
        {row.offer === undefined ? null : (
          <Button
            size="small"
            tone="quiet"
            aria-expanded={isOpen}
            aria-label={`What it brings: ${title}`}
            icon={isOpen ? "chevronUp" : "chevronDown"}
            onClick={() => setOpen(!isOpen)}
          >
            What it brings
          </Button>
        )}
      </div>
      {isOpen ? <Details pluginId={row.id} /> : null}
    </li>
  );
}

/** What it runs, in its current content: what is accepted is what is shown. */
function Programs({ row }: { row: PluginRow }): ReactElement | null {
  const programs = row.trust?.runs ?? [];
  if (programs.length === 0) return null;
  return (
    <ul className="plugin-programs" aria-label="What it runs">
      {programs.map((program, index) => (
        <li key={`${index} ${program.name}`}>
          <p className="hint">
            {programKind(program)} {spelledLine(program.name)}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls and must be reachable by keyboard */}
          <pre className="card-command" tabIndex={0}>
            <code>{spelledOut(program.action)}</code>
          </pre>
        </li>
      ))}
    </ul>
  );
}

function Actions({ row, onChange }: Omit<BoxProps, "mayChange">): ReactElement {
  const { controller } = useApp();
  const { plugins } = controller.connection;
  const { busy, run } = useBusy();
  const [asking, setAsking] = useState<"install" | "uninstall">();
  const title = spelledLine(row.title);
  /** The pressed button may be gone by then. */
  const done = (work: Promise<unknown>, success: string): Promise<void> =>
    run(async () => {
      await controller.try(work, success);
      await onChange();
      focusOnceDrawn(`[data-plugin="${CSS.escape(row.id)}"] button:enabled`);
    });
  const content = row.trust?.content;
  return (
    <>
      {mayInstall(row) ? (
        <Button
          size="small"
          tone="primary"
          busy={busy}
          disabled={busy}
          aria-label={`Install ${title}`}
          onClick={() => setAsking("install")}
        >
          Install
        </Button>
      ) : null}
      {content != null && mustBeAccepted(row) ? (
        <Button
          size="small"
          tone="primary"
          disabled={busy}
          aria-label={`Accept it as it is: ${title}`}
          onClick={() => void done(plugins.accept(row.id, content), "Accepted. It counts from the next turn on.")}
        >
          Accept it as it is
        </Button>
      ) : null}
      {row.installed && !(mustBeAccepted(row) && !row.enabled) ? (
        <Button
          size="small"
          disabled={busy}
          aria-label={`${row.enabled ? "Switch off" : "Switch on"} ${title}`}
          onClick={() => void done(plugins.setEnabled(row.id, !row.enabled), "It counts from the next turn on.")}
        >
          {row.enabled ? "Switch off" : "Switch on"}
        </Button>
      ) : null}
      {row.installed || row.trust !== undefined ? (
        <Button size="small" tone="quiet" disabled={busy} aria-label={`Uninstall ${title}`} onClick={() => setAsking("uninstall")}>
          Uninstall
        </Button>
      ) : null}
      {asking === "install" ? (
        <Dialog title={`Install ${title}?`} onClose={() => setAsking(undefined)}>
          <Details pluginId={row.id} />
          <p>Its MCP servers start with the next turn, with your rights. Its hooks wait until you trust each of them.</p>
          <Choice
            yes="Install"
            onNo={() => setAsking(undefined)}
            onYes={() => {
              setAsking(undefined);
              void done(plugins.install(row.id), `${title} is installed`);
            }}
          />
        </Dialog>
      ) : null}
      {asking === "uninstall" ? (
        <Dialog title={`Uninstall ${title}?`} onClose={() => setAsking(undefined)}>
          <p>Its files and its entry in your settings are removed.</p>
          <Choice
            yes="Uninstall"
            onNo={() => setAsking(undefined)}
            onYes={() => {
              setAsking(undefined);
              void done(plugins.uninstall(row.id), `${title} is uninstalled`);
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

function Choice({ yes, onYes, onNo }: { yes: "Install" | "Uninstall"; onYes: () => void; onNo: () => void }): ReactElement {
  return (
    <div className="row-end">
      <Button tone="quiet" onClick={onNo}>
        Cancel
      </Button>
      <Button tone={yes === "Install" ? "primary" : "danger"} onClick={onYes}>
        {yes}
      </Button>
    </div>
  );
}

function Details({ pluginId }: { pluginId: string }): ReactElement {
  const { plugins } = useApp().controller.connection;
  const detail = useLoaded(useCallback(() => plugins.read(pluginId), [plugins, pluginId]));
  return <Shown of={detail}>{(value) => <Brought detail={value} />}</Shown>;
}

function Brought({ detail }: { detail: PluginDetail }): ReactElement {
  const lines = broughtAlong(detail);
  const { source, localVersion, interface: face } = detail.summary;
  const facts = [
    ...lines.map(({ kind, names }) => [kind, names.map(spelledLine).join(", ")] as const),
    ["From", spelledLine(sourceText(source))] as const,
    ...(localVersion == null ? [] : [["Version", spelledLine(localVersion)] as const]),
    ...(face?.developerName == null ? [] : [["By", spelledLine(face.developerName)] as const]),
  ];
  return (
    <>
      {detail.description == null ? null : <p>{spelledLine(detail.description)}</p>}
      <dl className="plugin-brings">
        {facts.map(([kind, text]) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {lines.length === 0 ? <p className="hint">It brings no skills, MCP servers, hooks or apps that are known yet.</p> : null}
    </>
  );
}
