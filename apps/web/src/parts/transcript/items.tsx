/** One item of a turn, whatever its kind. Its content comes from a model, a command or a file, and is only shown as text, never as markup. */
import { memo, type ReactElement, type ReactNode, useContext, useState } from "react";
import { clock, duration, shortPath } from "../../state/format.ts";
import { shownMessage } from "../../state/looked-at.ts";
import type { ItemOf, ThreadItem, UserInput } from "../../state/model.ts";
import { Chip } from "../../ui/controls.tsx";
import { Guard } from "../../ui/guard.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { CopyButton } from "../copy-button.tsx";
import { DiffCount, DiffView } from "../diff/diff-view.tsx";
import { diffOfChange } from "../diff/parse.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { unwrapShell } from "../requests/describe.ts";
import { spelledLine } from "../requests/spelled.ts";
import { TerminalOutput } from "../terminal/terminal.tsx";
import { SessionLinksContext } from "./links.ts";
import { isLooking } from "./rows.ts";
import { WaitingItems } from "./waiting.ts";

export interface ItemProps {
  readonly item: ThreadItem;
  /** When its turn began, in seconds since 1970. */
  readonly startedAt?: number | null;
  readonly live: boolean;
  readonly cwd: string;
  readonly foldReasoning: boolean;
}

/** One damaged item must not break the transcript. */
export const Item = memo(function Item(props: ItemProps): ReactElement {
  return (
    <Guard key={props.item.id} fallback={() => <Note icon="warning">This step cannot be shown.</Note>}>
      <ItemBody {...props} />
    </Guard>
  );
});

function ItemBody({ item, startedAt, live, cwd, foldReasoning }: ItemProps): ReactElement | null {
  switch (item.type) {
    case "userMessage":
      return <UserMessage item={item} at={item.startedAtMs ?? (startedAt == null ? null : startedAt * 1000)} />;
    case "agentMessage":
      return <AgentMessage item={item} live={live} />;
    case "reasoning":
      return <Reasoning item={item} live={live} folded={foldReasoning} />;
    case "plan":
      return <PlanText item={item} live={live} />;
    case "commandExecution":
      return <CommandStep item={item} cwd={cwd} />;
    case "fileChange":
      return <FileStep item={item} cwd={cwd} />;
    case "mcpToolCall":
      return (
        <ToolStep
          id={item.id}
          name={`${item.server} · ${item.tool}`}
          status={item.status}
          input={item.arguments}
          ms={item.durationMs ?? null}
          output={mcpOutput(item)}
        />
      );
    case "dynamicToolCall":
      return (
        <ToolStep
          id={item.id}
          name={item.tool}
          status={item.status}
          input={item.arguments}
          ms={item.durationMs ?? null}
          output={<ContentItems items={item.contentItems ?? []} />}
        />
      );
    case "webSearch":
      return <Note icon="search">Searched the web: {item.query || (item.action?.type === "openPage" ? item.action.url : "") || "…"}</Note>;
    case "imageView":
      return <Note icon="image">Looked at {shortPath(item.path, cwd)}</Note>;
    case "imageGeneration":
      return <Note icon="image">Made a picture{item.savedPath == null ? "" : `: ${shortPath(item.savedPath, cwd)}`}</Note>;
    case "collabAgentToolCall":
      return (
        <Note icon="users">
          {collabText(item)} <AgentLinks ids={item.receiverThreadIds} />
        </Note>
      );
    case "subAgentActivity":
      return (
        <Note icon="users">
          Sub-agent {item.agentPath}: {item.kind} <AgentLinks ids={[item.agentThreadId]} />
        </Note>
      );
    case "enteredReviewMode":
      return <Note icon="review">Review started: {item.review}</Note>;
    case "exitedReviewMode":
      return <ReviewResult text={item.review} />;
    case "contextCompaction":
      return <Divider>Earlier messages were summarised to make room</Divider>;
    case "sleep":
      return <Note icon="clock">Waited {duration(item.durationMs)}</Note>;
    case "hookPrompt":
      return <Note icon="bolt">A hook added: {item.fragments.map((f) => f.text).join(" ")}</Note>;
    default:
      return <UnknownItem item={item} />;
  }
}

