/** The start screen: describe the task, choose where and how, and start a session. */
import { type ReactElement, useEffect, useId, useMemo, useState } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { type Connection, type GitFolder, Refused } from "../connection/connection.ts";
import { folderName, shortPath } from "../state/format.ts";
import { newestFirst } from "../state/list.ts";
import type { MessageOverrides, UserInput } from "../state/model.ts";
import { type PermissionMode, permissionModes } from "../state/modes.ts";
import { Button, focusIt } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Picker } from "../ui/overlays.tsx";
import { Composer } from "./composer/composer.tsx";
import { ControlPickers } from "./composer/controls.tsx";
import { focusOnceDrawn, focusSoon } from "./focus.ts";
import { FolderInput } from "./folder-input.tsx";
import { OverviewGroups, useIsQuiet } from "./overview.tsx";

export function Home({ menuButton }: { menuButton: ReactElement | null }): ReactElement {
  const app = useApp();
  const { controller, go, scope, defaultFolder } = app;
  const projects = useAppState((s) => s.projects);
  const [folder, setFolder] = useState<string>();
  const [typing, setTyping] = useState(false);
  const [mode, setMode] = useState<PermissionMode>(permissionModes[1] as PermissionMode);
  const [model, setModel] = useState<string>();
  const [effort, setEffort] = useState<string>();
  const [isPlanning, setPlanning] = useState(false);
  const [folderProblem, setFolderProblem] = useState<Refused>();
  /** A folder to create when the session starts. */
  const [newFolder, setNewFolder] = useState<string>();
  const [starting, setStarting] = useState(false);
  const recent = useRecentFolders();
  const cwd = folder ?? recent[0] ?? defaultFolder;
  const chosen = model ?? modelToRun(app);
  const tree = useOwnTree(controller.connection, allows(scope, "drive") ? cwd : "");
  const choose = (next: string): void => {
    setFolder(next);
    setFolderProblem(undefined);
  };
  const send = async (input: readonly UserInput[]): Promise<boolean> => {
    setStarting(true);
    setFolderProblem(undefined);
    const overrides: MessageOverrides = {
      approvalPolicy: mode.approvalPolicy,
      filesystemSandbox: mode.filesystemSandbox,
      networkAccess: mode.networkAccess,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(isPlanning ? { mode: "plan" } : {}),
    };
    const project = projects.find((p) => p.workingDirectory === cwd);
    const session = await controller.startSession({
      ...(cwd === "" ? {} : { cwd }),
      ...(project === undefined ? {} : { projectId: project.projectId }),
      ...(newFolder === cwd ? { createFolder: true } : {}),
      ...tree.option,
      ...overrides,
    });
    setStarting(false);
    if (session instanceof Refused) {
      choose(cwd);
      setTyping(true);
      setFolderProblem(session);
    }
    if (session === undefined || session instanceof Refused) {
      // The composer was disabled meanwhile and lost the focus: focus the field that has to be fixed, or the text again.
      focusOnceDrawn(session === undefined ? "#composer:enabled" : ".home-folder input");
      return false;
    }
    controller.send(session.sessionId, input, { delivery: "auto", overrides });
    go({ name: "session", sessionId: session.sessionId, requestId: null });
    // The composer is gone; on a touch screen its keyboard may close too.
    if (!matchMedia("(pointer: coarse)").matches) focusOnceDrawn(".session #composer");
    return true;
  };
  return (
    <div className="page home">
      <header className="page-head page-head-bare">{menuButton}</header>
      <div className="page-scroll">
        <div className="column home-column">
          <h1 className="home-title">What should we work on?</h1>
          <p className="home-sub">Say it in your own words. You see every step, and nothing that matters happens without you.</p>
          <Composer
            draftKey="new"
            cwd={cwd}
            sessionId={null}
            running={false}
            disabled={!allows(scope, "drive") || starting}
            placeholder="Describe a task, paste an error, ask about the code…"
            onSend={(input) => send(input)}
            footer={
              <>
                <Picker
                  label="Folder"
                  icon="folder"
                  value={cwd}
                  prefer="below"
                  shown={cwd === "" ? "Choose a folder" : folderName(cwd)}
                  options={[
                    ...[...new Set([cwd, ...recent])]
                      .filter((p) => p !== "")
                      .map((p) => ({ value: p, label: folderName(p), help: shortPath(p) })),
                    { value: "?", label: "Another folder…" },
                  ]}
                  onPick={(value) => {
                    setTyping(value === "?");
                    choose(value === "?" ? "" : value);
                  }}
                />
                {tree.button}
                <ControlPickers
                  model={chosen}
                  effort={effort ?? null}
                  mode={mode}
                  onModel={setModel}
                  onEffort={setEffort}
                  onMode={setMode}
                  isPlanning={isPlanning}
                  onPlan={setPlanning}
                  prefer="below"
                />
              </>
            }
          />
          {typing ? (
            <FolderField
              folder={folder ?? ""}
              onFolder={choose}
              problem={folderProblem}
              isNew={newFolder === cwd}
              onCreate={() => {
                setNewFolder(cwd);
                setFolderProblem(undefined);
                focusSoon("#composer");
              }}
            />
          ) : null}
          <OverviewGroups />
          <Suggestions onPick={(text) => void send([{ type: "text", text }])} disabled={!allows(scope, "drive") || starting} />
        </div>
      </div>
    </div>
  );
}

