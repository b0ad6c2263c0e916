/** File changes, one below the other: collapsible per file, unified or side by side, with comments on any line. */
import { memo, type ReactElement, type ReactNode, useMemo, useState } from "react";
import { Button, focusIt, IconButton } from "../../ui/controls.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import type { ColorSpan } from "../code/highlight.ts";
import { CopyButton } from "../copy-button.tsx";
import { type LineColors, useDiffColors, withMarks } from "./colors.ts";
import type { CommentDraft, LineComment } from "./comments.ts";
import type { DiffLine, FileDiff, Hunk } from "./parse.ts";
import { type Piece, sideBySide, wordMarks } from "./rows.ts";

export interface DiffProps {
  readonly files: readonly FileDiff[];
  readonly view: "unified" | "split";
  /** Without it the diff is read-only. */
  readonly comments?: {
    readonly list: readonly LineComment[];
    readonly add: (comment: Omit<LineComment, "id">) => void;
    /** The comment being written. */
    readonly draft: CommentDraft | undefined;
    readonly onDraft: (draft: CommentDraft | undefined) => void;
    readonly remove: (id: string) => void;
  };
  /** What can be done with a file or one part of it. */
  readonly actions?: DiffActions | undefined;
  /** Files start collapsed if there are many. */
  readonly startOpen?: boolean;
  readonly shorten?: (path: string) => string;
  /** Tells the files of two diffs on one screen apart. */
  readonly among?: string;
}

export interface DiffAction {
  readonly label: string;
  readonly icon: IconName;
  readonly run: () => void;
}
export interface DiffActions {
  file(file: FileDiff): readonly DiffAction[];
  hunk(file: FileDiff, number: number): readonly DiffAction[];
}

/** A file with more changed lines than this starts collapsed: rendering it takes a moment. */
const largeFile = 600;

export function DiffView({ files, view, comments, actions, startOpen, shorten = (p) => p, among }: DiffProps): ReactElement {
  const open = startOpen ?? files.length <= 12;
  return (
    <div className="diff">
      {files.map((file) => (
        <DiffFile
          key={file.path}
          file={file}
          view={view}
          comments={comments}
          actions={actions}
          startOpen={open && file.added + file.removed <= largeFile}
          shorten={shorten}
          among={among}
        />
      ))}
    </div>
  );
}

const changeLabels: Readonly<Record<FileDiff["change"], string>> = { add: "New", delete: "Deleted", update: "Changed", rename: "Moved" };

const DiffFile = memo(function DiffFile({
  file,
  view,
  comments,
  actions,
  startOpen,
  shorten,
  among,
}: {
  file: FileDiff;
  view: DiffProps["view"];
  comments: DiffProps["comments"];
  actions: DiffActions | undefined;
  startOpen: boolean;
  shorten: (path: string) => string;
  among: string | undefined;
}): ReactElement {
  const [open, setOpen] = useState(startOpen);
  const path = shorten(file.path);
  return (
    <section className="diff-file" aria-label={`${changeLabels[file.change]}: ${path}${among === undefined ? "" : `, ${among}`}`}>
      <div className="diff-file-head">
        <button type="button" className="diff-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? "chevronDown" : "chevronRight"} size={14} />
          <span className={`diff-badge diff-badge-${file.change}`}>{changeLabels[file.change]}</span>
          <span className="diff-path" title={file.path}>
            <bdi dir="ltr">{file.oldPath === null ? path : `${shorten(file.oldPath)} → ${path}`}</bdi>
          </span>
        </button>
        <DiffCount added={file.added} removed={file.removed} />
        {actions?.file(file).map(({ label, icon, run }) => (
          <IconButton key={label} icon={icon} size={15} label={`${label} ${path}`} onClick={run} />
        ))}
        <CopyButton text={file.path} label="Copy path" />
      </div>
      {open ? <DiffBody file={file} view={hasOneSide(file) ? "unified" : view} comments={comments} actions={actions} /> : null}
    </section>
  );
});

/** A new or deleted file has no other side to compare. */
const hasOneSide = (file: FileDiff): boolean => file.change === "add" || file.change === "delete";

export function DiffCount({ added, removed }: { added: number; removed: number }): ReactElement {
  return (
    <span className="diff-count">
      <span className="diff-plus">
        +{added}
        <span className="visually-hidden"> lines added</span>
      </span>{" "}
      <span className="diff-minus">
        −{removed}
        <span className="visually-hidden"> lines removed</span>
      </span>
    </span>
  );
}

