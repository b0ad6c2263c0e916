/** The server's approval requests as prompts: the subject, and the answers with their keys. */

import { spelledLine, spelledOut } from "../../lib/terminal-text.ts";
import type {
  CommandExecutionApprovalDecision,
  CommandExecutionRequestApprovalParams,
  FileChangeRequestApprovalParams,
  PermissionsRequestApprovalParams,
} from "../../protocol/approval.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import type { Key } from "../compose/key.ts";

export interface Choice {
  /** The single key that gives this answer. */
  readonly key: string;
  readonly label: string;
  readonly answer: unknown;
}

/** The subject. All text from others is escaped, so that what is approved is what is seen. */
export type Subject =
  | { readonly kind: "command"; readonly command: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: "changes"; readonly changes: readonly FileUpdateChange[]; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly [string, string])[] };

export interface Approval {
  readonly kind: "approval";
  readonly title: string;
  readonly subject: Subject;
  readonly choices: readonly Choice[];
  readonly selected: number;
}

/** Escape gives the last choice, which is always the most careful one. */
export function pressApproval(prompt: Approval, key: Key): Approval | { readonly answer: unknown } | undefined {
  const { choices, selected } = prompt;
  const chosen = (choice: Choice | undefined) => (choice === undefined ? undefined : { answer: choice.answer });
  if (key.ctrl || key.alt) return key.ctrl && key.text === "c" ? chosen(choices.at(-1)) : undefined;
  switch (key.name) {
    case "up":
      return { ...prompt, selected: (selected + choices.length - 1) % choices.length };
    case "down":
    case "tab":
      return { ...prompt, selected: (selected + 1) % choices.length };
    case "return":
      return chosen(choices[selected]);
    case "escape":
      return chosen(choices.at(-1));
    case "text":
      return chosen(choices.find(({ key: own }) => own === key.text.toLowerCase()) ?? choices[Number(key.text) - 1]);
    default:
      return undefined;
  }
}

export function commandApproval(params: CommandExecutionRequestApprovalParams): Approval {
  const network = params.networkApprovalContext ?? undefined;
  const { script, shell } = scriptOf(params.command ?? "");
  const rows: (readonly [string, string])[] = [
    ...(network === undefined ? [] : [["network", `${network.protocol} to ${spelledLine(network.host)}`] as const]),
    ...(params.cwd ? [["in", spelledLine(params.cwd)] as const] : []),
    ...(shell === undefined ? [] : [["shell", spelledLine(shell)] as const]),
    ...(params.outsideSandbox === true ? [["sandbox", "leaves it: the command gets all of your own rights"] as const] : []),
    ...(params.risk ? [["risk", params.risk] as const] : []),
    ...permissionRows(params.additionalPermissions ?? undefined),
    ...(params.reason ? [["why", spelledOut(params.reason)] as const] : []),
  ];
  const title =
    network !== undefined
      ? "Allow this network access?"
      : params.kind === "writeStdin"
        ? "Type this into the running command?"
        : params.outsideSandbox === true
          ? "Run this command outside the sandbox?"
          : "Run this command?";
  const outside = params.outsideSandbox === true;
  // A rule for half of a command would ask again the next time.
  const isOffered = (decision: CommandExecutionApprovalDecision): boolean =>
    params.amendmentCoversAll !== false || typeof decision !== "object" || !("acceptWithExecpolicyAmendment" in decision);
  const choices = (params.availableDecisions ?? defaultDecisions(params))
    .filter(isOffered)
    .flatMap((decision) => commandChoice(decision, { outside, isHost: network !== undefined }));
  return {
    kind: "approval",
    title,
    subject: { kind: "command", command: spelledOut(script), rows },
    choices: carefulLast(choices),
    selected: 0,
  };
}

/** A longer rule would push the subject off the screen. */
const mostRuleText = 300;

/** Older servers do not list the decisions. */
function defaultDecisions({ proposedExecpolicyAmendment }: CommandExecutionRequestApprovalParams): CommandExecutionApprovalDecision[] {
  const remember: CommandExecutionApprovalDecision[] = proposedExecpolicyAmendment
    ? [{ acceptWithExecpolicyAmendment: { execpolicy_amendment: proposedExecpolicyAmendment } }]
    : [];
  return ["accept", "acceptForSession", ...remember, "decline", "cancel"];
}

interface Asked {
  readonly outside: boolean;
  /** The question is about a host, not about running something. */
  readonly isHost: boolean;
}

