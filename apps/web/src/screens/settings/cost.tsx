/** What was spent, by day, project and model, and the budget. */
import { type CSSProperties, type ReactElement, useCallback, useId, useState } from "react";
import { allows, useApp, useAppState } from "../../app-context.tsx";
import type { BudgetChange, UsageTable } from "../../connection/more-calls.ts";
import { type CostGroup, type CostKey, costBy, daysOf, money } from "../../state/cost.ts";
import { compact } from "../../state/format.ts";
import { Button } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
import { Shown, useLoaded } from "./load.tsx";

const spans = [7, 30, 90] as const;

export function CostTab(): ReactElement {
  const { controller } = useApp();
  const { usage } = controller.connection;
  const [days, setDays] = useState<number>(30);
  const table = useLoaded(useCallback(() => usage?.read(days) ?? Promise.reject(new Error("not offered")), [usage, days]));
  return (
    <>
      <p>Counted on this machine from what each model reports. Prices are those of the providers or of your settings.</p>
      <Picker
        label="Period"
        value={String(days)}
        prefer="below"
        options={spans.map((n) => ({ value: String(n), label: `Last ${n} days` }))}
        onPick={(value) => setDays(Number(value))}
      />
      <Shown of={table}>
        {(value) => (
          <>
            <Today table={value} />
            <Chart table={value} days={days} />
            <Breakdown table={value} />
            <Budget key={JSON.stringify(value.budget)} table={value} onSaved={table.reload} />
          </>
        )}
      </Shown>
    </>
  );
}

function Today({ table }: { table: UsageTable }): ReactElement {
  const { today, budget, currency } = table;
  const gauges = [
    budget.moneyPerDay === null || today.money === null
      ? undefined
      : { used: today.money, limit: budget.moneyPerDay, text: `${money(today.money, currency)} of ${money(budget.moneyPerDay, currency)}` },
    budget.tokensPerDay === null
      ? undefined
      : { used: today.tokens, limit: budget.tokensPerDay, text: `${compact(today.tokens)} of ${compact(budget.tokensPerDay)} tokens` },
  ].filter((gauge) => gauge !== undefined);
  return (
    <section className="cost-today" aria-label="Today">
      <p className="cost-figure">
        <strong>{today.money === null ? `${compact(today.tokens)} tokens` : money(today.money, currency)}</strong> today
        {today.money === null ? null : <span className="hint">{compact(today.tokens)} tokens</span>}
      </p>
      {gauges.map(({ used, limit, text }) => (
        <div key={text} className="cost-gauge">
          <meter min={0} max={limit} high={limit * 0.8} value={Math.min(limit, used)} aria-label="Used of today's budget" />
          <span className={used >= limit ? "problem" : used >= limit * 0.8 ? "cost-near" : "hint"}>
            {text}
            {used >= limit ? ": spent, sessions ask before they go on" : used >= limit * 0.8 ? ": nearly spent" : ""}
          </span>
        </div>
      ))}
    </section>
  );
}