function DiffBody({
  file,
  view,
  comments,
  actions,
}: {
  file: FileDiff;
  view: DiffProps["view"];
  comments: DiffProps["comments"];
  actions: DiffActions | undefined;
}): ReactElement {
  const colors = useDiffColors(file);
  if (file.binary) return <p className="diff-note">A binary file; its content is not shown.</p>;
  if (file.hunks.length === 0)
    return <p className="diff-note">{file.note ?? (file.change === "rename" ? "Moved without changes." : "No lines to show.")}</p>;
  const place = (line: DiffLine): { line: number; side: "old" | "new" } =>
    line.newLine === null ? { line: line.oldLine ?? 0, side: "old" } : { line: line.newLine, side: "new" };
  const draft = comments?.draft;
  const tools: LineTools | undefined = comments && {
    draft: draft?.text ?? "",
    write: (text) => draft !== undefined && comments.onDraft({ ...draft, text }),
    start: (line) => comments.onDraft({ path: file.path, ...place(line), code: line.text, text: "" }),
    isOpen: (line) =>
      draft?.path === file.path && draft.line === place(line).line && draft.side === place(line).side && draft.code === line.text,
    of: (line) =>
      comments.list.filter(
        (c) => c.path === file.path && c.line === place(line).line && c.side === place(line).side && c.code === line.text,
      ),
    save: (line, text) => {
      comments.add({ path: file.path, ...place(line), code: line.text, text });
      comments.onDraft(undefined);
    },
    cancel: () => comments.onDraft(undefined),
    remove: comments.remove,
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways and must be reachable by keyboard
    <div className="diff-scroll" tabIndex={0}>
      <table className={`diff-table diff-${view}`}>
        <caption className="visually-hidden">Changes of {file.path}</caption>
        {view === "split" ? (
          <colgroup>
            <col className="diff-col-no" />
            <col />
            <col className="diff-col-no" />
            <col />
          </colgroup>
        ) : null}
        {file.hunks.map((hunk, i) => (
          <tbody key={i}>
            {i > 0 || hunk.heading !== "" || actions !== undefined ? (
              <tr className="diff-hunk">
                <td colSpan={view === "split" ? 4 : 3}>
                  <HunkHead heading={hunk.heading} number={i + 1} actions={actions?.hunk(file, i) ?? []} />
                </td>
              </tr>
            ) : null}
            <HunkRows hunk={hunk} view={view} tools={tools} colors={colors} />
          </tbody>
        ))}
      </table>
    </div>
  );
}

function HunkHead({ heading, number, actions }: { heading: string; number: number; actions: readonly DiffAction[] }): ReactElement {
  return (
    <div className="diff-hunk-head">
      <span className="diff-hunk-name">{heading === "" ? "⋯" : heading}</span>
      {actions.map(({ label, icon, run }) => (
        <button key={label} type="button" className="diff-hunk-action" aria-label={`${label} part ${number}`} onClick={run}>
          <Icon name={icon} size={13} /> {label}
        </button>
      ))}
    </div>
  );
}

interface LineTools {
  readonly draft: string;
  write(text: string): void;
  start(line: DiffLine): void;
  isOpen(line: DiffLine): boolean;
  of(line: DiffLine): readonly LineComment[];
  save(line: DiffLine, text: string): void;
  cancel(): void;
  remove(id: string): void;
}

function HunkRows({
  hunk,
  view,
  tools,
  colors,
}: {
  hunk: Hunk;
  view: DiffProps["view"];
  tools: LineTools | undefined;
  colors: LineColors | undefined;
}): ReactElement {
  const marks = useMemo(() => wordMarks(hunk), [hunk]);
  if (view === "split")
    return (
      <>
        {sideBySide(hunk).map(({ left, right }, i) => (
          <Remarked key={i} lines={[left, right]} span={4} tools={tools}>
            <tr>
              <SideCells line={left} side="old" marks={marks} colors={colors} tools={tools} />
              <SideCells line={right} side="new" marks={marks} colors={colors} tools={tools} />
            </tr>
          </Remarked>
        ))}
      </>
    );
  return (
    <>
      {hunk.lines.map((line, i) => (
        <Remarked key={i} lines={[line]} span={3} tools={tools}>
          <tr className={`diff-line diff-line-${line.kind}`}>
            <td className="diff-no">{line.oldLine}</td>
            <td className="diff-no">{line.newLine}</td>
            <LineCell line={line} pieces={marks.get(line)} colors={colors?.get(line)} tools={tools} />
          </tr>
        </Remarked>
      ))}
    </>
  );
}

