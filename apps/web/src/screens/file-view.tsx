/** A file of a session, at a line, with small edits that never overwrite somebody else's change. */
import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { allows, useApp } from "../app-context.tsx";
import { Refused } from "../connection/connection.ts";
import type { OpenFile } from "../connection/more-calls.ts";
import { type ColorLines, colorize, languageOfPath } from "../parts/code/highlight.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { forEditing, forSaving, whyNotEditable } from "../state/file-text.ts";
import { shortPath } from "../state/format.ts";
import type { SessionSummary } from "../state/model.ts";
import { Button, Empty, focusIt } from "../ui/controls.tsx";

export interface FileViewProps {
  readonly session: SessionSummary;
  readonly path: string;
  readonly line: number | null;
  /** Called before unsaved edits would be lost. */
  readonly onDirty: (isDirty: boolean) => void;
}

export default function FileView({ session, path, line, onDirty }: FileViewProps): ReactElement {
  const { controller, scope } = useApp();
  const { fileView } = controller.connection;
  const [file, setFile] = useState<OpenFile>();
  const [problem, setProblem] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const load = useCallback((): void => {
    setProblem(undefined);
    fileView
      ?.read(session.sessionId, path)
      .then(setFile, (error: unknown) => setProblem(error instanceof Refused ? error.message : "The file cannot be read at the moment."));
  }, [fileView, session.sessionId, path]);
  useEffect(load, [load]);
  useEffect(() => onDirty(edited !== undefined && file !== undefined && edited !== forEditing(file.text)), [edited, file, onDirty]);
  if (problem !== undefined)
    return (
      <Empty icon="file" title="This file cannot be shown">
        <p>{problem}</p>
        <Button onClick={load}>Try again</Button>
      </Empty>
    );
  if (file === undefined) return <p className="hint file-loading">Loading…</p>;
  const why = allows(scope, "drive") ? (file.readOnly ?? whyNotEditable(file.text)) : "This device may only look.";
  return (
    <div className="file-view">
      <header className="file-head">
        <span className="mono file-path" title={file.path}>
          {shortPath(file.path, session.cwd)}
        </span>
        <CopyButton text={file.text} label="Copy the file" />
        {edited === undefined ? (
          <Button
            size="small"
            icon="edit"
            aria-disabled={why !== null}
            title={why ?? undefined}
            onClick={() => why === null && setEdited(forEditing(file.text))}
          >
            Edit
          </Button>
        ) : null}
      </header>
      {why === null ? null : <p className="hint file-note">{why}</p>}
      {edited === undefined ? (
        <Lines file={file} line={line} />
      ) : (
        <Editor
          {...{ session, file, edited, line }}
          onEdit={setEdited}
          onSaved={(version) => {
            setFile({ ...file, text: forSaving(edited, file.text), version });
            setEdited(undefined);
          }}
          onReload={(theirs) => {
            setFile(theirs);
            setEdited(undefined);
          }}
          onCancel={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

function Lines({ file, line }: { file: OpenFile; line: number | null }): ReactElement {
  const list = useRef<VListHandle>(null);
  const [colors, setColors] = useState<{ text: string; lines: ColorLines }>();
  const lines = forEditing(file.text).split("\n");
  useEffect(() => {
    const language = languageOfPath(file.path);
    if (language === undefined) return;
    let wanted = true;
    void colorize(forEditing(file.text), language).then((found) => {
      if (wanted && found !== undefined) setColors({ text: file.text, lines: found });
    });
    return () => {
      wanted = false;
    };
  }, [file]);
  useEffect(() => {
    if (line !== null) list.current?.scrollToIndex(Math.max(0, line - 1), { align: "center" });
  }, [line, file.path]);
  const shown = colors?.text === file.text ? colors.lines : undefined;
  return (
    <VList ref={list} className="file-lines mono" tabIndex={0} aria-label={`Content of ${file.path}`} role="group">
      {lines.map((text, i) => (
        <div
          key={i}
          className={`file-line ${i + 1 === line ? "file-line-found" : ""}`}
          aria-current={i + 1 === line ? "location" : undefined}
        >
          <span className="file-number" aria-hidden="true">
            {i + 1}
          </span>
          <code>
            {shown?.[i]?.map((span, at) => (
              <span key={at} style={span.color === null ? undefined : { color: span.color }}>
                {span.text}
              </span>
            )) ?? text}
            {text === "" ? " " : null}
          </code>
        </div>
      ))}
    </VList>
  );
}

interface EditorProps {
  readonly session: SessionSummary;
  readonly file: OpenFile;
  readonly edited: string;
  readonly line: number | null;
  readonly onEdit: (text: string) => void;
  readonly onSaved: (version: string) => void;
  readonly onReload: (theirs: OpenFile) => void;
  readonly onCancel: () => void;
}

function Editor({ session, file, edited, line, onEdit, onSaved, onReload, onCancel }: EditorProps): ReactElement {
  const { controller, toast } = useApp();
  const { fileView } = controller.connection;
  const [busy, setBusy] = useState(false);
  /** Set if somebody has changed the file meanwhile: their version. */
  const [conflict, setConflict] = useState<OpenFile>();
  const save = async (over: OpenFile = file): Promise<void> => {
    if (fileView === undefined || busy) return;
    setBusy(true);
    try {
      onSaved(await fileView.save(session.sessionId, { path: file.path, text: forSaving(edited, file.text), version: over.version }));
      toast("Saved");
    } catch (error) {
      const theirs =
        error instanceof Refused && error.code === "file_changed" ? await fileView.read(session.sessionId, file.path) : undefined;
      if (theirs === undefined) controller.report(error);
      else setConflict(theirs);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <textarea
        ref={(field) => {
          focusIt(field);
          placeAt(field, line);
        }}
        className="file-editor mono"
        aria-label={`Edit ${file.path}`}
        spellCheck={false}
        wrap="off"
        value={edited}
        onChange={(e) => onEdit(e.target.value)}
        onKeyDown={(e) => {
          if (e.key !== "s" || !(e.metaKey || e.ctrlKey)) return;
          e.preventDefault();
          void save();
        }}
      />
      {conflict === undefined ? null : (
        <div className="file-conflict" role="alert">
          <p>
            <strong>Somebody has changed this file meanwhile.</strong> Nothing was saved yet.
          </p>
          <Button size="small" onClick={() => onReload(conflict)}>
            Take theirs, drop mine
          </Button>
          <Button size="small" tone="danger" onClick={() => void save(conflict)}>
            Save mine over it
          </Button>
        </div>
      )}
      <footer className="file-foot">
        <span className="hint">Saved with this session's rights</span>
        <span className="spacer" />
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button tone="primary" busy={busy} disabled={edited === forEditing(file.text)} onClick={() => void save()}>
          Save
        </Button>
      </footer>
    </>
  );
}

/** Puts the cursor at a line, once. */
function placeAt(field: HTMLTextAreaElement | null, line: number | null): void {
  if (field === null || line === null || field.dataset["placed"] !== undefined) return;
  field.dataset["placed"] = "";
  const at =
    field.value
      .split("\n")
      .slice(0, line - 1)
      .join("\n").length + (line > 1 ? 1 : 0);
  field.setSelectionRange(at, at);
  const height = Number.parseFloat(getComputedStyle(field).lineHeight) || 20;
  field.scrollTop = Math.max(0, (line - 5) * height);
}
