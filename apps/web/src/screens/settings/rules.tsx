/** Standing rules for commands: what runs without asking, what is always asked, what never runs. */
import { type FormEvent, type ReactElement, useCallback, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { Rules } from "../../connection/connection.ts";
import { shellQuoted } from "../../parts/requests/choices.ts";
import { Button } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
import { Shown, useLoaded } from "./load.tsx";

type Decision = "allow" | "prompt" | "forbidden";
const decisions: readonly { readonly value: Decision; readonly label: string; readonly help: string }[] = [
  { value: "allow", label: "Runs without asking", help: "Commands that start with these words" },
  { value: "prompt", label: "Always asks", help: "Even where the mode would allow it" },
  { value: "forbidden", label: "Never runs", help: "The agent is told so" },
];
const spans = [
  { value: "", label: "For ever" },
  { value: "1", label: "For a day" },
  { value: "7", label: "For a week" },
  { value: "30", label: "For a month" },
];
const until = (days: string): string | null => (days === "" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString());

export function RulesTab(): ReactElement {
  const { controller, scope } = useApp();
  const { connection } = controller;
  const rules = useLoaded(useCallback(() => connection.rules(), [connection]));
  const save = (work: Promise<Rules>): void => void controller.try(work).then((next) => next !== undefined && rules.set(next));
  const admin = allows(scope, "admin");
  return (
    <>
      <p>A rule holds for every session. “Always allow” on a card adds one here.</p>
      <Shown of={rules}>
        {(value) => (
          <>
            {admin && value.writable ? <AddRule onAdd={(rule) => save(connection.addRule(rule))} /> : null}
            {value.data.length === 0 ? <p className="hint">No rules yet.</p> : null}
            {value.data.length === 0 ? null : (
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Commands that start with</th>
                    <th scope="col">What happens</th>
                    <th scope="col">Until</th>
                    <th scope="col">
                      <span className="visually-hidden">Remove</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {value.data.map((rule) => (
                    <tr key={rule.ruleId}>
                      <th scope="row">
                        <code>{rule.pattern.map((p) => (typeof p === "string" ? shellQuoted(p) : `{${p.join(",")}}`)).join(" ")}</code>
                        {rule.outsideSandbox ? <span className="hint"> outside the sandbox too</span> : null}
                        {rule.justification == null ? null : <span className="hint"> {rule.justification}</span>}
                      </th>
                      <td>
                        {admin && rule.editable ? (
                          <Picker
                            label="What happens"
                            value={rule.decision}
                            options={decisions}
                            prefer="below"
                            onPick={(d) => save(connection.changeRule(rule.ruleId, { decision: d as Decision }))}
                          />
                        ) : (
                          decisions.find((d) => d.value === rule.decision)?.label
                        )}
                      </td>
                      <td>
                        {admin && rule.editable ? (
                          <Picker
                            label="Holds"
                            value=""
                            shown={rule.expiresAt === null ? "For ever" : new Date(rule.expiresAt).toLocaleDateString()}
                            options={spans}
                            prefer="below"
                            onPick={(days) => save(connection.changeRule(rule.ruleId, { expiresAt: until(days) }))}
                          />
                        ) : rule.expiresAt === null ? (
                          "For ever"
                        ) : (
                          new Date(rule.expiresAt).toLocaleDateString()
                        )}
                      </td>
                      <td className="row-end">
                        {admin && rule.editable ? (
                          <Button size="small" tone="danger" onClick={() => save(connection.removeRule(rule.ruleId))}>
                            Take back
                          </Button>
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            {value.file === null ? null : (
              <p className="hint">
                Kept in <code>{value.file}</code>
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function AddRule({ onAdd }: { onAdd: (rule: { pattern: string[]; decision: Decision; expiresAt: string | null }) => void }): ReactElement {
  const [text, setText] = useState("");
  const [decision, setDecision] = useState<Decision>("allow");
  const [days, setDays] = useState("");
  const pattern = text
    .trim()
    .split(/\s+/)
    .filter((w) => w !== "");
  const broad = decision === "allow" && pattern.length === 1;
  return (
    <form
      className="setting-box"
      onSubmit={(e: FormEvent) => {
        e.preventDefault();
        if (pattern.length === 0) return;
        onAdd({ pattern, decision, expiresAt: until(days) });
        setText("");
      }}
    >
      <label className="field">
        <span>Commands that start with</span>
        <input
          type="text"
          className="mono"
          value={text}
          onChange={(e) => setText(e.target.value)}
          placeholder="npm run test"
          spellCheck={false}
        />
      </label>
      {broad ? <p className="problem">One word alone allows everything that program can do. Two or more are safer.</p> : null}
      <div className="row">
        <Picker label="What happens" value={decision} options={decisions} onPick={(d) => setDecision(d as Decision)} prefer="below" />
        <Picker label="Holds" value={days} options={spans} onPick={setDays} prefer="below" />
        <Button type="submit" tone="primary" disabled={pattern.length === 0}>
          Add rule
        </Button>
      </div>
    </form>
  );
}
