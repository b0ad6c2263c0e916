/** One waiting request as a card: what it is, what it would do, and the answers the engine offers. It stays until the server reports its end. */
import { type KeyboardEvent, memo, type ReactElement, type ReactNode, useId, useRef, useState } from "react";
import { shortPath } from "../../state/format.ts";
import type { ItemOf, PendingView } from "../../state/model.ts";
import { Button, focusIt } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { diffOfChange } from "../diff/parse.ts";
import { safeHref } from "../markdown/blocks.ts";
import { type Choice, choicesFor, detailsOf, type McpToolCall, stringOf } from "./choices.ts";
import { type Description, describe } from "./describe.ts";
import { useAnswerDraft } from "./drafts.ts";
import { ElicitationForm } from "./elicitation-form.tsx";
import { QuestionForm } from "./question-form.tsx";
import { spelledDiff, spelledOut } from "./spelled.ts";
import { ToolCallForm } from "./tool-call-form.tsx";

export type Reply =
  | { readonly response: unknown; readonly note?: string; readonly allowsTool?: McpToolCall }
  | { readonly error: { readonly message: string } };

export interface CardProps {
  readonly request: PendingView;
  /** The changed files, for a request about them. */
  readonly change?: ItemOf<"fileChange"> | undefined;
  readonly onAnswer: (reply: Reply) => void;
  /** Removes the time limit, if there is one and it can be removed. */
  readonly onKeep?: (() => void) | undefined;
  /** False for a view-only device. */
  readonly canAnswer: boolean;
  /** Whether single letters act while the card has the focus. */
  readonly letters: boolean;
  /** Whether this device may create permanent rules; otherwise answers that would are omitted. */
  readonly mayMakeRules?: boolean;
  /** The same for tools of MCP servers, which are allowed in the settings. */
  readonly mayAllowTools?: boolean;
  /** Shown above the heading in lists with cards of several sessions. */
  readonly context?: ReactNode;
  /** Its position among several, for screen readers. */
  readonly position?: string | undefined;
  readonly why?: string | undefined;
  /** Shows the changed files in the host's own diff view, if it has one. */
  readonly onShowChange?: (() => void) | undefined;
  /** The session's folder; paths in it are shown from there. */
  readonly cwd?: string | undefined;
}

export const RequestCard = memo(function RequestCard(props: CardProps): ReactElement {
  const { request, change, onAnswer, canAnswer, letters, context, position, why, cwd, onShowChange, onKeep } = props;
  const { mayMakeRules = true, mayAllowTools = false } = props;
  const heading = useId();
  const card = useRef<HTMLElement>(null);
  const [raw, setRaw] = useState(false);
  const description = describe(request);
  const choices = choicesFor(request).filter(
    ({ isRule, allowsTool }) => (mayMakeRules || isRule !== true) && (mayAllowTools || allowsTool === undefined),
  );
  const busy = request.answer === "sending" || request.answer === "accepted" || request.answer === "elsewhere";
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== card.current) return;
    if (event.key === "Escape") {
      card.current?.blur();
      return;
    }
    if (!letters || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key === "Enter" ? "y" : event.key.toLowerCase();
    const choice = choices.find((c) => c.key === key);
    if (choice === undefined) return;
    event.preventDefault();
    onAnswer(replyOf(choice));
  };
  return (
    <section
      ref={card}
      className={`card card-kind-${request.kind}`}
      aria-labelledby={heading}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a card takes the focus so that its keys act only while it has it
      tabIndex={0}
      onKeyDown={onKey}
      data-request={request.requestId}
    >
      {context}
      <header className="card-head">
        <span className="card-icon">
          <Icon name={description.icon} size={18} />
        </span>
        <div>
          <span className="card-badge">{description.badge}</span>
          <h2 id={heading}>
            {description.heading}
            {position === undefined ? null : <span className="visually-hidden"> ({position})</span>}
          </h2>
        </div>
        <span className="spacer" />
        {onShowChange === undefined ? null : (
          <Button size="small" tone="quiet" onClick={onShowChange}>
            Open diff
          </Button>
        )}
        <Button size="small" tone="quiet" aria-expanded={raw} onClick={() => setRaw(!raw)}>
          Raw
        </Button>
      </header>
      <CardBody request={request} description={description} change={change} why={why} cwd={cwd} raw={raw} />
      {canAnswer ? (
        <CardAnswer request={request} choices={choices} busy={busy} onAnswer={onAnswer} letters={letters} />
      ) : (
        <p className="card-answer hint">This device may only look. Answer from one that may approve.</p>
      )}
      <CardStatus request={request} onKeep={onKeep} />
    </section>
  );
});

