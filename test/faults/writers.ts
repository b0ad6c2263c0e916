/** Everything that writes its own file under the home, one row each, for tests that make the disk fail. */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { keepFeedback } from "../../src/auth/feedback.ts";
import { createMcpCredentials } from "../../src/auth/mcp-credentials.ts";
import { createStorage } from "../../src/auth/storage.ts";
import { ownToken } from "../../src/cli/manager/files.ts";
import { createConfigStore } from "../../src/config/load.ts";
import { appendRule } from "../../src/exec/policy/rules-file.ts";
import { noteSecretFiles } from "../../src/home/secret-files.ts";
import { LogFile } from "../../src/main/log-file.ts";
import { AuditLog } from "../../src/manager/audit.ts";
import { ManagerStore } from "../../src/manager/store.ts";
import { unpackBundled } from "../../src/skills/bundled.ts";
import { createAudit } from "../../src/store/audit.ts";
import { createLocalStore } from "../../src/store/local.ts";
import { createUndoStore } from "../../src/store/undo.ts";
import { systemDisk } from "../../src/store/writing/disk.ts";
import { openHistory } from "../../src/tui/compose/history.ts";
import { Ledger } from "../../src/usage/ledger.ts";

export interface Writer {
  readonly name: string;
  /** The folder, below the home, that contains only the writer's file. */
  readonly folder: string;
  /** "replace": the file is the old or the new one; "append": the old content stays; "create": the file is complete or does not exist. */
  readonly kind: "replace" | "append" | "create";
  /** Whether a disk error is not reported, because nothing depends on the file. */
  readonly isQuiet?: true;
  /** Writes the text, which the test then looks for in the file. */
  write(home: string, text: string): Promise<void> | void;
}

const quiet = (): void => {};
const by = { kind: "script" as const, name: "x" };
const packedId = "0199aaaa-0000-7000-8000-000000000009";

export const writers: readonly Writer[] = [
  {
    name: "the manager's state",
    folder: "manager",
    kind: "replace",
    write: (home, text) => new ManagerStore(path.join(home, "manager"), quiet).change({ titles: { a: text } }),
  },
  {
    name: "what has happened in the manager",
    folder: "manager-noted",
    kind: "replace",
    isQuiet: true,
    write: (home, text) => new ManagerStore(path.join(home, "manager-noted"), quiet).note({ titles: { a: text } }),
  },
  {
    name: "the manager's audit log",
    folder: "book",
    kind: "append",
    write: (home, text) => void new AuditLog(path.join(home, "book"), () => 0).write({ type: "start", by, threadId: "x", summary: text }),
  },
  {
    name: "the settings",
    folder: "settings",
    kind: "replace",
    write: (home, text) => {
      const config = createConfigStore({ codexHome: path.join(home, "settings"), env: {}, systemDir: path.join(home, "etc") });
      config.write([{ keyPath: "instructions", value: text, mergeStrategy: "replace" }]);
    },
  },
  {
    name: "the account",
    folder: "account",
    kind: "replace",
    write: (home, text) => createStorage("file", path.join(home, "account")).save({ OPENAI_API_KEY: text } as never),
  },
  {
    name: "sign-ins to MCP servers",
    folder: "mcp/parley",
    kind: "replace",
    write: (home, text) =>
      createMcpCredentials(path.join(home, "mcp"), () => "file").save("s", "https://s.example", {
        tokens: { access_token: text, token_type: "bearer" },
        client: undefined,
      }),
  },
  {
    name: "rules",
    folder: "rules",
    kind: "replace",
    write: (home, text) => appendRule(path.join(home, "rules", "default.rules"), `# ${text}`),
  },
  {
    name: "the list of secret files",
    folder: "secrets/parley",
    kind: "replace",
    write: (home, text) => noteSecretFiles(path.join(home, "secrets"), [`/${text}`]),
  },
  {
    name: "names of threads",
    folder: "names",
    kind: "append",
    write: (home, text) => {
      mkdirSync(path.join(home, "names"), { recursive: true });
      return createLocalStore({ home: path.join(home, "names") }).rename(packedId, text);
    },
  },
  {
    name: "the audit log",
    folder: "audit/parley/audit",
    kind: "append",
    write: (home, text) =>
      createAudit(path.join(home, "audit"), { now: () => 0 } as never).write({ event: "outcome", subject: text } as never),
  },
  {
    name: "used tokens",
    folder: "usage",
    kind: "append",
    isQuiet: true,
    write: (home, text) =>
      new Ledger(path.join(home, "usage", "usage.jsonl")).add({
        ...{ at: 1, thread: "t", turn: "u", model: text, input: 1, cached: 0, output: 1, total: 2 },
      }),
  },
  {
    name: "the log",
    folder: "log",
    kind: "append",
    isQuiet: true,
    write: (home, text) => {
      const log = new LogFile(
        () => path.join(home, "log"),
        () => 0,
      );
      log.write(`${text}\n`);
      log.close();
    },
  },
  {
    name: "a thread",
    folder: "threads/sessions",
    kind: "append",
    isQuiet: true,
    write: async (home, text) => {
      const disk = await systemDisk.openAppend(path.join(home, "threads", "sessions", "thread.jsonl"));
      try {
        const line = Buffer.from(`\n${text}\n`);
        for (let at = 0; at < line.length; ) at += await disk.write(line.subarray(at));
      } catch {
        // The store keeps it in memory and tries again.
      } finally {
        await disk.close();
      }
    },
  },
  {
    name: "earlier messages",
    folder: "history",
    kind: "append",
    isQuiet: true,
    write: (home, text) => openHistory({ codexHome: path.join(home, "history"), now: () => 0, persists: true }).add(text, "t"),
  },
  { name: "a token", folder: "token", kind: "create", write: (home) => void ownToken(path.join(home, "token", "token")) },
  {
    name: "feedback",
    folder: "feedback/parley/feedback",
    kind: "create",
    write: async (home, text) => void (await keepFeedback(path.join(home, "feedback"), { classification: text } as never, 0)),
  },
  { name: "bundled skills", folder: "skills", kind: "create", isQuiet: true, write: (home) => unpackBundled(path.join(home, "skills")) },
  {
    name: "contents for undo",
    folder: "undo",
    kind: "append",
    isQuiet: true,
    write: async (home, text) => {
      const store = createUndoStore(path.join(home, "undo"));
      const before = { kind: "file" as const, bytes: Buffer.from(text), mode: 0o644 };
      await store.keep({ threadId: "t", turnId: "u" }, `/f-${text.slice(0, 10)}`, before, "mark");
    },
  },
];

/** A compressed thread that is about to be written to again. */
export function packThread(home: string): string {
  const day = path.join(home, "packed/sessions/2026/01/02");
  mkdirSync(day, { recursive: true });
  const meta = {
    id: packedId,
    timestamp: "2026-01-02T03:04:05.000Z",
    cwd: "/",
    originator: "x",
    cli_version: "1",
    source: "cli",
    model_provider: "x",
  };
  const text = `${JSON.stringify({ timestamp: meta.timestamp, type: "session_meta", payload: { ...meta, filler: "y".repeat(60_000) } })}\n`;
  const file = path.join(day, `rollout-2026-01-02T03-04-05-${packedId}.jsonl.zst`);
  writeFileSync(file, zstdCompressSync(Buffer.from(text)));
  return file;
}
export const packedThread = { id: packedId, folder: "packed/sessions/2026/01/02" };
