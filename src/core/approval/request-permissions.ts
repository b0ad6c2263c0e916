/** More room in the sandbox, by the person's word: never more than was asked for, for the turn or for the session. */
import { array, boolean, literals, maybe, named, object, parse, string } from "../../lib/schema.ts";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import type { Answer } from "../ports/audience.ts";
import { type Action, failed, said, type ToolOutput } from "../ports/tool.ts";
import type { ThreadSettings } from "../settings/settings.ts";
import type { LiveThread } from "../thread/thread.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { mayAsk } from "./approvals.ts";

type Wanted = Extract<Action, { kind: "permissions" }>;
export interface Granted {
  readonly write: readonly string[];
  readonly network: boolean;
  readonly scope: "turn" | "session";
}

const Answered = named("PermissionsAnswer", () =>
  object({
    permissions: object({
      fileSystem: maybe(object({ write: maybe(array(string())) })),
      network: maybe(object({ enabled: maybe(boolean()) })),
    }),
    scope: maybe(literals("turn", "session")),
  }),
);

export async function requestPermissions(wanted: Wanted, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  const { thread, settings } = turn;
  const { approvalPolicy } = settings;
  const isOpen =
    typeof approvalPolicy === "object" ? approvalPolicy.granular.request_permissions === true : mayAsk(approvalPolicy, "sandbox");
  if (!isOpen) return failed("request_permissions: the approval policy allows no such questions");
  const subject = [...wanted.write, ...(wanted.network ? ["network"] : [])].join("\n");
  const entry = { threadId: thread.id, turnId: turn.id, itemId: callId, kind: "permissions" as const, subject, cwd: settings.cwd };
  await thread.ports.audit.write({ ...entry, event: "requested" });
  const answer = await turn.ask("item/permissions/requestApproval", {
    threadId: thread.id,
    turnId: turn.id,
    itemId: callId,
    startedAtMs: thread.ports.clock.now(),
    environmentId: "local",
    cwd: settings.cwd,
    reason: wanted.reason ?? null,
    permissions: {
      fileSystem: wanted.write.length === 0 ? null : { write: [...wanted.write] },
      network: wanted.network ? { enabled: true } : null,
    },
  });
  const { granted, beyond } = grantedBy(answer, wanted);
  if (beyond.length > 0)
    turn.notify("warning", { threadId: thread.id, message: `not granted, since it was not asked for: ${beyond.join(", ")}` });
  const by = answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind;
  const decision = granted === undefined ? "decline" : granted.scope === "session" ? "acceptForSession" : "accept";
  await thread.ports.audit.write({ ...entry, event: "decided", decision, by });
  if (granted === undefined) return failed("the user granted no further permissions");
  turn.settings = widened(turn.settings, granted);
  if (granted.scope === "session") thread.grants.permissions.push(granted);
  return said(
    JSON.stringify({ permissions: { file_system: { write: granted.write }, network: { enabled: granted.network } }, scope: granted.scope }),
  );
}

/** The thread's settings as they count for its turns: with what was granted for the session, which no fork and no sub-agent inherits. */
export const grantedSettings = (thread: LiveThread): ThreadSettings => thread.grants.permissions.reduce(widened, thread.settings);

/** What was both asked for and granted; undefined when that is nothing, or the answer cannot be read. `beyond` is what nobody asked for. */
function grantedBy(answer: Answer, wanted: Wanted): { granted: Granted | undefined; beyond: readonly string[] } {
  const read = answer.kind === "answered" ? parse(Answered, answer.result) : undefined;
  if (read === undefined) return { granted: undefined, beyond: [] };
  const folders = read.permissions.fileSystem?.write ?? [];
  const enabled = read.permissions.network?.enabled === true;
  const write = wanted.write.filter((folder) => folders.includes(folder));
  const network = wanted.network && enabled;
  const beyond = [...folders.filter((folder) => !wanted.write.includes(folder)), ...(enabled && !wanted.network ? ["network"] : [])].slice(
    0,
    10,
  );
  return { granted: write.length === 0 && !network ? undefined : { write, network, scope: read.scope ?? "turn" }, beyond };
}

/** A read-only session that may write a folder may write that folder alone. */
function widened(settings: ThreadSettings, { write, network }: Granted): ThreadSettings {
  const { sandboxPolicy: policy } = settings;
  if (policy.type === "dangerFullAccess" || policy.type === "externalSandbox") return settings;
  const networkAccess = policy.networkAccess === true || network;
  if (policy.type === "workspaceWrite")
    return {
      ...settings,
      sandboxPolicy: { ...policy, networkAccess, writableRoots: [...new Set([...(policy.writableRoots ?? []), ...write])] },
    };
  if (write.length === 0) return { ...settings, sandboxPolicy: { ...policy, networkAccess } };
  const narrow: SandboxPolicy = {
    type: "workspaceWrite",
    writableRoots: [...write],
    networkAccess,
    excludeSlashTmp: true,
    excludeTmpdirEnvVar: true,
  };
  return { ...settings, workspaceRoots: [], sandboxPolicy: narrow };
}