/** Bars for days. The table below says the same in numbers, so the chart is one picture with a label. */
function Chart({ table, days }: { table: UsageTable; days: number }): ReactElement {
  const bars = daysOf(table, days);
  const isMoney = bars.some((bar) => bar.money > 0);
  const highest = Math.max(...bars.map((bar) => (isMoney ? bar.money : bar.tokens)), 0);
  const amount = (bar: (typeof bars)[number]): number => (isMoney ? bar.money : bar.tokens);
  const text = (bar: (typeof bars)[number]): string =>
    `${bar.day}: ${isMoney ? money(bar.money, table.currency) : `${compact(bar.tokens)} tokens`}`;
  return (
    <figure className="cost-chart">
      <div
        role="img"
        aria-label={`${isMoney ? "Cost" : "Tokens"} by day, at most ${isMoney ? money(highest, table.currency) : compact(highest)}`}
      >
        {bars.map((bar) => (
          <span key={bar.day} className="cost-bar" title={text(bar)}>
            <span style={{ "--share": highest === 0 ? 0 : amount(bar) / highest } as CSSProperties} />
          </span>
        ))}
      </div>
      <figcaption>
        <span>{bars[0]?.day}</span>
        <span>highest {isMoney ? money(highest, table.currency) : `${compact(highest)} tokens`}</span>
        <span>{bars.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}

const kinds: readonly (readonly [CostKey, string])[] = [
  ["day", "By day"],
  ["project", "By project"],
  ["model", "By model"],
];

function Breakdown({ table }: { table: UsageTable }): ReactElement {
  const [kind, setKind] = useState<CostKey>("project");
  const projects = useAppState((s) => s.projects);
  const groups = costBy(table, kind, projects);
  return (
    <section aria-label="Breakdown">
      <div className="segmented" role="toolbar" aria-label="Break down">
        {kinds.map(([id, label]) => (
          <button key={id} type="button" aria-pressed={kind === id} onClick={() => setKind(id)}>
            {label}
          </button>
        ))}
      </div>
      {groups.length === 0 ? (
        <p className="hint">Nothing was used in this time.</p>
      ) : (
        <CostTable groups={groups} kind={kind} currency={table.currency} />
      )}
      {table.truncated ? <p className="hint">Older days are left out: there is too much to show.</p> : null}
    </section>
  );
}

function CostTable({ groups, kind, currency }: { groups: readonly CostGroup[]; kind: CostKey; currency: string }): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table wider than the page scrolls and must be reachable by keyboard
    <div className="md-table" tabIndex={0}>
      <table className="cost-table">
        <thead>
          <tr>
            <th scope="col">{kind === "day" ? "Day" : kind === "model" ? "Model" : "Project"}</th>
            <th scope="col">Cost</th>
            <th scope="col">Tokens</th>
            <th scope="col">Input</th>
            <th scope="col">Cached</th>
            <th scope="col">Output</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.key}>
              <th scope="row" dir="auto" title={group.key}>
                {group.label}
              </th>
              <td>
                {group.money === null ? <span title="The price of a model is not known">no price</span> : money(group.money, currency)}
              </td>
              <td>{compact(group.tokens)}</td>
              <td>{compact(group.input)}</td>
              <td>{compact(group.cached)}</td>
              <td>{compact(group.output)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const fields: readonly (readonly [keyof BudgetChange, string])[] = [
  ["moneyPerDay", "Money per day"],
  ["moneyPerThread", "Money per session"],
  ["tokensPerDay", "Tokens per day"],
  ["tokensPerThread", "Tokens per session"],
];

/** Whoever may change settings sets it; it applies to every client of this home. */
function Budget({ table, onSaved }: { table: UsageTable; onSaved: () => Promise<void> }): ReactElement {
  const { controller, scope, toast } = useApp();
  const [texts, setTexts] = useState<Record<keyof BudgetChange, string>>(() => {
    const of = (name: keyof BudgetChange): string => (table.budget[name] === null ? "" : String(table.budget[name]));
    return {
      moneyPerDay: of("moneyPerDay"),
      moneyPerThread: of("moneyPerThread"),
      tokensPerDay: of("tokensPerDay"),
      tokensPerThread: of("tokensPerThread"),
    };
  });
  const [busy, setBusy] = useState(false);
  const id = useId();
  const amount = (name: keyof BudgetChange): number | null =>
    texts[name].trim() === "" ? null : Number(texts[name].trim().replace(",", "."));
  const isWrong = (name: keyof BudgetChange): boolean => {
    const value = amount(name);
    return value !== null && !(Number.isFinite(value) && value > 0);
  };
  const save = async (): Promise<void> => {
    setBusy(true);
    const budget = Object.fromEntries(fields.map(([name]) => [name, amount(name)])) as unknown as BudgetChange;
    const done = await controller.try(controller.connection.usage?.setBudget(budget).then(() => true) ?? Promise.resolve(false));
    setBusy(false);
    if (done !== true) return;
    toast("Budget saved");
    await onSaved();
  };
  const can = allows(scope, "admin");
  return (
    <section aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>Budget</h3>
      <p className="hint">
        At 80 % sessions warn you. When a budget is spent they ask before the next model call, and stop if you say no. Empty means no limit.
      </p>
      <form
        className="cost-budget"
        onSubmit={(e) => {
          e.preventDefault();
          if (!fields.some(([name]) => isWrong(name))) void save();
        }}
      >
        {fields.map(([name, label]) => (
          <div key={name} className="field">
            <label htmlFor={`${id}-${name}`}>
              {label} {name.startsWith("money") ? <span className="hint">({table.currency})</span> : null}
            </label>
            <input
              id={`${id}-${name}`}
              type="text"
              inputMode="decimal"
              disabled={!can}
              value={texts[name]}
              aria-invalid={isWrong(name)}
              onChange={(e) => setTexts({ ...texts, [name]: e.target.value })}
            />
          </div>
        ))}
        {can ? (
          <Button type="submit" tone="primary" busy={busy} disabled={fields.some(([name]) => isWrong(name))}>
            Save the budget
          </Button>
        ) : (
          <p className="hint">Only a device with all rights can change it.</p>
        )}
      </form>
      {fields.some(([name]) => isWrong(name)) ? (
        <p className="problem" role="status">
          Write a number above zero, or leave the field empty.
        </p>
      ) : null}
    </section>
  );
}
