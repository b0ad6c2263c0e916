/** Comments on lines of a diff, collected and sent to the agent as one message. */

export interface LineComment {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly side: "old" | "new";
  readonly code: string;
  readonly text: string;
}

export type CommentDraft = Omit<LineComment, "id">;

export const isCommentDraft = (value: unknown): value is CommentDraft =>
  typeof value === "object" && value !== null && "path" in value && "line" in value && "text" in value && typeof value.text === "string";

export function commentsMessage(comments: readonly LineComment[]): string {
  const byFile = new Map<string, LineComment[]>();
  for (const comment of comments) byFile.set(comment.path, [...(byFile.get(comment.path) ?? []), comment]);
  const parts = [...byFile].map(([path, list]) => {
    const lines = [...list].sort((a, b) => a.line - b.line).map(oneComment);
    return `## ${path}\n\n${lines.join("\n\n")}`;
  });
  return `Please address these review comments on the diff.\n\n${parts.join("\n\n")}`;
}

function oneComment(comment: LineComment): string {
  const where = comment.side === "old" ? `removed line ${comment.line}` : `line ${comment.line}`;
  const code = comment.code.trim() === "" ? "" : `\n${fence(comment.code)}`;
  return `- ${where}: ${comment.text.trim().replace(/\n/g, "\n  ")}${code}`;
}

/** A fence longer than any run of backticks in the code, so that the code cannot end it. */
function fence(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map((m) => m[0].length));
  const bar = "`".repeat(longest + 1);
  return `  ${bar}\n  ${code}\n  ${bar}`;
}
