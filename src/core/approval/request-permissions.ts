/** Asks a person to widen the sandbox: never by more than was requested, for the turn or for the session. */
import { array, boolean, literals, maybe, named, object, parse, string } from "../../lib/schema.ts";
import { FileSystemSandboxEntry } from "../../protocol/approval.ts";
import type { Answer } from "../ports/audience.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { type Action, failed, succeeded, type ToolOutput } from "../ports/tool.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { approve } from "./approve.ts";
import { mayAsk } from "./command-rules.ts";
import { type Granted, widened, writeAccess } from "./grants.ts";

type Wanted = Extract<Action, { kind: "permissions" }>;
const Answered = named("PermissionsAnswer", () =>
  object({
    permissions: object({
      fileSystem: maybe(object({ write: maybe(array(string())), entries: maybe(array(FileSystemSandboxEntry())) })),
      network: maybe(object({ enabled: maybe(boolean()) })),
    }),
    scope: maybe(literals("turn", "session")),
  }),
);

/** A turn whose settings a grant can replace. */
interface WidenedTurn extends ApprovalTurn {
  changeSettings(settings: ThreadSettings): void;
}

export async function requestPermissions(wanted: Wanted, callId: string, turn: WidenedTurn): Promise<ToolOutput> {
  const { thread, settings } = turn;
  const { approvalPolicy } = settings;
  const isOpen =
    typeof approvalPolicy === "object" ? approvalPolicy.granular.request_permissions === true : mayAsk(approvalPolicy, "sandbox");
  if (!isOpen) return failed("request_permissions: the approval policy allows no such questions");
  let granted: Granted | undefined;
  const ruling = await approve(turn, callId, {
    about: {
      kind: "permissions",
      subject: [...wanted.write, ...(wanted.network ? ["network"] : [])].join("\n"),
      cwd: settings.cwd,
    },
    hooked: {
      ...{ name: "request_permissions", aliases: [] },
      input: {
        reason: wanted.reason ?? null,
        permissions: { file_system: { write: wanted.write }, network: wanted.network ? { enabled: true } : null },
      },
    },
    ask: () => askFor(wanted, callId, turn),
    read: (answer) => {
      const read = grantedBy(answer, wanted);
      if (read.beyond.length > 0)
        turn.notify("warning", { threadId: thread.id, message: `not granted because it was not requested: ${read.beyond.join(", ")}` });
      granted = read.granted;
      return granted === undefined ? { kind: "decline" } : { kind: "accept", forSession: granted.scope === "session", remember: false };
    },
  });
  // A hook or the automatic review that allows it grants the requested permissions, for this turn.
  if (ruling.allows) granted ??= { write: wanted.write, network: wanted.network, scope: "turn" };
  if (granted === undefined && !ruling.allows && ruling.by === "review")
    return failed(`request_permissions: ${ruling.text ?? "not approved"}`);
  if (granted === undefined)
    return failed(`${!ruling.allows && ruling.by === "hook" ? "a hook" : "the user"} granted no further permissions`);
  turn.changeSettings(widened(turn.settings, granted));
  if (granted.scope === "session") thread.grants.grantPermissions(granted);
  return succeeded(
    JSON.stringify({ permissions: { file_system: { write: granted.write }, network: { enabled: granted.network } }, scope: granted.scope }),
  );
}

const writablePath = ({ access, path }: FileSystemSandboxEntry): string[] =>
  access === "write" && path.type === "path" ? [path.path] : [];

const askFor = (wanted: Wanted, callId: string, turn: ApprovalTurn): Promise<Answer> =>
  turn.ask("item/permissions/requestApproval", {
    threadId: turn.thread.id,
    turnId: turn.id,
    itemId: callId,
    startedAtMs: turn.thread.ports.clock.now(),
    environmentId: "local",
    cwd: turn.settings.cwd,
    reason: wanted.reason ?? null,
    permissions: {
      fileSystem: writeAccess(wanted.write),
      network: wanted.network ? { enabled: true } : null,
    },
  });

/** The permissions that were both requested and granted; undefined when there are none or the answer is unreadable. `beyond`: granted but never requested. */
function grantedBy(answer: Answer, wanted: Wanted): { granted: Granted | undefined; beyond: readonly string[] } {
  const read = answer.kind === "answered" ? parse(Answered, answer.result) : undefined;
  if (read === undefined) return { granted: undefined, beyond: [] };
  const { write: named, entries } = read.permissions.fileSystem ?? {};
  const folders = [...new Set([...(named ?? []), ...(entries ?? []).flatMap(writablePath)])];
  const enabled = read.permissions.network?.enabled === true;
  const write = wanted.write.filter((folder) => folders.includes(folder));
  const network = wanted.network && enabled;
  const others = (entries ?? []).flatMap((entry) =>
    writablePath(entry).length === 0 ? [`${entry.access} access by ${entry.path.type}`] : [],
  );
  const unasked = folders.filter((folder) => !wanted.write.includes(folder));
  const beyond = [...unasked, ...others, ...(enabled && !wanted.network ? ["network"] : [])].slice(0, 10);
  return { granted: write.length === 0 && !network ? undefined : { write, network, scope: read.scope ?? "turn" }, beyond };
}