function UserMessage({ item, at }: { item: ItemOf<"userMessage">; at: number | null }): ReactElement {
  const { text, seen } = shownMessage(
    item.content.flatMap((p) => (p.type === "text" ? [p.text] : [])),
    "\n\n",
  );
  return (
    <div className="user-message">
      <InputText text={text} />
      <InputParts input={item.content} seen={seen} />
      {at === null ? null : (
        <time className="message-time" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
          {clock(at)}
        </time>
      )}
      <div className="message-tools">
        <CopyButton text={text} label="Copy message" />
      </div>
    </div>
  );
}

/** Long pasted texts are collapsed; people know what they wrote. */
export function InputText({ text }: { text: string }): ReactElement {
  const [open, setOpen] = useState(false);
  const long = text.length > 1600 || text.split("\n").length > 24;
  return (
    <>
      <p dir="auto" className={`user-text ${long && !open ? "user-text-folded" : ""}`}>
        {text}
      </p>
      {long ? (
        <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : "Show all"}
        </button>
      ) : null}
    </>
  );
}

export function InputParts({ input, seen = [] }: { input: readonly UserInput[]; seen?: readonly string[] }): ReactElement | null {
  const parts = input.filter((p) => p.type !== "text");
  if (parts.length + seen.length === 0) return null;
  return (
    <ul className="input-parts" aria-label="Attached">
      {seen.map((label) => (
        <li key={label}>
          <Chip icon="edit">{spelledLine(label)}</Chip>
        </li>
      ))}
      {parts.map((part, i) => (
        <li key={i}>
          <InputPart part={part} />
        </li>
      ))}
    </ul>
  );
}

function InputPart({ part }: { part: Exclude<UserInput, { type: "text" }> }): ReactElement {
  if (part.type === "image")
    return "url" in part && part.url.startsWith("data:image/") ? (
      <img className="input-image" src={part.url} alt="Attached" />
    ) : (
      <Chip icon="image">Picture</Chip>
    );
  if (part.type === "localImage") return <Chip icon="image">{shortPath(part.path)}</Chip>;
  if (part.type === "skill") return <Chip icon="spark">{part.name}</Chip>;
  if (part.type === "mention") return <Chip icon="file">{part.name}</Chip>;
  return <Chip icon="paperclip">{part.type}</Chip>;
}

function AgentMessage({ item, live }: { item: ItemOf<"agentMessage">; live: boolean }): ReactElement {
  return (
    <div className={`agent-message ${live ? "agent-live" : ""}`}>
      <Markdown text={item.text} settled={!live} />
      {live ? null : (
        <div className="message-tools">
          <CopyButton text={item.text} label="Copy message" />
        </div>
      )}
    </div>
  );
}

function Reasoning({ item, live, folded }: { item: ItemOf<"reasoning">; live: boolean; folded: boolean }): ReactElement | null {
  const parts = (item.summary ?? []).filter((p) => p.trim() !== "");
  const texts = parts.length > 0 ? parts : (item.content ?? []);
  const [open, setOpen] = useState(!folded);
  const text = texts.join("\n\n");
  if (text.trim() === "") return live ? <Note icon="brain">Thinking…</Note> : null;
  const title = headline(texts.at(-1) ?? "");
  return (
    <div className="step step-quiet">
      <button type="button" className="step-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="brain" size={15} />
        <span className="step-title" dir="auto">
          {live ? `Thinking: ${title}` : title}
        </span>
        <Icon name={open ? "chevronDown" : "chevronRight"} size={13} />
      </button>
      {open ? (
        <div className="step-body reasoning">
          <Markdown text={text} settled={!live} />
        </div>
      ) : null}
    </div>
  );
}

/** Summaries often open with a bold line; that is their title. */
function headline(text: string): string {
  const bold = /^\s*\*\*(.+?)\*\*/.exec(text)?.[1];
  const first = bold ?? text.trim().split("\n")[0] ?? "";
  return first.length > 110 ? `${first.slice(0, 110)}…` : first || "Thought about it";
}

function PlanText({ item, live }: { item: ItemOf<"plan">; live: boolean }): ReactElement {
  return (
    <div className="plan-text">
      <p className="plan-text-head">
        <Icon name="plan" size={15} /> Proposed plan
      </p>
      <Markdown text={item.text} settled={!live} />
    </div>
  );
}

