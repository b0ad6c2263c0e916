/** A request that has ended: the decision or answer, by whom and when. */
import type { ReactElement } from "react";
import { clock } from "../../state/format.ts";
import type { Decision } from "../../state/model.ts";
import { Icon } from "../../ui/icons.tsx";
import { outcomeLabel } from "./choices.ts";
import { unwrapShell } from "./describe.ts";
import { spelledLine } from "./spelled.ts";

const badges: Readonly<Record<Decision["kind"], string>> = {
  command: "Command",
  fileChange: "File change",
  permissions: "Permissions",
  question: "Question",
  toolCall: "Tool call",
  elicitation: "Form",
  other: "Request",
};
const longest = 90;

export function DecisionLine({ decision }: { decision: Decision }): ReactElement {
  const { kind, status, by, at, answers } = decision;
  const how = status === "expired" ? (decision.reason ?? "Ended without an answer") : outcomeLabel(decision.decision);
  const what = kind === "command" ? unwrapShell(decision.summary) : decision.summary;
  const line = spelledLine(what.split("\n")[0] ?? "");
  return (
    <div className={`resolution resolution-${status}`}>
      <Icon name={status === "expired" ? "clock" : "check"} size={14} />
      <div>
        <p>
          <strong>{how}</strong> by <bdi>{by.name}</bdi>, <time dateTime={at}>{clock(Date.parse(at))}</time> · {badges[kind]}:{" "}
          <span dir="auto" className={kind === "command" ? "mono" : undefined}>
            {line.length > longest ? `${line.slice(0, longest)}…` : line}
          </span>
        </p>
        {answers === undefined || answers.length === 0 ? null : (
          <dl className="answers">
            {answers.map((answer, i) => (
              <div key={i}>
                <dt dir="auto">{answer.question}</dt>
                <dd dir="auto">
                  {answer.answers === null ? "(a secret)" : answer.answers.length === 0 ? "(no answer)" : answer.answers.join(", ")}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </div>
  );
}
