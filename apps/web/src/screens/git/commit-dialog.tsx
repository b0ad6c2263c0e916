/** Commits, pushes and opens a pull request: one form, with a message that the agent can draft. */
import { type ReactElement, useEffect, useId, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import { type GitCalls, type GitStatus, Refused } from "../../connection/connection.ts";
import { plural } from "../../state/format.ts";
import { Button, focusIt, Switch } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Dialog } from "../../ui/overlays.tsx";

interface CommitProps {
  readonly sessionId: string;
  /** While a turn runs the agent cannot draft a message. */
  readonly isRunning: boolean;
  readonly onClose: () => void;
}

export function CommitDialog(props: CommitProps): ReactElement {
  const { controller } = useApp();
  const { git } = controller.connection;
  const [status, setStatus] = useState<GitStatus>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    git?.status(props.sessionId, false).then(
      ({ repository }) => (repository === null ? setProblem("This folder is in no git repository.") : setStatus(repository)),
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, [git, props.sessionId]);
  return (
    <Dialog title="Commit" onClose={props.onClose} wide className="commit-dialog">
      {problem !== undefined ? <p className="problem">{problem}</p> : null}
      {status === undefined || git === undefined ? (
        <p role="status" className="hint">
          {problem === undefined ? "Looking at the repository…" : ""}
        </p>
      ) : (
        <CommitForm {...props} git={git} status={status} onStatus={setStatus} />
      )}
    </Dialog>
  );
}

type Then = "commit" | "push" | "pullRequest";

interface FormProps extends CommitProps {
  readonly git: GitCalls;
  readonly status: GitStatus;
  readonly onStatus: (status: GitStatus) => void;
}

/** What is being written, and what happens when it is sent. */
function useCommit({ sessionId, onClose, git, status, onStatus }: FormProps) {
  const { toast } = useApp();
  const [message, setMessage] = useState("");
  const [all, setAll] = useState(status.staged === 0);
  const [newBranch, setNewBranch] = useState<string | undefined>(status.branch === null ? "" : undefined);
  const [then, setThen] = useState<Then>("commit");
  const [asDraft, setAsDraft] = useState(false);
  const [withHooks, setWithHooks] = useState(false);
  const [busy, setBusy] = useState<"draft" | "send">();
  const [problem, setProblem] = useState<string>();
  const hasChanges = status.staged + status.unstaged + status.untracked > 0;
  const wanted: Then = !hasChanges && then === "commit" ? "push" : then;
  const needsMessage = hasChanges || wanted === "pullRequest";
  const isReady = (!needsMessage || message.trim() !== "") && (newBranch === undefined || newBranch.trim() !== "") && busy === undefined;
  const run = async (what: "draft" | "send", work: () => Promise<void>): Promise<void> => {
    setBusy(what);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  const draft = (): Promise<void> =>
    run("draft", async () => setMessage(await git.draft(sessionId, hasChanges ? (all ? "all" : "staged") : "branch")));
  const steps = async (done: string[]): Promise<void> => {
    if (hasChanges) {
      const branch = newBranch === undefined ? {} : { branch: newBranch.trim() };
      done.push(`committed on ${await git.commit(sessionId, { message, all, ...branch }, withHooks)}`);
    }
    if (wanted !== "commit") done.push(`pushed to ${await git.push(sessionId)}`);
    if (wanted !== "pullRequest") return;
    const [title = "", ...body] = message.trim().split("\n");
    const { number } = await git.openPullRequest(sessionId, { title, body: body.join("\n").trim(), draft: asDraft });
    done.push(`pull request #${number} is open`);
  };
  const send = (): Promise<void> =>
    run("send", async () => {
      const done: string[] = [];
      try {
        await steps(done);
        toast(sentence(done));
        onClose();
      } catch (error) {
        // What was done stays done: the form goes on from there.
        const { repository } = await git.status(sessionId, false).catch(() => ({ repository: null }));
        if (done.length > 0) setNewBranch(undefined);
        if (repository !== null) onStatus(repository);
        setProblem([...(done.length === 0 ? [] : [`${sentence(done)}.`]), messageOf(error)].join(" "));
      }
    });
  const given = { message, all, newBranch, wanted, asDraft, withHooks };
  return {
    ...given,
    hasChanges,
    needsMessage,
    isReady,
    busy,
    problem,
    draft,
    send,
    setMessage,
    setAll,
    setNewBranch,
    setThen,
    setAsDraft,
    setWithHooks,
    setProblem,
  };
}

function CommitForm(props: FormProps): ReactElement {
  const { status, onClose } = props;
  const { scope } = useApp();
  const form = useCommit(props);
  const { hasChanges, wanted } = form;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (form.isReady) void form.send();
      }}
    >
      {hasChanges ? (
        <>
          <What status={status} all={form.all} onAll={form.setAll} />
          <BranchChoice
            status={status}
            name={form.newBranch}
            onName={(name) => {
              form.setNewBranch(name);
              form.setProblem(undefined);
            }}
          />
        </>
      ) : (
        <p>
          Nothing to commit on <strong>{status.branch ?? "a detached HEAD"}</strong>.{" "}
          {status.upstream === null ? "The branch is not on a remote yet." : `${plural(status.upstream.ahead, "commit")} to push.`}
        </p>
      )}
      {form.needsMessage ? <MessageField form={form} isRunning={props.isRunning} /> : null}
      <ThenChoice status={status} then={wanted} hasChanges={hasChanges} onThen={form.setThen} />
      {wanted === "pullRequest" ? <Switch label="As a draft" checked={form.asDraft} onChange={form.setAsDraft} /> : null}
      {hasChanges ? <Hooks status={status} on={form.withHooks} onSwitch={allows(scope, "admin") ? form.setWithHooks : undefined} /> : null}
      <div role="status">{form.problem === undefined ? null : <p className="problem">{form.problem}</p>}</div>
      <div className="row-end">
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" icon="commit" busy={form.busy === "send"} disabled={!form.isReady}>
          {buttonText(hasChanges, wanted)}
        </Button>
      </div>
    </form>
  );
}

