/** How full the model's context is, and what a session has used and cost. */
import { type ReactElement, useEffect, useState } from "react";
import { useApp } from "../app-context.tsx";
import { compact } from "../state/format.ts";
import type { ThreadTokenUsage } from "../state/model.ts";

export function TokenMeter({ usage }: { usage: ThreadTokenUsage }): ReactElement {
  const window = usage.modelContextWindow ?? 0;
  const used = usage.last.totalTokens;
  const share = window > 0 ? Math.min(1, used / window) : 0;
  const text =
    window > 0
      ? `${Math.round(share * 100)} % of the context used (${compact(used)} of ${compact(window)} tokens)`
      : `${compact(used)} tokens`;
  const around = 2 * Math.PI * 7;
  return (
    <span className={`meter ${share > 0.85 ? "meter-full" : ""}`} role="img" aria-label={text} title={text}>
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7" className="meter-track" />
        <circle
          cx="10"
          cy="10"
          r="7"
          className="meter-fill"
          strokeDasharray={`${share * around} ${around}`}
          transform="rotate(-90 10 10)"
        />
      </svg>
      <span aria-hidden="true">{window > 0 ? `${Math.round(share * 100)}%` : compact(used)}</span>
    </span>
  );
}

/** What the session has cost, where the host knows it. Asked for again after each model call. */
export function Cost({ sessionId, usage }: { sessionId: string; usage: ThreadTokenUsage }): ReactElement | null {
  const { connection } = useApp().controller;
  const [dollars, setDollars] = useState<number | null>(null);
  const { totalTokens } = usage.total;
  useEffect(() => {
    let isCurrent = totalTokens > 0;
    const show = (amount: number | null): void => {
      if (isCurrent) setDollars(amount);
    };
    // Without a price there is nothing to show.
    connection.cost?.(sessionId).then(show, () => show(null));
    return () => {
      isCurrent = false;
    };
  }, [connection, sessionId, totalTokens]);
  if (dollars === null || dollars === 0) return null;
  const text = `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
  return (
    <span className="meter" role="img" aria-label={`This session has cost about ${text}`} title={`This session has cost about ${text}`}>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

export function UsageTable({ usage }: { usage: ThreadTokenUsage }): ReactElement {
  const rows = [
    ["Input", usage.last.inputTokens, usage.total.inputTokens],
    ["of it cached", usage.last.cachedInputTokens, usage.total.cachedInputTokens],
    ["Output", usage.last.outputTokens, usage.total.outputTokens],
    ["of it reasoning", usage.last.reasoningOutputTokens, usage.total.reasoningOutputTokens],
    ["Together", usage.last.totalTokens, usage.total.totalTokens],
  ] as const;
  return (
    <table className="usage">
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">Last call</th>
          <th scope="col">Session</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, last, total]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{compact(last)}</td>
            <td>{compact(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
