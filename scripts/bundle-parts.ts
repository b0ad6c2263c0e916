/** How the server's bundle is split: what responds first, what a thread needs to start, and the rest, which is loaded on first use. */

/** A chunk of the bundle. Few are best: every additional file costs most of a millisecond at startup. */
export interface Part {
  readonly name: string;
  /** Paths relative to the checkout. */
  readonly holds: (file: string) => boolean;
  /** Whether all static imports of these modules are included. */
  readonly whole: boolean;
}

const among = (files: readonly string[]) => (file: string) => files.includes(file);

/**
 * What no start needs, by folder. A missing module makes starts slower, and one that is wrongly listed makes them load this chunk too
 * (test/start.itest.ts reports it); neither changes the server's behaviour.
 */
const later: Readonly<Record<string, readonly string[]>> = {
  "src/adapters/v1": ["*"],
  "src/auth": ["auth-data", "browser-login", "callback-server", "claims", "feedback", "oauth", "settings"],
  "src/client": ["*"],
  "src/config": ["read", "write", "toml-edit", "toml-format", "toml-scan"],
  "src/core/approval": ["approve", "ask-command", "command-rules", "decision", "request-permissions"],
  "src/core/command": ["command-output", "command-result", "run-command", "turn-commands", "write-stdin"],
  "src/core/compaction": ["compact"],
  "src/core/context": ["context", "plugin-notes", "prompts", "replay"],
  "src/core/edit": ["run-patch", "turn-diff", "undo"],
  "src/core/hooks": ["match", "moments", "output", "run", "run-handler", "tool-use"],
  "src/core/model": ["budget", "plan-text", "reply-items", "sample"],
  "src/core/patch": ["*"],
  "src/core/turn": ["call-tool", "end", "input", "live-turn", "review", "review-prompt", "turn", "user-command"],
  "src/exec": ["descriptors", "environment", "live-command", "processes", "pty", "wiring"],
  "src/exec/policy": ["exec-policy", "known-safe", "rules-file"],
  "src/exec/sandbox": ["macos-seatbelt", "mounts", "protection", "roots", "seccomp", "windows"],
  "src/lib": ["diff", "file-status", "fuzzy", "git-diff", "home-entries", "paths", "program", "sse"],
  "src/main": ["in-process", "v1"],
  "src/mcp": ["clean", "connection", "elicitation", "names", "results", "status", "tool-source", "tools", "transport"],
  "src/models": ["convert", "facts", "facts.json", "failures", "http-client", "model-lists", "responses", "responses-events", "tools"],
  "src/plugins": ["*"],
  "src/server/relay": ["elsewhere", "status-feed"],
  "src/shell": ["command-actions", "command-line", "quote"],
  "src/shell/policy": ["literal-commands", "rules", "starlark"],
  "src/skills": ["bundled", "bundled-texts", "front-matter", "scan", "texts"],
  "src/store/index": ["cursor", "folders", "search", "sqlite-index", "thread-row"],
  "src/store/rollout": [
    ...["core-items", "foreign-calls", "line-records", "old-compaction", "own-lines", "patch-text", "read", "read-lines"],
    ...["rollout", "session-meta", "token-count", "turn-context", "user-content", "write"],
  ],
  "src/store/writing": ["tail", "writer"],
  "src/telemetry": ["otel-settings", "otlp"],
  "src/tools": ["questions"],
  "src/usage": ["rate-limits"],
  "src/workspace": ["git-folder", "locate"],
};

function isLater(file: string): boolean {
  const cut = file.lastIndexOf("/");
  const names = later[file.slice(0, cut)] ?? [];
  return names.includes("*") || names.includes(file.slice(cut + 1).replace(/\.ts$/, ""));
}

export const serverParts: readonly Part[] = [
  { name: "door", holds: among(["src/cli/command-line.ts", "src/cli/app-server/app-server.ts"]), whole: true },
  { name: "later", holds: isLater, whole: false },
  { name: "app", holds: among(["src/cli/app-server/serve.ts"]), whole: true },
];
/** The chunks that are loaded on first use. */
export const lazyParts: readonly string[] = ["later"];