function MessageField({ form, isRunning }: { form: ReturnType<typeof useCommit>; isRunning: boolean }): ReactElement {
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor="commit-message">{form.hasChanges ? "Message" : "Title and description"}</label>
        <Button
          size="small"
          icon="spark"
          busy={form.busy === "draft"}
          disabled={form.busy !== undefined || isRunning}
          title={isRunning ? "When the turn has ended" : "The session's model writes one from the diff"}
          onClick={() => void form.draft()}
        >
          Draft it
        </Button>
      </div>
      <textarea
        ref={focusIt}
        id="commit-message"
        className="commit-message"
        rows={5}
        maxLength={100_000}
        value={form.message}
        placeholder="What changes, and why"
        onChange={(e) => form.setMessage(e.target.value)}
        dir="auto"
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && form.isReady) void form.send();
        }}
      />
    </div>
  );
}

function buttonText(hasChanges: boolean, then: Then): string {
  if (then === "commit") return "Commit";
  if (then === "push") return hasChanges ? "Commit and push" : "Push";
  return hasChanges ? "Commit and open pull request" : "Open pull request";
}

const sentence = (parts: readonly string[]): string => {
  const whole = parts.join(", ");
  return whole.charAt(0).toUpperCase() + whole.slice(1);
};

function What({ status, all, onAll }: { status: GitStatus; all: boolean; onAll: (all: boolean) => void }): ReactElement {
  const loose = status.unstaged + status.untracked;
  if (status.staged === 0 || loose === 0)
    return (
      <p>
        {status.staged === 0 ? `All changes: ${plural(loose, "file")}` : `What is staged: ${plural(status.staged, "file")}`}
        {status.untracked > 0 && status.staged === 0 ? `, ${status.untracked} of them new` : ""}.
      </p>
    );
  return (
    <fieldset className="field">
      <legend>What</legend>
      <div className="options options-row">
        <Choice name="what" label={`Staged (${plural(status.staged, "file")})`} checked={!all} onPick={() => onAll(false)} />
        <Choice name="what" label="Everything" checked={all} onPick={() => onAll(true)} />
      </div>
    </fieldset>
  );
}