function commandChoice(decision: CommandExecutionApprovalDecision, { outside, isHost }: Asked): Choice[] {
  const answer = { decision };
  if (decision === "accept") return [{ key: "y", label: isHost ? "Yes, this time" : "Yes, run it", answer }];
  if (decision === "acceptForSession")
    return [{ key: "s", label: `Yes, and do not ask again for this ${isHost ? "host" : "command"} in this session`, answer }];
  if (decision === "decline") return [{ key: "n", label: "No, go on without it", answer }];
  if (decision === "cancel") return [{ key: "c", label: "No, and stop the turn", answer }];
  if ("acceptWithExecpolicyAmendment" in decision) {
    const prefix = decision.acceptWithExecpolicyAmendment.execpolicy_amendment.map(spelledLine).join(" ");
    const where = outside ? ", outside the sandbox too" : "";
    // A permanent rule is offered only where the person sees all of it.
    if (prefix.length > mostRuleText) return [];
    return [{ key: "p", label: `Yes, and never ask again for commands that begin with: ${prefix}${where}`, answer }];
  }
  if (!("applyNetworkPolicyAmendment" in decision)) return [];
  const { action, host } = decision.applyNetworkPolicyAmendment.network_policy_amendment;
  return action === "allow"
    ? [{ key: "a", label: `Yes, and always allow ${spelledLine(host)}`, answer }]
    : [{ key: "d", label: `No, and never allow ${spelledLine(host)}`, answer }];
}

/** The answer that stops most comes last and is bound to Escape. */
function carefulLast(choices: readonly Choice[]): Choice[] {
  const known = choices.length === 0 ? [{ key: "n", label: "No", answer: { decision: "decline" } }] : choices;
  const weight = ({ key }: Choice): number => (key === "c" ? 2 : key === "n" || key === "d" ? 1 : 0);
  return [...known].sort((a, b) => weight(a) - weight(b));
}

export function changeApproval(params: FileChangeRequestApprovalParams, changes: readonly FileUpdateChange[]): Approval {
  const rows: (readonly [string, string])[] = [
    ...(params.reason ? [["why", spelledOut(params.reason)] as const] : []),
    ...(params.grantRoot ? [["allows", `writing below ${spelledLine(params.grantRoot)} for this session`] as const] : []),
  ];
  const decision = (value: string) => ({ decision: value });
  return {
    kind: "approval",
    title: "Make these changes?",
    subject: { kind: "changes", changes: changes.length > 0 ? changes : (params.changes ?? []), rows },
    choices: [
      { key: "y", label: "Yes, make them", answer: decision("accept") },
      { key: "s", label: "Yes, and do not ask again for these files in this session", answer: decision("acceptForSession") },
      { key: "n", label: "No, go on without them", answer: decision("decline") },
      { key: "c", label: "No, and stop the turn", answer: decision("cancel") },
    ],
    selected: 0,
  };
}

export function permissionsApproval(params: PermissionsRequestApprovalParams): Approval {
  const { permissions } = params;
  return {
    kind: "approval",
    title: "Give the agent more permissions?",
    subject: {
      kind: "rows",
      rows: [
        ...permissionRows(permissions),
        ["in", spelledLine(params.cwd)],
        ...(params.reason ? [["why", spelledOut(params.reason)] as const] : []),
      ],
    },
    choices: [
      { key: "y", label: "Yes, for this turn", answer: { permissions, scope: "turn" } },
      { key: "s", label: "Yes, for this session", answer: { permissions, scope: "session" } },
      { key: "n", label: "No, go on without", answer: { permissions: {}, scope: "turn" } },
    ],
    selected: 0,
  };
}

type Permissions = PermissionsRequestApprovalParams["permissions"];
type Entry = NonNullable<NonNullable<Permissions["fileSystem"]>["entries"]>[number];

function permissionRows(permissions: Permissions | undefined): (readonly [string, string])[] {
  const { fileSystem, network } = permissions ?? {};
  const list = (paths: readonly string[] | null | undefined): string => (paths ?? []).map(spelledLine).join(", ");
  const isNews = ({ access, path }: Entry): boolean =>
    path.type !== "path" || access === "deny" || fileSystem?.[access]?.includes(path.path) !== true;
  const rows: (readonly [string, string])[] = [
    ["read", list(fileSystem?.read)],
    ["write", list(fileSystem?.write)],
    ...(fileSystem?.entries ?? []).filter(isNews).map(({ access, path }) => [access, spelledLine(pathText(path))] as const),
    ["network", network?.enabled === true ? "all of it" : ""],
  ];
  return rows.filter(([, value]) => value !== "");
}

function pathText(path: Entry["path"]): string {
  if (path.type === "path") return path.path;
  if (path.type === "glob_pattern") return path.pattern;
  const { value } = path;
  const names = {
    root: "everything",
    minimal: "system files",
    project_roots: "the project",
    tmpdir: "the temp folder",
    slash_tmp: "/tmp",
    unknown: "",
  };
  const below = "subpath" in value && value.subpath ? `/${value.subpath}` : "";
  return `${value.kind === "unknown" ? value.path : names[value.kind]}${below}`;
}
