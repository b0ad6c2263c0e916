/** An MCP server's form, drawn from its schema. */
import { type ReactElement, useMemo, useState } from "react";
import type { PendingView } from "../../state/model.ts";
import { Button } from "../../ui/controls.tsx";
import type { Reply } from "./card.tsx";
import { detailsOf } from "./choices.ts";
import { useAnswerDraft } from "./drafts.ts";
import { FieldInput } from "./fields.tsx";
import {
  areFieldValues,
  elicitationContent,
  elicitationFields,
  type Field,
  type FieldValue,
  type FieldValues,
  fieldProblem,
  withoutSecrets,
} from "./forms.ts";

export function ElicitationForm({
  request,
  busy,
  onAnswer,
}: {
  request: PendingView;
  busy: boolean;
  onAnswer: (reply: Reply) => void;
}): ReactElement {
  const fields = useMemo(() => elicitationFields(request), [request]);
  const [values, setValues] = useAnswerDraft<FieldValues>({
    ...{ requestId: request.requestId, part: "values", initial: {}, fits: areFieldValues },
    toStore: (all) => withoutSecrets(fields, all),
  });
  const [tried, setTried] = useState(false);
  const of = (field: Field): FieldValue => values[field.id] ?? field.initial;
  const problems = fields.map((field) => fieldProblem(field, of(field)));
  const all = Object.fromEntries(fields.map((field) => [field.id, of(field)]));
  return (
    <form
      className="card-answer"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        setTried(true);
        if (problems.every((p) => p === null)) onAnswer({ response: { action: "accept", content: elicitationContent(fields, all) } });
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
        <p className="hint">
          Your answer goes to the server {String(detailsOf(request)["serverName"] ?? "")}. Do not enter passwords here.
        </p>
      </div>
      <div className="card-buttons">
        <Button type="submit" tone="primary" disabled={busy}>
          Send
        </Button>
        <Button disabled={busy} onClick={() => onAnswer({ response: { action: "decline" } })}>
          Decline
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => onAnswer({ response: { action: "cancel" } })}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