function BranchChoice({
  status,
  name,
  onName,
}: {
  status: GitStatus;
  name: string | undefined;
  onName: (name: string | undefined) => void;
}): ReactElement {
  const id = useId();
  return (
    <fieldset className="field">
      <legend>Branch</legend>
      <div className="options options-row">
        {status.branch === null ? null : (
          <Choice name="branch" label={status.branch} icon="branch" checked={name === undefined} onPick={() => onName(undefined)} />
        )}
        <Choice name="branch" label="New branch" icon="plus" checked={name !== undefined} onPick={() => onName(name ?? "")} />
      </div>
      {name === undefined ? null : (
        <label className="field" htmlFor={id}>
          <span className="visually-hidden">Name of the new branch</span>
          <input
            ref={focusIt}
            id={id}
            type="text"
            className="mono"
            spellCheck={false}
            maxLength={250}
            placeholder="name/of-the-branch"
            value={name}
            onChange={(e) => onName(e.target.value)}
          />
        </label>
      )}
    </fieldset>
  );
}

function ThenChoice({
  status,
  then,
  hasChanges,
  onThen,
}: {
  status: GitStatus;
  then: Then;
  hasChanges: boolean;
  onThen: (then: Then) => void;
}): ReactElement {
  const { remote, forge } = status;
  const why =
    remote === null
      ? "The repository has no remote, so nothing can be pushed."
      : forge === null
        ? "Pull requests need gh or glab on the machine that runs the engine."
        : undefined;
  return (
    <fieldset className="field">
      <legend>Then</legend>
      <div className="options options-row">
        {hasChanges ? <Choice name="then" label="Nothing more" checked={then === "commit"} onPick={() => onThen("commit")} /> : null}
        <Choice
          name="then"
          label={remote === null ? "Push" : `Push to ${remote.name}`}
          checked={then === "push"}
          disabled={remote === null}
          onPick={() => onThen("push")}
        />
        <Choice
          name="then"
          label="Push and open a pull request"
          checked={then === "pullRequest"}
          disabled={remote === null || forge === null}
          onPick={() => onThen("pullRequest")}
        />
      </div>
      {why === undefined ? null : <p className="hint">{why}</p>}
    </fieldset>
  );
}

function Choice({
  name,
  label,
  icon,
  checked,
  disabled = false,
  onPick,
}: {
  name: string;
  label: string;
  icon?: "branch" | "plus";
  checked: boolean;
  disabled?: boolean;
  onPick: () => void;
}): ReactElement {
  return (
    <label className={`option-card ${disabled ? "option-off" : ""}`}>
      <input type="radio" name={name} checked={checked} disabled={disabled} onChange={onPick} />
      {icon === undefined ? null : <Icon name={icon} size={14} />}
      <span className="option-label">{label}</span>
    </label>
  );
}

/** Hooks are programs of the repository, and the agent may have edited them: they run only when somebody asks for it. */
function Hooks({
  status,
  on,
  onSwitch,
}: {
  status: GitStatus;
  on: boolean;
  onSwitch: ((on: boolean) => void) | undefined;
}): ReactElement | null {
  const { hooks, signs } = status;
  if (hooks.length === 0 && !signs) return null;
  const names = hooks.join(", ");
  const missing = [...(hooks.length === 0 ? [] : [`the hooks ${names} do not run`]), ...(signs ? ["the commit is not signed"] : [])];
  if (onSwitch === undefined) return <p className="hint">{sentence([missing.join(" and ")])}.</p>;
  return (
    <Switch
      label={hooks.length === 0 ? "Sign the commit" : `Run the repository's hooks${signs ? " and sign" : ""}`}
      help={`${hooks.length === 0 ? "As git in a terminal does it." : `${names}: outside the sandbox, with your rights.`} Otherwise ${missing.join(" and ")}.`}
      checked={on}
      onChange={onSwitch}
    />
  );
}

const messageOf = (error: unknown): string => (error instanceof Refused ? error.message : "The manager cannot be reached.");
