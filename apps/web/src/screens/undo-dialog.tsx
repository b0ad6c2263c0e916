/** Goes back to before a turn: in the conversation, in files or in both, with what is in the way named before anything is done. */
import { type ReactElement, useEffect, useState } from "react";
import { useApp } from "../app-context.tsx";
import { Refused, type RollbackCheck } from "../connection/connection.ts";
import { spelledLine } from "../parts/requests/spelled.ts";
import { plural, shortPath } from "../state/format.ts";
import type { FilesOnRollback } from "../state/model.ts";
import { Button, focusIt } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Dialog } from "../ui/overlays.tsx";

export type UndoWhat = "both" | "conversation" | "files";

interface UndoProps {
  readonly sessionId: string;
  readonly cwd: string;
  readonly turns: number;
  readonly onClose: () => void;
  /** Rejects with Refused if it is not possible. */
  readonly onConfirm: (what: UndoWhat, files: FilesOnRollback) => Promise<unknown>;
}

const labels: Readonly<Record<UndoWhat, readonly [string, string]>> = {
  both: ["Conversation and files", "As if it had not been said or done."],
  conversation: ["Only the conversation", "Files stay as they are now."],
  files: ["Only files", "What was said stays, and the agent still knows about it."],
};

export function UndoDialog({ sessionId, cwd, turns, onClose, onConfirm }: UndoProps): ReactElement {
  const { controller } = useApp();
  const { connection } = controller;
  const [what, setWhat] = useState<UndoWhat>("conversation");
  const [check, setCheck] = useState<RollbackCheck>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let isWanted = true;
    connection.checkRollback?.(sessionId, turns).then(
      (found) => {
        if (!isWanted) return;
        setCheck(found);
        if (found.files.length > 0 && found.conflicts.length === 0) setWhat("both");
      },
      // An engine that cannot tell before finds conflicts when it tries.
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [connection, sessionId, turns]);
  const conflicts = what === "conversation" ? [] : (check?.conflicts ?? []);
  const isForced = conflicts.length > 0 || problem !== undefined;
  const offered: readonly UndoWhat[] = ["both", "conversation", ...(connection.restoreFiles === undefined ? [] : (["files"] as const))];
  const isUseless = what === "files" && check?.files.length === 0;
  const goBack = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm(what, what === "conversation" ? "keep" : isForced ? "force" : "restore");
      onClose();
    } catch (error) {
      if (error instanceof Refused && error.code === "files_changed") return setProblem(error.message);
      onClose();
      controller.report(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Go back to before this?" onClose={onClose}>
      <fieldset className="field">
        <legend>{turns === 1 ? "Take back the last turn" : `Take back the last ${turns} turns`}</legend>
        <div className="options">
          {offered.map((one) => (
            <label key={one} className="option-card">
              <input
                type="radio"
                name="undo"
                checked={what === one}
                onChange={() => {
                  setWhat(one);
                  setProblem(undefined);
                }}
              />
              <span className="option-label">
                {labels[one][0]} <span className="hint">{labels[one][1]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {check === undefined || what === "conversation" ? null : <Files check={check} cwd={cwd} />}
      <div role="status">
        {conflicts.length > 0 ? (
          <div className="problem undo-conflicts">
            <p>Changed by somebody else since, and lost if they are put back:</p>
            <ul>
              {conflicts.slice(0, 20).map((c) => (
                <li key={c.path}>
                  <span className="mono">{spelledLine(shortPath(c.path, cwd))}</span>: {c.reason}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
        {problem === undefined ? null : <p className="problem">{spelledLine(problem)}</p>}
      </div>
      {what === "files" ? null : <p className="hint">Your message comes back into the composer, to edit and send again.</p>}
      <div className="row-end">
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button ref={focusIt} tone="danger" busy={busy} disabled={busy || isUseless} onClick={() => void goBack()}>
          {isForced ? "Put them back all the same" : "Go back"}
        </Button>
      </div>
    </Dialog>
  );
}

const maxNamed = 8;

function Files({ check: { files }, cwd }: { check: RollbackCheck; cwd: string }): ReactElement {
  if (files.length === 0) return <p className="hint">These turns changed no files that are kept.</p>;
  return (
    <div className="undo-files">
      <p>{plural(files.length, "file")}:</p>
      <ul>
        {files.slice(0, maxNamed).map(({ path, becomes }) => (
          <li key={path}>
            <Icon name={becomes === "deleted" ? "trash" : "undo"} size={13} />{" "}
            <span className="mono">{spelledLine(shortPath(path, cwd))}</span>{" "}
            <span className="hint">{becomes === "deleted" ? "is deleted again" : "is put back"}</span>
          </li>
        ))}
      </ul>
      {files.length > maxNamed ? <p className="hint">and {files.length - maxNamed} more</p> : null}
    </div>
  );
}
