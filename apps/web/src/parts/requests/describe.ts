/** Says what a waiting request is about: a heading, the thing itself, and the facts a person needs to decide. */
import { scriptOf } from "../../../../../src/shell/shown-script.ts";
import type { PendingRequest } from "../../state/model.ts";
import { detailsOf, isRecord, type McpToolCall, mcpToolCall, stringOf } from "./choices.ts";
import { spelledLine, spelledOut } from "./spelled.ts";

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly mono?: boolean;
}
export interface Description {
  /** The kind in one or two words; distinguishes a network request from a command at a glance. */
  readonly badge: string;
  readonly heading: string;
  /** Shown as code, never as markup. */
  readonly command: string | null;
  readonly facts: readonly Fact[];
  readonly reason: string | null;
  readonly icon: "terminal" | "edit" | "globe" | "shield" | "question" | "tool" | "form" | "dot";
}

/** A longer command does not fit the card: its length is shown, so that nobody mistakes its beginning for all of it. */
const longCommand = 2000;

export function describe(request: PendingRequest): Description {
  const { heading, command, facts, reason, ...rest } = described(request);
  const length: Fact[] =
    command === null || command.length <= longCommand
      ? []
      : [{ label: "Length", value: `${command.length} characters in ${command.split("\n").length} lines: scroll to see all of it` }];
  return {
    ...rest,
    heading: spelledLine(heading),
    command: command === null ? null : spelledOut(command),
    facts: [...length, ...facts].map((fact) => ({ ...fact, value: spelledLine(fact.value) })),
    reason: reason === null ? null : spelledOut(reason),
  };
}

function described(request: PendingRequest): Description {
  const details = detailsOf(request);
  const reason = stringOf(details["reason"]);
  const cwd: Fact[] = stringOf(details["cwd"]) === null ? [] : [{ label: "Folder", value: String(details["cwd"]), mono: true }];
  switch (request.method) {
    case "item/commandExecution/requestApproval":
    case "execCommandApproval":
      return describeCommand(details, cwd, reason);
    case "item/fileChange/requestApproval":
    case "applyPatchApproval": {
      const root = stringOf(details["grantRoot"]);
      const facts: Fact[] = root === null ? [] : [{ label: "Asks to write under", value: root, mono: true }];
      return { badge: "File change", heading: "Apply these changes?", command: null, facts, reason, icon: "edit" };
    }
    case "item/permissions/requestApproval":
      return {
        badge: "Permissions",
        heading: "Grant more permissions?",
        command: null,
        facts: [...permissionFacts(details["permissions"]), ...cwd],
        reason,
        icon: "shield",
      };
    case "item/tool/call":
      return { badge: "Tool call", heading: `Answer the tool ${request.tool ?? "call"}`, command: null, facts: [], reason, icon: "tool" };
    case "mcpServer/elicitation/request":
      return describeElicitation(details);
    default: {
      const call = mcpToolCall(request);
      if (call !== undefined) return describeMcpCall(call);
      if (request.kind === "question")
        return { badge: "Question", heading: "The agent has a question", command: null, facts: [], reason, icon: "question" };
      return { badge: request.method, heading: request.summary, command: null, facts: [], reason, icon: "dot" };
    }
  }
}

function describeMcpCall({ server, tool, title, arguments: given }: McpToolCall): Description {
  return {
    badge: "MCP tool",
    heading: `Let ${server} run ${tool}?`,
    command: JSON.stringify(given ?? {}, null, 2),
    facts: [
      { label: "Server", value: server, mono: true },
      { label: "Tool", value: tool, mono: true },
      ...(title === null ? [] : [{ label: "It calls itself", value: title }]),
    ],
    reason: null,
    icon: "tool",
  };
}

