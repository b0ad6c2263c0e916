/** The changes of the working tree, staged and not, or of the branch: from git, with what git can do with them. */
import { type ReactElement, useMemo } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { GitDiff, GitFile } from "../../connection/connection.ts";
import { type DiffAction, type DiffActions, DiffCount, type DiffProps, DiffView } from "../../parts/diff/diff-view.tsx";
import { type FileDiff, mergeFiles, parseDiff } from "../../parts/diff/parse.ts";
import { patchText } from "../../parts/diff/patch.ts";
import { plural, shortPath } from "../../state/format.ts";
import { Empty } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type Read, useGitDiff } from "./use-git.ts";

export interface GitChangesProps {
  readonly sessionId: string;
  readonly cwd: string;
  readonly scope: "tree" | "branch";
  readonly stamp: string;
  readonly comments: DiffProps["comments"];
  /** The name of the branch that the changes are counted from. */
  readonly base: string | null;
  readonly onTaken: (undoId: string, what: string) => void;
  readonly onChanged: () => void;
}

type Part = "staged" | "unstaged" | "branch";

export function GitChanges(props: GitChangesProps): ReactElement {
  return props.scope === "branch" ? <BranchChanges {...props} /> : <TreeChanges {...props} />;
}

function TreeChanges(props: GitChangesProps): ReactElement {
  const { connection } = useApp().controller;
  const staged = useGitDiff(connection, props.sessionId, "staged", props.stamp);
  const unstaged = useGitDiff(connection, props.sessionId, "unstaged", props.stamp);
  const isClean = staged.value?.files.length === 0 && unstaged.value?.files.length === 0;
  if (isClean)
    return (
      <Empty icon="check" title="Nothing to commit">
        <p>The files are as the last commit has them.</p>
      </Empty>
    );
  return (
    <>
      {staged.value?.files.length === 0 ? null : <Group title="Staged" part="staged" read={staged} {...props} />}
      {unstaged.value?.files.length === 0 ? null : <Group title="Not staged" part="unstaged" read={unstaged} {...props} />}
    </>
  );
}

function BranchChanges(props: GitChangesProps): ReactElement {
  const { connection } = useApp().controller;
  const read = useGitDiff(connection, props.sessionId, "branch", props.stamp);
  if (read.value?.files.length === 0)
    return (
      <Empty icon="branch" title="Nothing on this branch yet">
        <p>Commits and changes since it left {props.base ?? "the default branch"} show up here.</p>
      </Empty>
    );
  return <Group title={props.base === null ? "All changes" : `Since ${props.base}`} part="branch" read={read} {...props} />;
}

function Group({ title, part, read, ...props }: GitChangesProps & { title: string; part: Part; read: Read<GitDiff> }): ReactElement {
  const { settings } = useApp();
  const diff = read.value;
  const files = useMemo(() => (diff === undefined ? undefined : filesOf(diff, props.cwd)), [diff, props.cwd]);
  const actions = useActions(part, diff, files, props);
  if (read.problem !== undefined)
    return (
      <Empty icon="warning" title="The changes could not be read">
        <p>{read.problem}</p>
      </Empty>
    );
  if (diff === undefined || files === undefined)
    return (
      <div className="diff-loading" role="status">
        <span className="visually-hidden">Reading the changes…</span>
      </div>
    );
  const sum = (key: "added" | "removed"): number => diff.files.reduce((n, file) => n + file[key], 0);
  return (
    <section className="git-group" aria-label={title}>
      <h3 className="git-group-head">
        {title} <span className="panel-count">{plural(diff.files.length, "file")}</span>{" "}
        <DiffCount added={sum("added")} removed={sum("removed")} />
      </h3>
      {diff.truncated ? (
        <p className="diff-hint">
          <Icon name="info" size={14} /> There is more than can be shown; what was left out is named.
        </p>
      ) : null}
      <DiffView
        files={[...files.keys()]}
        view={settings.diffView}
        shorten={(p) => shortPath(p, props.cwd)}
        actions={actions}
        among={title.toLowerCase()}
        {...(props.comments === undefined ? {} : { comments: props.comments })}
      />
    </section>
  );
}

/** Each file of the list with its lines, named as the agent names files: relative to the session's folder. */
function filesOf({ diff, files, root }: GitDiff, cwd: string): ReadonlyMap<FileDiff, GitFile> {
  const parsed = new Map(mergeFiles(parseDiff(diff)).map((file) => [file.path, file]));
  const whole = (name: string): string => (root === cwd ? name : `${root}/${name}`);
  return new Map(
    files.map((file) => {
      const known = parsed.get(file.path);
      const change = file.change === "type" ? "update" : file.change;
      const shown: FileDiff = {
        ...{ path: whole(file.path), oldPath: file.oldPath === null ? null : whole(file.oldPath), change, binary: file.binary },
        ...{ hunks: known?.hunks ?? [], added: file.added, removed: file.removed },
        ...(noteOf(file) === undefined ? {} : { note: noteOf(file) ?? "" }),
      };
      return [shown, file];
    }),
  );
}

function noteOf(file: GitFile): string | undefined {
  if (file.omitted) return "Too large to be shown.";
  if (file.submodule) return "A submodule that is at another commit.";
  if (file.fixed !== null) return file.fixed;
  return file.added + file.removed === 0 && file.change === "update" ? "Only its mode has changed." : undefined;
}

/** Nothing for a device that may only look. */
function useActions(
  part: Part,
  diff: GitDiff | undefined,
  files: ReadonlyMap<FileDiff, GitFile> | undefined,
  props: GitChangesProps,
): DiffActions | undefined {
  const { controller, scope } = useApp();
  const { git } = controller.connection;
  const { sessionId, onTaken, onChanged } = props;
  return useMemo(() => {
    if (git === undefined || diff === undefined || files === undefined || !allows(scope, "drive")) return undefined;
    const stage = (file: GitFile, hunk?: number): DiffAction => ({
      label: part === "staged" ? "Unstage" : "Stage",
      icon: part === "staged" ? "minus" : "plus",
      run: () =>
        void controller
          .try(
            git.stage(sessionId, {
              ...{ scope: part === "staged" ? "staged" : "unstaged", path: file.path, id: file.id },
              ...(hunk === undefined ? {} : { hunk }),
            }),
          )
          .then(onChanged),
    });
    const revert = (file: GitFile, hunk?: number): DiffAction => ({
      label: "Revert",
      icon: "undo",
      run: () => {
        const patch = hunk === undefined ? undefined : patchText(diff.diff, file.path, hunk);
        const work =
          patch === undefined
            ? git.revertFile(sessionId, { scope: part === "branch" ? "branch" : "unstaged", path: file.path, id: file.id })
            : git.revertPatch(sessionId, patch, "repository");
        void controller.try(work).then((undoId) => {
          if (undoId !== undefined) onTaken(undoId, hunk === undefined ? file.path : `Part ${hunk + 1} of ${file.path}`);
          onChanged();
        });
      },
    });
    const of = (shown: FileDiff, hunk?: number): readonly DiffAction[] => {
      const file = files.get(shown);
      if (file === undefined || file.fixed !== null || (hunk !== undefined && file.change === "type")) return [];
      const canRevert = part !== "staged" && !file.submodule;
      return [...(part === "branch" ? [] : [stage(file, hunk)]), ...(canRevert ? [revert(file, hunk)] : [])];
    };
    return { file: (file) => of(file), hunk: (file, number) => of(file, number) };
  }, [git, diff, files, scope, part, sessionId]);
}