/** Whether the session works in a worktree of its own: what to start it with, and the switch for it. */
function useOwnTree(connection: Connection, cwd: string): { option: { worktree?: true }; button: ReactElement } {
  const repository = useRepository(connection, cwd);
  const [isOn, setOn] = useState(false);
  return {
    option: isOn && repository?.sha != null ? { worktree: true } : {},
    button: <TreeSwitch repository={repository} on={isOn} onSwitch={setOn} />,
  };
}

function TreeSwitch({
  repository,
  on,
  onSwitch,
}: {
  repository: GitFolder | undefined;
  on: boolean;
  onSwitch: (on: boolean) => void;
}): ReactElement | null {
  // A worktree begins at a commit.
  if (repository?.sha == null) return null;
  return (
    <button
      type="button"
      className="picker plan-switch"
      aria-pressed={on}
      title={
        on
          ? "It works in a copy of the repository, on a branch of its own; you merge it or discard it"
          : "Let it work in a copy of the repository, beside your own files"
      }
      onClick={() => onSwitch(!on)}
    >
      <Icon name="worktree" size={14} />
      <span className="picker-text">Own worktree</span>
    </button>
  );
}

/** The repository of the folder; undefined until it is known, null outside one. */
function useRepository(connection: Connection, cwd: string): GitFolder | undefined {
  const [known, setKnown] = useState<{ cwd: string; repository: GitFolder }>();
  useEffect(() => {
    if (cwd === "" || connection.git === undefined) return;
    let isWanted = true;
    const { git } = connection;
    // While a folder is typed only the last one is asked about.
    const timer = setTimeout(() => {
      git.folder(cwd).then(
        (repository) => isWanted && setKnown({ cwd, repository }),
        () => {},
      );
    }, 200);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [connection, cwd]);
  return known?.cwd === cwd ? known.repository : undefined;
}

/** Folders of projects, then those of the newest sessions. */
function useRecentFolders(): readonly string[] {
  const projects = useAppState((s) => s.projects);
  const sessions = useAppState((s) => s.sessions);
  return useMemo(
    () =>
      [
        ...new Set([
          ...projects.flatMap((p) => (p.workingDirectory === null ? [] : [p.workingDirectory])),
          // A worktree belongs to its session; another one starts in the repository itself.
          ...[...sessions.values()].sort(newestFirst).map((s) => s.worktree?.root ?? s.cwd),
        ]),
      ].slice(0, 12),
    [projects, sessions],
  );
}

/** The defaults without a choice. */
function modelToRun({ offlineTour, defaultModel, models }: ReturnType<typeof useApp>): string | null {
  if (offlineTour) return "Offline tour";
  return defaultModel ?? models.find((m) => m.isDefault)?.model ?? models[0]?.model ?? null;
}

function FolderField({
  folder,
  onFolder,
  problem,
  isNew,
  onCreate,
}: {
  folder: string;
  onFolder: (folder: string) => void;
  problem: Refused | undefined;
  isNew: boolean;
  onCreate: () => void;
}): ReactElement {
  const id = useId();
  return (
    <div className="field home-folder">
      <label htmlFor={id}>Folder on the machine that runs the engine</label>
      <FolderInput ref={focusIt} id={id} value={folder} onChange={onFolder} invalid={problem !== undefined} describedBy={`${id}-note`} />
      <div id={`${id}-note`} role="status">
        {problem === undefined ? null : <p className="problem">{problem.message}</p>}
        {problem === undefined && isNew ? <p className="hint">It is made when you send.</p> : null}
      </div>
      {problem?.code === "no_such_folder" ? (
        <p>
          <Button size="small" icon="plus" onClick={onCreate}>
            Create this folder
          </Button>
        </p>
      ) : null}
    </div>
  );
}

const ideas = [
  ["eye", "Explain this project", "Read the code in this folder and explain how it is put together, with the files to look at first."],
  ["review", "Review my changes", "Review the uncommitted changes in this folder. Point out bugs first, then what could be simpler."],
  ["bolt", "Fix the failing tests", "Run the tests, find out why they fail, and fix the cause."],
] as const;
/** The tour answers these messages without any model. */
const tour = [
  ["terminal", "See it run a command", "A harmless one. You are asked first and see what it prints.", "command"],
  ["edit", "See it change a file", "It proposes a patch; you look at the diff and decide.", "patch"],
  ["question", "Let it ask you something", "A question with answers to choose from, or one of your own.", "question"],
] as const;

/** Where there is work to look at, ideas would only be in the way; the tour stays. */
function Suggestions({ onPick, disabled }: { onPick: (text: string) => void; disabled: boolean }): ReactElement | null {
  const { offlineTour } = useApp();
  const isQuiet = useIsQuiet();
  if (!isQuiet && !offlineTour) return null;
  const shown = offlineTour ? tour : ideas.map(([icon, title, text]) => [icon, title, text, text] as const);
  return (
    <ul className="ideas" aria-label={offlineTour ? "The tour" : "Ideas"}>
      {shown.map(([icon, title, hint, text]) => (
        <li key={title}>
          <button type="button" className="idea" disabled={disabled} onClick={() => onPick(text)}>
            <Icon name={icon} size={18} />
            <span className="idea-title">{title}</span>
            <span className="hint">{hint}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