function SideCells({
  line,
  side,
  marks,
  colors,
  tools,
}: {
  line: DiffLine | null;
  side: "old" | "new";
  marks: ReadonlyMap<DiffLine, readonly Piece[]>;
  colors: LineColors | undefined;
  tools: LineTools | undefined;
}): ReactElement {
  if (line === null)
    return (
      <>
        <td className="diff-no diff-void" />
        <td className="diff-void" />
      </>
    );
  const number = side === "old" ? line.oldLine : line.newLine;
  return (
    <>
      <td className={`diff-no diff-line-${line.kind}`}>{number}</td>
      <LineCell
        line={line}
        pieces={marks.get(line)}
        colors={colors?.get(line)}
        tools={side === "old" && line.kind === "same" ? undefined : tools}
        className={`diff-line-${line.kind}`}
      />
    </>
  );
}

const sign = { add: "+", remove: "−", same: " " } as const;
const spoken = { add: "added: ", remove: "removed: ", same: "" } as const;

function LineCell({
  line,
  pieces,
  colors,
  tools,
  className = "",
}: {
  line: DiffLine;
  pieces: readonly Piece[] | undefined;
  colors: readonly ColorSpan[] | undefined;
  tools: LineTools | undefined;
  className?: string;
}): ReactElement {
  return (
    <td className={`diff-text ${className}`}>
      <span className="diff-sign" aria-hidden="true">
        {sign[line.kind]}
      </span>
      {line.kind === "same" ? null : <span className="visually-hidden">{spoken[line.kind]}</span>}
      <span className="diff-code">
        <LineText text={line.text} pieces={pieces} colors={colors} />
      </span>
      {tools === undefined ? null : (
        <IconButton
          icon="comment"
          size={14}
          label={`Comment on line ${line.newLine ?? line.oldLine}`}
          className="diff-comment-button"
          onClick={() => tools.start(line)}
        />
      )}
    </td>
  );
}

function LineText({
  text,
  pieces,
  colors,
}: {
  text: string;
  pieces: readonly Piece[] | undefined;
  colors: readonly ColorSpan[] | undefined;
}): ReactNode {
  if (colors !== undefined)
    return withMarks(colors, pieces).map((piece, i) => {
      // On a marked background only the default text colour has enough contrast.
      const style =
        piece.color === null || piece.changed ? undefined : { color: piece.color, fontStyle: piece.italic ? "italic" : undefined };
      const Part = piece.changed ? "mark" : "span";
      return (
        <Part key={i} style={style}>
          {piece.text}
        </Part>
      );
    });
  return pieces === undefined ? text : pieces.map((p, i) => (p.changed ? <mark key={i}>{p.text}</mark> : <span key={i}>{p.text}</span>));
}

function Remarked({
  lines,
  span,
  tools,
  children,
}: {
  lines: readonly (DiffLine | null)[];
  span: number;
  tools: LineTools | undefined;
  children: ReactElement;
}): ReactElement {
  if (tools === undefined) return children;
  const real = [...new Set(lines.filter((l) => l !== null))];
  const remarks = real.flatMap((line) => tools.of(line));
  const writing = real.find((line) => tools.isOpen(line));
  return (
    <>
      {children}
      {remarks.map((comment) => (
        <tr key={comment.id} className="diff-remark-row">
          <td colSpan={span}>
            <div className="diff-remark">
              <p dir="auto">{comment.text}</p>
              <IconButton icon="close" size={14} label="Remove comment" onClick={() => tools.remove(comment.id)} />
            </div>
          </td>
        </tr>
      ))}
      {writing === undefined ? null : (
        <tr className="diff-remark-row">
          <td colSpan={span}>
            <CommentForm text={tools.draft} onText={tools.write} onSave={(text) => tools.save(writing, text)} onCancel={tools.cancel} />
          </td>
        </tr>
      )}
    </>
  );
}

function CommentForm({
  text,
  onText,
  onSave,
  onCancel,
}: {
  text: string;
  onText: (text: string) => void;
  onSave: (text: string) => void;
  onCancel: () => void;
}): ReactElement {
  const save = (): void => {
    if (text.trim() !== "") onSave(text.trim());
  };
  return (
    <form
      className="diff-comment-form"
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
    >
      <textarea
        ref={focusIt}
        aria-label="Comment"
        rows={2}
        value={text}
        placeholder="What should be different here?"
        onChange={(e) => onText(e.target.value)}
        dir="auto"
        onKeyDown={(e) => {
          if (e.key === "Escape") onCancel();
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) save();
        }}
      />
      <div className="row-end">
        <Button size="small" tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" tone="primary" type="submit" disabled={text.trim() === ""}>
          Add comment
        </Button>
      </div>
    </form>
  );
}