function CardBody({
  request,
  description,
  change,
  why,
  cwd,
  raw,
}: {
  request: PendingView;
  description: Description;
  change: CardProps["change"];
  why: string | undefined;
  cwd: string | undefined;
  raw: boolean;
}): ReactElement {
  const files = change?.changes.map((one) => spelledDiff(diffOfChange(one))) ?? [];
  return (
    <div className="card-body">
      {description.reason === null ? null : (
        <p className="card-reason" dir="auto">
          {description.reason}
        </p>
      )}
      {description.command === null || description.command === "" ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls and must be reachable by keyboard
        <pre className="card-command" tabIndex={0}>
          <code>{description.command}</code>
        </pre>
      )}
      {description.facts.length === 0 ? null : (
        <dl className="facts">
          {description.facts.map((fact, i) => (
            <div key={i}>
              <dt>{fact.label}</dt>
              <dd className={fact.mono === true ? "mono" : undefined}>{fact.value}</dd>
            </div>
          ))}
        </dl>
      )}
      {files.length === 0 ? null : (
        <DiffView files={files} view="unified" startOpen={files.length <= 4} shorten={(p) => shortPath(p, cwd)} />
      )}
      {why === undefined ? null : <p className="card-why">{why}</p>}
      {raw ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls and must be reachable by keyboard
        <pre className="card-raw" tabIndex={0}>
          {spelledOut(JSON.stringify({ method: request.method, params: request.details }, null, 2))}
        </pre>
      ) : null}
    </div>
  );
}

function CardAnswer({
  request,
  choices,
  busy,
  onAnswer,
  letters,
}: {
  request: PendingView;
  choices: readonly Choice[];
  busy: boolean;
  onAnswer: (reply: Reply) => void;
  letters: boolean;
}): ReactElement {
  if (request.kind === "question" && choices.length === 0) return <QuestionForm request={request} busy={busy} onAnswer={onAnswer} />;
  if (request.kind === "toolCall") return <ToolCallForm request={request} busy={busy} onAnswer={onAnswer} />;
  if (request.kind === "elicitation")
    return detailsOf(request)["mode"] === "url" ? (
      <OpenLink request={request} busy={busy} onAnswer={onAnswer} />
    ) : (
      <ElicitationForm request={request} busy={busy} onAnswer={onAnswer} />
    );
  if (choices.length === 0) return <RawAnswer busy={busy} onAnswer={onAnswer} />;
  return <Choices requestId={request.requestId} choices={choices} busy={busy} onAnswer={onAnswer} letters={letters} />;
}

const tones = { accept: "primary", grant: "grant", decline: "plain", stop: "danger", quiet: "quiet" } as const;

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string";

const replyOf = ({ response, allowsTool }: Choice): Reply => ({ response, ...(allowsTool === undefined ? {} : { allowsTool }) });

