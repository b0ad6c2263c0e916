/** The made-up repository of the fake bridge: a few changes, staged and not, for pictures and for hostile texts. */
import type { GitChangedFile, GitStatus } from "../../../src/protocol/git.ts";
import type { SessionSummary } from "../../../src/sessions/records.ts";

const staged = `diff --git a/src/limiter/window.ts b/src/limiter/window.ts
--- a/src/limiter/window.ts
+++ b/src/limiter/window.ts
@@ -4,4 +4,4 @@ export class Window {
   readonly #size: number;
-  constructor(size: number) {
+  constructor(size = 60_000) {
     this.#size = size;
   }
`;
const unstaged = `diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1,3 +1,4 @@
 # Tidepool
 
-A rate limiter.
+A rate limiter that says how long to wait.
+It keeps no state on disk.
`;

const file = (path: string, added: number, removed: number): GitChangedFile => ({
  ...{ path, oldPath: null, change: "update", untracked: false, submodule: false, binary: false, added, removed, id: `id-${path}` },
  ...{ fixed: null, omitted: false },
});
const files = { staged: [file("src/limiter/window.ts", 1, 1)], unstaged: [file("README.md", 2, 1)] };

const statusIn = (root: string, branch: string): GitStatus => ({
  ...{ root, branch, sha: "1f", base: { name: "origin/main", sha: "1e" }, upstream: { name: `origin/${branch}`, ahead: 2, behind: 0 } },
  ...{ ahead: 2, underway: null, staged: 1, unstaged: 1, untracked: 0, conflicts: [], branches: ["main", branch] },
  ...{ remote: { name: "origin", url: "https://github.com/ada/tidepool.git" }, forge: "gh", hooks: ["pre-commit"], signs: false },
  worktree: null,
});

/** Undefined for what is not about a repository. */
export function gitAnswer(key: string, url: URL, session: SessionSummary): unknown {
  if (key.endsWith("/rollback/check")) return { files: [{ path: `${session.cwd}/README.md`, becomes: "restored" }], conflicts: [] };
  if (key.startsWith("GET ") && key.endsWith("/git"))
    return {
      ...{ sessionId: session.sessionId, pullRequest: session.pullRequest ?? null, problem: null },
      repository: statusIn(session.cwd, session.branch ?? "main"),
    };
  if (!key.endsWith("/git/diff")) return undefined;
  const scope = url.searchParams.get("scope");
  const [diff, list] =
    scope === "staged"
      ? [staged, files.staged]
      : scope === "unstaged"
        ? [unstaged, files.unstaged]
        : [unstaged + staged, [...files.unstaged, ...files.staged]];
  return { root: session.cwd, base: null, diff, files: list, truncated: false };
}
