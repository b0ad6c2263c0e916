/** What a session's row and header show of its repository: a worktree of its own, and its pull request with the state of the checks. */
import type { ReactElement } from "react";
import type { SessionSummary } from "../state/model.ts";
import { Icon, type IconName } from "../ui/icons.tsx";

type PullRequest = NonNullable<SessionSummary["pullRequest"]>;

const checkTexts: Readonly<Record<PullRequest["checks"], readonly [IconName, string]>> = {
  none: ["branch", "no checks"],
  pending: ["clock", "checks are running"],
  passed: ["check", "checks passed"],
  failed: ["close", "checks failed"],
};

const stateOf = ({ state, checks }: PullRequest): string =>
  state === "merged" ? "merged" : state === "closed" ? "closed" : `${state === "draft" ? "draft, " : ""}${checkTexts[checks][1]}`;

const toneOf = ({ state, checks }: PullRequest): string => (state === "merged" ? "merged" : state === "closed" ? "closed" : checks);

/** Plain text: the row itself is a button. */
export function RowBadges({ session: { worktree, pullRequest } }: { session: SessionSummary }): ReactElement | null {
  if (worktree == null && pullRequest == null) return null;
  return (
    <>
      {worktree == null ? null : (
        <span className="row-badge" title={`In a worktree on ${worktree.branch}`}>
          <Icon name="worktree" size={12} label="In a worktree of its own" />
        </span>
      )}
      {pullRequest == null ? null : (
        <span className={`row-badge pull-${toneOf(pullRequest)}`} title={`Pull request: ${stateOf(pullRequest)}`}>
          <Icon name={checkTexts[pullRequest.checks][0]} size={12} /> #{pullRequest.number}
          <span className="visually-hidden"> pull request, {stateOf(pullRequest)}</span>
        </span>
      )}
    </>
  );
}

export function PullRequestLink({ pullRequest }: { pullRequest: PullRequest }): ReactElement {
  return (
    <a
      className={`pull-link pull-${toneOf(pullRequest)}`}
      href={/^https?:/.test(pullRequest.url) ? pullRequest.url : undefined}
      target="_blank"
      rel="noopener noreferrer"
      title={pullRequest.title}
    >
      <Icon name={checkTexts[pullRequest.checks][0]} size={14} />
      <span>
        #{pullRequest.number}
        <span className="pull-state"> {stateOf(pullRequest)}</span>
      </span>
    </a>
  );
}