function describeCommand(details: Readonly<Record<string, unknown>>, cwd: readonly Fact[], reason: string | null): Description {
  const raw = Array.isArray(details["command"]) ? details["command"].map(String).join(" ") : (stringOf(details["command"]) ?? "");
  const network = details["networkApprovalContext"];
  const outside = details["outsideSandbox"] === true;
  const extra = [
    ...(outside ? [{ label: "Sandbox", value: "leaves it: the command gets all of your own rights" }] : []),
    ...riskFact(details["risk"]),
    ...permissionFacts(details["additionalPermissions"]),
  ];
  if (isRecord(network)) {
    const host = String(network["host"] ?? "?");
    const facts = [{ label: "Host", value: host, mono: true }, { label: "Protocol", value: String(network["protocol"] ?? "?") }, ...cwd];
    return {
      badge: "Network",
      heading: `Connect to ${host}?`,
      command: raw === "" ? null : unwrapShell(raw),
      facts,
      reason,
      icon: "globe",
    };
  }
  if (details["kind"] === "writeStdin")
    return {
      badge: "Terminal input",
      heading: "Type this into the running command?",
      command: raw,
      facts: [...cwd, ...extra],
      reason,
      icon: "terminal",
    };
  return {
    badge: "Command",
    heading: outside ? "Run this command outside the sandbox?" : "Run this command?",
    command: unwrapShell(raw),
    facts: [...extra, ...cwd],
    reason,
    icon: "terminal",
  };
}

function describeElicitation(details: Readonly<Record<string, unknown>>): Description {
  const server = String(details["serverName"] ?? "A server");
  const reason = stringOf(details["message"]) ?? stringOf(details["description"]);
  if (details["mode"] === "url") {
    const url = String(details["url"] ?? "");
    return {
      badge: "Link",
      heading: `${server} asks you to open a page`,
      command: null,
      facts: [
        { label: "Host", value: hostOf(url), mono: true },
        { label: "Address", value: url, mono: true },
      ],
      reason,
      icon: "globe",
    };
  }
  return { badge: "Form", heading: `${server} needs some information`, command: null, facts: [], reason, icon: "form" };
}

/** The engine's assessment of the command, if it sends one. */
const riskFact = (risk: unknown): readonly Fact[] => (typeof risk === "string" && risk !== "" ? [{ label: "Risk", value: risk }] : []);

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "not a valid address";
  }
}

function permissionFacts(profile: unknown): readonly Fact[] {
  if (!isRecord(profile)) return [];
  const facts: Fact[] = [];
  const network = profile["network"];
  if (isRecord(network) && network["enabled"] === true) facts.push({ label: "Network", value: "full access" });
  const files = profile["fileSystem"];
  if (!isRecord(files)) return facts;
  for (const access of ["read", "write"] as const) {
    const paths = files[access];
    if (Array.isArray(paths))
      for (const path of paths) facts.push({ label: access === "read" ? "Read" : "Write", value: String(path), mono: true });
  }
  if (Array.isArray(files["entries"]))
    for (const entry of files["entries"])
      if (isRecord(entry)) facts.push({ label: spacedAccess(String(entry["access"])), value: pathText(entry["path"]), mono: true });
  // Servers send folders in the older form and in the newer one.
  return facts.filter((fact, i) => facts.findIndex(({ label, value }) => label === fact.label && value === fact.value) === i);
}

const spacedAccess = (access: string): string => access.charAt(0).toUpperCase() + access.slice(1);

function pathText(path: unknown): string {
  if (!isRecord(path)) return String(path);
  if (path["type"] === "path") return String(path["path"]);
  if (path["type"] === "glob_pattern") return String(path["pattern"]);
  const value = path["value"];
  if (!isRecord(value)) return JSON.stringify(path);
  const names: Record<string, string> = {
    root: "the whole disk",
    minimal: "system files",
    project_roots: "the project",
    tmpdir: "the temp folder",
    slash_tmp: "/tmp",
  };
  const name = names[String(value["kind"])] ?? String(value["path"] ?? value["kind"]);
  return typeof value["subpath"] === "string" ? `${name} → ${value["subpath"]}` : name;
}

/** Commands usually arrive wrapped in a shell call; people decide about its content. The wrapped form is in the raw details. */
export const unwrapShell = (command: string): string => scriptOf(command).script;

/** One short sentence for the screen reader and for notifications. */
export function announcement(request: PendingRequest): string {
  const { badge, command, heading } = describe(request);
  const title = request.sessionTitle ?? "A session";
  return command === null
    ? `${title} needs you. ${badge}: ${heading}`
    : `${title} needs you. ${badge}: ${command.split("\n")[0]?.slice(0, 120) ?? ""}`;
}