const statusLabels: Readonly<Record<string, string>> = {
  inProgress: "running",
  completed: "done",
  failed: "failed",
  declined: "declined",
  interrupted: "stopped",
};

function StepStatus({ id, status, detail }: { id: string; status: string; detail?: string | null }): ReactElement {
  const waits = useContext(WaitingItems).has(id);
  if (waits)
    return (
      <span className="step-status step-status-waiting">
        <Icon name="clock" size={13} />
        <span>needs you</span>
      </span>
    );
  return (
    <span className={`step-status step-status-${status}`}>
      {status === "inProgress" ? (
        <span className="spinner" aria-hidden="true" />
      ) : status === "completed" ? (
        <Icon name="check" size={13} />
      ) : (
        <Icon name="close" size={13} />
      )}
      <span className={status === "completed" ? "visually-hidden" : undefined}>{statusLabels[status] ?? status}</span>
      {detail == null ? null : <span className="step-detail">{detail}</span>}
    </span>
  );
}

function CommandStep({ item, cwd }: { item: ItemOf<"commandExecution">; cwd: string }): ReactElement {
  const running = item.status === "inProgress";
  const failed = item.status === "failed" || (item.exitCode != null && item.exitCode !== 0);
  const [open, setOpen] = useState<boolean>();
  const shown = open ?? (running || failed);
  const command = unwrapShell(item.command);
  const exit = item.exitCode != null && item.exitCode !== 0 ? `exit ${item.exitCode}` : null;
  const time = item.durationMs == null || item.durationMs < 1000 ? null : duration(item.durationMs);
  return (
    <div className={`step ${failed ? "step-failed" : ""}`}>
      <button type="button" className="step-head" aria-expanded={shown} onClick={() => setOpen(!shown)}>
        <Icon name={isLooking(item) ? "eye" : "terminal"} size={15} />
        <code className="step-command">{command.split("\n")[0]}</code>
        <StepStatus
          id={item.id}
          status={failed && item.status === "completed" ? "failed" : item.status}
          detail={[exit, time].filter((x) => x !== null).join(" · ") || null}
        />
        <Icon name={shown ? "chevronDown" : "chevronRight"} size={13} />
      </button>
      {shown ? (
        <div className="step-body">
          {command.includes("\n") || command.length > 90 ? <pre className="step-full-command">{command}</pre> : null}
          {item.cwd !== cwd && item.cwd !== "" ? <p className="hint mono">in {shortPath(item.cwd)}</p> : null}
          <TerminalOutput output={item.aggregatedOutput ?? ""} live={running} />
          {!running && (item.aggregatedOutput ?? "").trim() === "" ? <p className="terminal-quiet">No output</p> : null}
        </div>
      ) : null}
    </div>
  );
}

function FileStep({ item, cwd }: { item: ItemOf<"fileChange">; cwd: string }): ReactElement {
  const [open, setOpen] = useState(false);
  const files = item.changes.map(diffOfChange);
  const added = files.reduce((n, f) => n + f.added, 0);
  const removed = files.reduce((n, f) => n + f.removed, 0);
  const verb = item.status === "completed" ? "Edited" : item.status === "inProgress" ? "Editing" : "Edit of";
  const first = files[0] === undefined ? "files" : shortPath(files[0].path, cwd);
  return (
    <div className={`step ${item.status === "failed" ? "step-failed" : ""}`}>
      <button type="button" className="step-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="edit" size={15} />
        <span className="step-title">
          {verb} <span className="mono">{first}</span>
          {files.length > 1 ? ` and ${files.length - 1} more` : ""}
        </span>
        <DiffCount added={added} removed={removed} />
        <StepStatus id={item.id} status={item.status} />
        <Icon name={open ? "chevronDown" : "chevronRight"} size={13} />
      </button>
      {open ? (
        <div className="step-body">
          <DiffView files={files} view="unified" shorten={(p) => shortPath(p, cwd)} />
        </div>
      ) : null}
    </div>
  );
}

