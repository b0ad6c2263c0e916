/** The model's questions: options by click or number key, an answer of one's own, secrets hidden. */
import { type KeyboardEvent, type ReactElement, useMemo, useState } from "react";
import type { PendingView } from "../../state/model.ts";
import { Button } from "../../ui/controls.tsx";
import type { Reply } from "./card.tsx";
import { detailsOf } from "./choices.ts";
import { FieldInput } from "./fields.tsx";
import { emptyValue, type Field, type FieldValue, fieldProblem, questionFields, questionResponse } from "./forms.ts";

export function QuestionForm({
  request,
  busy,
  onAnswer,
}: {
  request: PendingView;
  busy: boolean;
  onAnswer: (reply: Reply) => void;
}): ReactElement {
  const fields = useMemo(() => questionFields(request), [request]);
  const [values, setValues] = useState<Readonly<Record<string, FieldValue>>>({});
  const [tried, setTried] = useState(false);
  const of = (field: Field): FieldValue => values[field.id] ?? emptyValue;
  const problems = fields.map((field) => fieldProblem(field, of(field)));
  const ready = problems.every((p) => p === null);
  const submit = (): void => {
    setTried(true);
    if (ready) onAnswer({ response: questionResponse(fields, values) });
  };
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return submit();
    if (
      !/^[1-9]$/.test(event.key) ||
      (target instanceof HTMLInputElement && target.type === "text") ||
      target instanceof HTMLTextAreaElement
    )
      return;
    const field = fields.find((f) => f.options.length > 0 && fieldProblem(f, of(f)) !== null) ?? fields.find((f) => f.options.length > 0);
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
      <div className="card-fields">
        {fields.map((field, i) => (
          <FieldInput
            key={field.id}
            field={field}
            value={of(field)}
            onChange={(value) => setValues({ ...values, [field.id]: value })}
            problem={tried ? (problems[i] ?? null) : null}
          />
        ))}
        {detailsOf(request)["isBlocking"] === false ? <p className="hint">The agent goes on without an answer if none comes.</p> : null}
      </div>
      <div className="card-buttons">
        <Button type="submit" tone="primary" disabled={busy}>
          Send answer
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => onAnswer({ response: { answers: {} } })}>
          Skip
        </Button>
      </div>
    </form>
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
