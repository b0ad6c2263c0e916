/** The dialogs of the page itself. */
import { type ReactElement, useState } from "react";
import type { ReviewTarget } from "../connection/connection.ts";
import { Button, focusIt } from "../ui/controls.tsx";
import { Dialog } from "../ui/overlays.tsx";
import { FolderInput } from "./folder-input.tsx";

export function NameDialog({
  title,
  label,
  initial,
  max,
  folder,
  onClose,
  onSave,
}: {
  title: string;
  label: string;
  initial: string;
  max: number;
  folder?: string;
  onClose: () => void;
  onSave: (name: string, folder: string) => void;
}): ReactElement {
  const [name, setName] = useState(initial);
  const [path, setPath] = useState(folder ?? "");
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          onClose();
          if (name.trim() !== "" && (name.trim() !== initial || folder !== undefined)) onSave(name.trim(), path.trim());
        }}
      >
        <label className="field">
          <span>{label}</span>
          <input
            ref={focusIt}
            type="text"
            maxLength={max}
            value={name}
            onChange={(e) => setName(e.target.value)}
            onFocus={(e) => e.target.select()}
          />
        </label>
        {folder === undefined ? null : (
          <div className="field">
            <span aria-hidden="true">
              Folder <span className="hint">(optional)</span>
            </span>
            <FolderInput label="Folder (optional)" value={path} onChange={setPath} />
          </div>
        )}
        <div className="row-end">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ConfirmDelete({
  title,
  what = "session",
  onClose,
  onConfirm,
}: {
  title: string;
  what?: string;
  onClose: () => void;
  onConfirm: () => void;
}): ReactElement {
  const [text, setText] = useState("");
  const ready = what !== "session" || text.trim().toLowerCase() === "delete";
  return (
    <Dialog title={`Delete this ${what}?`} onClose={onClose}>
      <p>
        <strong>{title}</strong>{" "}
        {what === "session"
          ? "and everything said in it is removed for good. Files it changed stay as they are."
          : "is removed from the list."}
      </p>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (!ready) return;
          onClose();
          onConfirm();
        }}
      >
        {what === "session" ? (
          <label className="field">
            <span>
              Type <strong>delete</strong> to confirm
            </span>
            <input ref={focusIt} type="text" value={text} onChange={(e) => setText(e.target.value)} autoComplete="off" />
          </label>
        ) : null}
        <div className="row-end">
          <Button tone="quiet" onClick={onClose}>
            Keep it
          </Button>
          <Button ref={what === "session" ? null : focusIt} type="submit" tone="danger" disabled={!ready}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ReviewDialog({ onClose, onStart }: { onClose: () => void; onStart: (target: ReviewTarget) => void }): ReactElement {
  const [kind, setKind] = useState<ReviewTarget["targetType"]>("uncommittedChanges");
  const [text, setText] = useState("");
  const needs = { uncommittedChanges: null, baseBranch: "Branch to compare with", commit: "Commit", custom: "What to look at" }[kind];
  const target = (): ReviewTarget =>
    kind === "baseBranch"
      ? { targetType: kind, branch: text.trim() }
      : kind === "commit"
        ? { targetType: kind, sha: text.trim() }
        : kind === "custom"
          ? { targetType: kind, instructions: text }
          : { targetType: kind };
  const options = [
    ["uncommittedChanges", "Uncommitted changes"],
    ["baseBranch", "Changes against a branch"],
    ["commit", "One commit"],
    ["custom", "Something else"],
  ] as const;
  return (
    <Dialog title="Review" onClose={onClose}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          onClose();
          onStart(target());
        }}
      >
        <fieldset className="field">
          <legend>What should be reviewed?</legend>
          <div className="options">
            {options.map(([value, label]) => (
              <label key={value} className="option-card">
                <input type="radio" name="target" checked={kind === value} onChange={() => setKind(value)} />
                <span className="option-label">{label}</span>
              </label>
            ))}
          </div>
        </fieldset>
        {needs === null ? null : (
          <label className="field">
            <span>{needs}</span>
            <input type="text" value={text} onChange={(e) => setText(e.target.value)} />
          </label>
        )}
        <div className="row-end">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" disabled={needs !== null && text.trim() === ""}>
            Start review
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