function ToolStep({
  id,
  name,
  status,
  input,
  ms,
  output,
}: {
  id: string;
  name: string;
  status: string;
  input: unknown;
  ms: number | null;
  output: ReactNode;
}): ReactElement {
  const [open, setOpen] = useState(status === "failed");
  return (
    <div className={`step ${status === "failed" ? "step-failed" : ""}`}>
      <button type="button" className="step-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="tool" size={15} />
        <span className="step-title">
          Called <span className="mono">{name}</span>
        </span>
        <StepStatus id={id} status={status} detail={ms === null || ms < 1000 ? null : duration(ms)} />
        <Icon name={open ? "chevronDown" : "chevronRight"} size={13} />
      </button>
      {open ? (
        <div className="step-body">
          <p className="field-name">Arguments</p>
          <Json value={input} />
          <p className="field-name">Result</p>
          {output}
        </div>
      ) : null}
    </div>
  );
}

function Json({ value }: { value: unknown }): ReactElement {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls and must be reachable by keyboard
    <pre className="json" tabIndex={0}>
      {text === undefined ? "–" : text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text}
    </pre>
  );
}

function mcpOutput(item: ItemOf<"mcpToolCall">): ReactNode {
  if (item.error != null) return <p className="problem">{item.error.message}</p>;
  if (item.result == null) return <p className="hint">None yet</p>;
  return item.result.content.map((part, i) => <McpPart key={i} part={part} />);
}

/** Image types that browsers show and that cannot contain scripts. */
const drawable = /^image\/(?:png|jpeg|gif|webp)$/;

function McpPart({ part }: { part: unknown }): ReactElement {
  if (isPart(part) && typeof part["text"] === "string") return <Json value={part["text"]} />;
  const { data, mimeType } = isPart(part) ? part : {};
  if (typeof data !== "string" || typeof mimeType !== "string") return <Json value={part} />;
  if (!drawable.test(mimeType)) return <p className="hint">{`${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} kB`}</p>;
  return <img className="input-image" src={`data:${mimeType};base64,${data}`} alt="Result of the tool" />;
}

const isPart = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

function ContentItems({ items }: { items: NonNullable<ItemOf<"dynamicToolCall">["contentItems"]> }): ReactElement {
  if (items.length === 0) return <p className="hint">None</p>;
  return (
    <>
      {items.map((part, i) => {
        if (part.type === "inputText") return <Json key={i} value={part.text} />;
        if (part.type === "inputImage" && part.imageUrl.startsWith("data:image/"))
          return <img key={i} className="input-image" src={part.imageUrl} alt="Result" />;
        return (
          <p key={i} className="hint">
            A part of kind {part.type}
          </p>
        );
      })}
    </>
  );
}

function collabText(item: ItemOf<"collabAgentToolCall">): string {
  const verbs: Record<string, string> = {
    spawnAgent: "Started a sub-agent",
    sendInput: "Wrote to a sub-agent",
    wait: "Waited for sub-agents",
    closeAgent: "Closed a sub-agent",
  };
  const prompt = item.prompt == null ? "" : `: ${item.prompt.slice(0, 140)}`;
  return `${verbs[item.tool] ?? item.tool}${prompt} (${statusLabels[item.status] ?? item.status})`;
}

/** Links to the sessions of sub-agents. */
function AgentLinks({ ids }: { ids: readonly string[] }): ReactElement | null {
  const links = useContext(SessionLinksContext);
  if (links === undefined || ids.length === 0) return null;
  return (
    <>
      {[...new Set(ids)].slice(0, 8).map((id) => (
        <button key={id} type="button" className="link-button" dir="auto" onClick={() => links.open(id)}>
          {links.titleOf(id) ?? "Open the sub-agent"}
        </button>
      ))}
    </>
  );
}

function ReviewResult({ text }: { text: string }): ReactElement {
  return (
    <div className="review-result">
      <p className="plan-text-head">
        <Icon name="review" size={15} /> Review
      </p>
      <Markdown text={text} />
    </div>
  );
}

export function Note({ icon, children }: { icon: IconName; children: ReactNode }): ReactElement {
  return (
    <p className="step-note">
      <Icon name={icon} size={15} />
      <span dir="auto">{children}</span>
    </p>
  );
}

function Divider({ children }: { children: ReactNode }): ReactElement {
  return (
    <p className="divider">
      <span>{children}</span>
    </p>
  );
}

function UnknownItem({ item }: { item: { readonly type: string } }): ReactElement {
  return (
    <details className="step-unknown">
      <summary>{item.type}</summary>
      <Json value={item} />
    </details>
  );
}
