/** The model's questions: options by click or number key, free-text answers, hidden secrets. */
import { type KeyboardEvent, type ReactElement, useId, useMemo, useState } from "react";
import type { PendingView } from "../../state/model.ts";
import { Button } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { Reply } from "./card.tsx";
import { detailsOf } from "./choices.ts";
import { useAnswerDraft } from "./drafts.ts";
import { FieldInput } from "./fields.tsx";
import {
  areFieldValues,
  emptyValue,
  type Field,
  type FieldValue,
  type FieldValues,
  fieldProblem,
  isQuestionnaire,
  questionFields,
  questionResponse,
  withoutSecrets,
} from "./forms.ts";

export function QuestionForm({
  request,
  busy,
  onAnswer,
}: {
  request: PendingView;
  busy: boolean;
  onAnswer: (reply: Reply) => void;
}): ReactElement {
  const id = useId();
  const fields = useMemo(() => questionFields(request), [request]);
  const [values, setValues] = useAnswerDraft<FieldValues>({
    ...{ requestId: request.requestId, part: "values", initial: {}, fits: areFieldValues },
    toStore: (all) => withoutSecrets(fields, all),
  });
  const [tried, setTried] = useState(false);
  const [tab, setTab] = useState(0);
  const tabbed = isQuestionnaire(request);
  const of = (field: Field): FieldValue => values[field.id] ?? emptyValue;
  const problems = fields.map((field) => fieldProblem(field, of(field)));
  const ready = problems.every((p) => p === null);
  const submit = (): void => {
    if (tabbed && tab < fields.length - 1 && problems[tab] === null && !ready) return setTab(tab + 1);
    setTried(true);
    if (ready) onAnswer({ response: questionResponse(fields, values) });
    else if (tabbed) setTab(problems.findIndex((p) => p !== null));
  };
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return submit();
    if (!/^[1-9]$/.test(event.key) || takesText(target)) return;
    const shown = tabbed ? fields.slice(tab, tab + 1) : fields;
    const field = shown.find((f) => f.options.length > 0 && fieldProblem(f, of(f)) !== null) ?? shown.find((f) => f.options.length > 0);
    if (field === undefined) return;
    pickByNumber(field, Number(event.key), of(field), (value) => setValues({ ...values, [field.id]: value }));
    event.preventDefault();
  };
  return (
    <form
      className="card-answer"
      onKeyDown={onKey}
      onSubmit={(e) => {
        e.preventDefault();
        submit();
      }}
    >
      {tabbed ? <Tabs id={id} fields={fields} done={problems.map((p) => p === null)} current={tab} onPick={setTab} /> : null}
      <div className="card-fields" {...(tabbed ? { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": `${id}-${tab}` } : {})}>
        {fields.map((field, i) =>
          tabbed && i !== tab ? null : (
            <FieldInput
              key={field.id}
              field={field}
              value={of(field)}
              onChange={(value) => setValues({ ...values, [field.id]: value })}
              problem={tried ? (problems[i] ?? null) : null}
            />
          ),
        )}
        {detailsOf(request)["isBlocking"] === false ? <p className="hint">The agent goes on without an answer if none comes.</p> : null}
      </div>
      <div className="card-buttons">
        <Button type="submit" tone="primary" disabled={busy}>
          {tabbed && !ready && tab < fields.length - 1 ? "Next" : "Send answer"}
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => onAnswer({ response: { answers: {} } })}>
          Skip
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => onAnswer({ error: { message: "User cancelled input" } })}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Whether this element accepts typed characters: every kind of text field, including password fields, but not choices. */
const takesText = (element: HTMLElement): boolean =>
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement ||
  (element instanceof HTMLInputElement && element.type !== "radio" && element.type !== "checkbox");

/** One tab for each question of a questionnaire; arrows move between them, and answered ones are marked. */
function Tabs({
  id,
  fields,
  done,
  current,
  onPick,
}: {
  id: string;
  fields: readonly Field[];
  done: readonly boolean[];
  current: number;
  onPick: (index: number) => void;
}): ReactElement {
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = (current + step + fields.length) % fields.length;
    onPick(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div className="tabs question-tabs" role="tablist" aria-label="Questions" onKeyDown={onKey}>
      {fields.map((field, i) => (
        <button
          key={field.id}
          type="button"
          role="tab"
          id={`${id}-${i}`}
          aria-selected={i === current}
          aria-controls={`${id}-panel`}
          tabIndex={i === current ? 0 : -1}
          onClick={() => onPick(i)}
        >
          {done[i] === true ? <Icon name="check" size={13} /> : null}
          {field.help ?? `Question ${i + 1}`}
          {done[i] === true ? <span className="visually-hidden">, answered</span> : null}
        </button>
      ))}
    </div>
  );
}

function pickByNumber(field: Field, number: number, value: FieldValue, set: (value: FieldValue) => void): void {
  const option = field.options[number - 1];
  if (option === undefined) {
    if (field.allowOther && number === field.options.length + 1)
      set({ ...value, other: true, picked: field.input === "many" ? value.picked : [] });
    return;
  }
  if (field.input === "one") return set({ ...value, picked: [option.value], other: false });
  const has = value.picked.includes(option.value);
  set({ ...value, picked: has ? value.picked.filter((p) => p !== option.value) : [...value.picked, option.value] });
}