function Choices({
  requestId,
  choices,
  busy,
  onAnswer,
  letters,
}: {
  requestId: string;
  choices: readonly Choice[];
  busy: boolean;
  onAnswer: (reply: Reply) => void;
  letters: boolean;
}): ReactElement {
  const [note, setNote] = useAnswerDraft<string | null>({ requestId, part: "note", initial: null, fits: isTextOrNull });
  const decline = choices.find((c) => c.tone === "decline");
  if (note !== null && decline !== undefined)
    return (
      <form
        className="card-answer card-note"
        onSubmit={(e) => {
          e.preventDefault();
          onAnswer({ response: decline.response, note: note.trim() });
        }}
      >
        <label>
          <span>Decline, and tell the agent what to do instead</span>
          <textarea ref={focusIt} rows={2} dir="auto" value={note} onChange={(e) => setNote(e.target.value)} />
        </label>
        <div className="card-buttons">
          <Button type="submit" tone="primary" disabled={busy || note.trim() === ""}>
            Decline and send
          </Button>
          <Button tone="quiet" onClick={() => setNote(null)}>
            Back
          </Button>
        </div>
      </form>
    );
  const details = choices.filter((c) => c.detail !== null);
  return (
    <div className="card-answer">
      <div className="card-buttons">
        {choices.map((choice) => (
          <Button
            key={choice.id}
            tone={tones[choice.tone]}
            disabled={busy}
            title={choice.detail ?? undefined}
            onClick={() => onAnswer(replyOf(choice))}
          >
            {choice.label}
            {letters && choice.key !== null ? (
              <span className="keycap" aria-hidden="true">
                {choice.key.toUpperCase()}
              </span>
            ) : null}
          </Button>
        ))}
        {decline === undefined ? null : (
          <Button tone="quiet" disabled={busy} onClick={() => setNote("")}>
            Do this instead…
          </Button>
        )}
      </div>
      {details.map((choice) => (
        <p key={choice.id} className="card-detail">
          <strong>{choice.label}:</strong> {choice.detail}
        </p>
      ))}
    </div>
  );
}

function OpenLink({ request, busy, onAnswer }: { request: PendingView; busy: boolean; onAnswer: (reply: Reply) => void }): ReactElement {
  const url = stringOf(detailsOf(request)["url"]) ?? "";
  const safe = safeHref(url);
  return (
    <div className="card-answer">
      {safe === undefined ? <p className="problem">This address cannot be opened from here.</p> : null}
      <div className="card-buttons">
        {safe === undefined ? null : (
          <a className="button button-plain button-normal" href={safe} target="_blank" rel="noopener noreferrer">
            <Icon name="external" size={14} />
            Open the page
          </a>
        )}
        <Button
          tone="primary"
          disabled={busy || safe === undefined}
          onClick={() => onAnswer({ response: { action: "accept", content: {} } })}
        >
          I have done it
        </Button>
        <Button disabled={busy} onClick={() => onAnswer({ response: { action: "decline" } })}>
          Decline
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => onAnswer({ response: { action: "cancel" } })}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** For a kind of request that the page does not know: the raw protocol result, typed by hand. */
function RawAnswer({ busy, onAnswer }: { busy: boolean; onAnswer: (reply: Reply) => void }): ReactElement {
  const [text, setText] = useState("{}");
  const parsed = parseJson(text);
  return (
    <div className="card-answer">
      <label className="field">
        <span>Result, as JSON</span>
        <textarea className="mono" rows={4} value={text} onChange={(e) => setText(e.target.value)} aria-invalid={parsed === undefined} />
      </label>
      <div className="card-buttons">
        <Button tone="primary" disabled={busy || parsed === undefined} onClick={() => onAnswer({ response: parsed?.value })}>
          Send result
        </Button>
        <Button disabled={busy} onClick={() => onAnswer({ error: { message: "declined by the user" } })}>
          Refuse
        </Button>
      </div>
    </div>
  );
}

export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function CardStatus({ request, onKeep }: { request: PendingView; onKeep: CardProps["onKeep"] }): ReactElement | null {
  if (request.problem !== null) return <p className="card-status problem">{request.problem}</p>;
  if (request.answer === "sending") return <p className="card-status">Sending your answer…</p>;
  if (request.answer === "accepted") return <p className="card-status">Answer received. Waiting for the engine…</p>;
  if (request.answer === "elsewhere") return <p className="card-status">Someone else is answering this.</p>;
  if (request.expiresAt !== null)
    return (
      <p className="card-status">
        Ends by itself at {new Date(request.expiresAt).toLocaleTimeString()}.{" "}
        {onKeep === undefined ? null : (
          <Button size="small" tone="quiet" onClick={onKeep}>
            Keep it waiting
          </Button>
        )}
      </p>
    );
  return null;
}
