/** The input elements of questions and forms. */
import { type ReactElement, useId } from "react";
import { focusIt } from "../../ui/controls.tsx";
import type { Field, FieldValue } from "./forms.ts";

export function FieldInput({
  field,
  value,
  onChange,
  problem,
}: {
  field: Field;
  value: FieldValue;
  onChange: (value: FieldValue) => void;
  problem: string | null;
}): ReactElement {
  const id = useId();
  const hint = field.help === null ? undefined : `${id}-help`;
  const wrong = problem === null ? undefined : `${id}-problem`;
  const described = [hint, wrong].filter((x) => x !== undefined).join(" ") || undefined;
  if (field.input === "one" || field.input === "many")
    return <Options id={id} field={field} value={value} onChange={onChange} problem={problem} described={described} />;
  const text = (next: string): void => onChange({ ...value, text: next });
  const shared = {
    id,
    value: value.text,
    "aria-describedby": described,
    "aria-invalid": problem !== null,
    "aria-required": field.required,
  };
  return (
    <div className="field">
      {field.input === "boolean" ? (
        <label className="check">
          <input
            type="checkbox"
            id={id}
            checked={value.picked.includes("true")}
            onChange={(e) => onChange({ ...value, picked: e.target.checked ? ["true"] : [] })}
            aria-describedby={described}
          />
          <span>{field.label}</span>
        </label>
      ) : (
        <>
          <label htmlFor={id} dir="auto">
            {field.label}
            {field.required ? null : <span className="hint"> (optional)</span>}
          </label>
          <Help field={field} hint={hint} />
          {field.input === "longText" ? (
            <textarea rows={2} dir="auto" {...shared} onChange={(e) => text(e.target.value)} />
          ) : (
            <input dir="auto" {...shared} {...inputType(field)} onChange={(e) => text(e.target.value)} autoComplete="off" />
          )}
        </>
      )}
      <Problem id={wrong} problem={problem} />
    </div>
  );
}

function inputType(field: Field): { type: string; inputMode?: "decimal" | "numeric" } {
  if (field.input === "secret") return { type: "password" };
  if (field.input === "number") return { type: "text", inputMode: "decimal" };
  if (field.input === "integer") return { type: "text", inputMode: "numeric" };
  if (field.format === "date") return { type: "date" };
  if (field.format === "date-time") return { type: "datetime-local" };
  if (field.format === "email") return { type: "email" };
  return { type: field.format === "uri" ? "url" : "text" };
}

function Options({
  id,
  field,
  value,
  onChange,
  problem,
  described,
}: {
  id: string;
  field: Field;
  value: FieldValue;
  onChange: (value: FieldValue) => void;
  problem: string | null;
  described: string | undefined;
}): ReactElement {
  const many = field.input === "many";
  const toggle = (option: string, on: boolean): void =>
    onChange(
      many
        ? { ...value, picked: on ? [...value.picked, option] : value.picked.filter((p) => p !== option) }
        : { ...value, picked: [option], other: false },
    );
  const type = many ? "checkbox" : "radio";
  return (
    <fieldset className="field" aria-describedby={described}>
      <legend dir="auto">{field.label}</legend>
      <Help field={field} hint={`${id}-help`} />
      <div className="options">
        {field.options.map((option, index) => (
          <label key={option.value} className="option-card">
            <input
              type={type}
              name={id}
              checked={value.picked.includes(option.value)}
              onChange={(e) => toggle(option.value, e.target.checked)}
            />
            <span>
              <span className="option-label" dir="auto">
                {option.label}
              </span>
              {option.description === null ? null : (
                <span className="hint" dir="auto">
                  {option.description}
                </span>
              )}
            </span>
            <span className="keycap" aria-hidden="true">
              {index + 1}
            </span>
          </label>
        ))}
        {field.allowOther ? (
          <label className="option-card">
            <input
              type={type}
              name={id}
              checked={value.other}
              onChange={(e) => onChange({ ...value, other: e.target.checked, picked: many ? value.picked : [] })}
            />
            <span className="option-label">Something else</span>
            <span className="keycap" aria-hidden="true">
              {field.options.length + 1}
            </span>
          </label>
        ) : null}
      </div>
      {value.other ? (
        <input
          ref={focusIt}
          type="text"
          dir="auto"
          aria-label={`Your answer: ${field.label}`}
          value={value.text}
          onChange={(e) => onChange({ ...value, text: e.target.value })}
          placeholder="Your answer"
        />
      ) : null}
      <Problem id={`${id}-problem`} problem={problem} />
    </fieldset>
  );
}

const Help = ({ field, hint }: { field: Field; hint: string | undefined }): ReactElement | null =>
  field.help === null ? null : (
    <p className="hint" id={hint} dir="auto">
      {field.help}
    </p>
  );

const Problem = ({ id, problem }: { id: string | undefined; problem: string | null }): ReactElement | null =>
  problem === null ? null : (
    <p className="problem" id={id}>
      {problem}
    </p>
  );
