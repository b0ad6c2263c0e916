/** The messages that a conversation begins with (instructions, project documents, environment, skills), and which of them a model has read. */
import type { UserInput } from "../../protocol/item.ts";
import type { ImageDetail } from "../../protocol/model-item.ts";
import type { Config } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import { type ResolvedFiles, resolvedFiles } from "../ports/file-access.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { NetworkRules } from "../ports/network-access.ts";
import { networkRulesOf } from "../ports/network-rules.ts";
import type { ModelChoice, ThreadSettings } from "../ports/settings.ts";
import type { ProjectDoc } from "../ports/surroundings.ts";
import { developerMessage, type History, userMessage } from "./history.ts";
import { basePrompt, memoryText, modeText, permissionsText, personalityText } from "./prompts.ts";
import type { SeenContext } from "./seen-context.ts";
import { truncateMiddle } from "./tokens.ts";

/** What the model reads when the person interrupted the previous turn. */
export const abortedNote =
  "<turn_aborted>\nThe user interrupted the previous turn on purpose. Commands that were running have been stopped; some of their effects may remain. Check the current state before you build on it.\n</turn_aborted>";

/** The thread that a conversation belongs to. */
export interface ContextThread {
  readonly settings: ThreadSettings;
  readonly config: Config;
  readonly ports: Pick<CorePorts, "clock" | "memories" | "skills" | "surroundings">;
  readonly history: Pick<History, "items">;
  readonly seenContext: SeenContext;
  /** What people granted beyond the settings. */
  readonly grants: { widen(settings: ThreadSettings): ThreadSettings };
  contextWindow(of: ModelChoice): number;
}

/** One message of the context; it is sent again when its text has changed. */
interface Part {
  readonly key: string;
  readonly role: "developer" | "user";
  readonly text: string;
}

/** The context messages that the model has not seen in their current form. */
export async function freshContext(thread: ContextThread): Promise<ModelItem[]> {
  const seen = thread.seenContext.texts ?? seenIn(thread.history.items, thread.settings.developerInstructions);
  const parts = await contextParts(thread, thread.grants.widen(thread.settings));
  const fresh = parts.filter((part) => seen.get(part.key) !== part.text);
  thread.seenContext.replace(new Map(parts.map((part) => [part.key, part.text])));
  return fresh.map(messageOf);
}

const messageOf = ({ role, text }: Part): ModelItem => (role === "developer" ? developerMessage(text) : userMessage(text));

const reviewersParts: ReadonlySet<string> = new Set(["permissions", "developer", "docs", "environment"]);

/** What a reviewer must know about the project: its rules, its location, and the reviewer's permissions. */
export async function reviewContext(thread: ContextThread, settings: ThreadSettings): Promise<ModelItem[]> {
  const parts = await contextParts(thread, settings);
  return parts.filter(({ key }) => reviewersParts.has(key)).map(messageOf);
}

export function previewOf(content: readonly UserInput[]): string {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text.trim() === "" && content.length > 0 ? "[Image]" : text;
}

export type MessageContent = Extract<ModelItem, { type: "message" }>["content"];

/** Text only, for when files can no longer be read: an image on disk is only named. */
export function plainMessage(content: readonly UserInput[]): ModelItem {
  return { type: "message", role: "user", content: content.flatMap(plainPart) };
}

export function plainPart(part: UserInput): MessageContent {
  if (part.type === "text") return [{ type: "input_text", text: part.text }];
  if (part.type === "image") return "url" in part ? imageParts(part.url, part.detail) : [];
  if (part.type === "localImage") return [{ type: "input_text", text: `[image ${part.path}]` }];
  return part.type === "mention" ? [{ type: "input_text", text: `[@${part.name}](${part.path})` }] : [];
}

/** Images default to high detail. Providers have no `original`: they get the largest size they accept. */
export const imageParts = (url: string, detail: ImageDetail | null | undefined): MessageContent => [
  { type: "input_text", text: "<image>" },
  { type: "input_image", image_url: url, detail: detail && detail !== "original" ? detail : "high" },
  { type: "input_text", text: "</image>" },
];

async function contextParts(thread: ContextThread, settings: ThreadSettings): Promise<Part[]> {
  const { config, ports } = thread;
  const docs = docsText(settings.cwd, await ports.surroundings.projectDocs(settings, config));
  const parts: (Part | undefined)[] = [
    part("permissions", "developer", permissionsText(settings, networkRulesOf(settings, config))),
    part("developer", "developer", settings.developerInstructions),
    part("mode", "developer", modeText(settings)),
    part("personality", "developer", personalityText(settings.personality)),
    part("memory", "developer", config.features["memories"] === true ? memoryText(await ports.memories?.summary()) : undefined),
    part("skills", "developer", await ports.skills?.catalogue(settings, config)),
    part("docs", "user", docs === undefined ? undefined : truncateMiddle(docs, Math.floor(thread.contextWindow(settings) * docsShare))),
    part("environment", "user", environmentText(settings, thread)),
  ];
  return parts.filter((p) => p !== undefined);
}

/** Project documents must not fill a small window by themselves. */
const docsShare = 0.15;

const part = (key: string, role: Part["role"], text: string | null | undefined): Part | undefined =>
  text === null || text === undefined || text === "" ? undefined : { key, role, text };

function docsText(cwd: string, docs: readonly ProjectDoc[]): string | undefined {
  const texts = docs.map((doc) => doc.text.trim()).filter((text) => text !== "");
  if (texts.length === 0) return undefined;
  const text = texts.join("\n\n--- project-doc ---\n\n");
  return `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

function environmentText(settings: ThreadSettings, { ports, config }: Pick<ContextThread, "ports" | "config">): string {
  const { sandboxPolicy } = settings;
  const rules = networkRulesOf(settings, config);
  const network =
    rules === undefined &&
    (sandboxPolicy.type === "dangerFullAccess" || sandboxPolicy.networkAccess === true || sandboxPolicy.networkAccess === "enabled")
      ? "enabled"
      : "restricted";
  const mode = {
    dangerFullAccess: "danger-full-access",
    externalSandbox: "danger-full-access",
    readOnly: "read-only",
    workspaceWrite: "workspace-write",
  }[sandboxPolicy.type];
  const day = new Date(ports.clock.now()).toISOString().slice(0, 10);
  const lines = [
    `  <cwd>${settings.cwd}</cwd>`,
    `  <approval_policy>${typeof settings.approvalPolicy === "string" ? settings.approvalPolicy : "granular"}</approval_policy>`,
    `  <sandbox_mode>${mode}</sandbox_mode>`,
    `  <network_access>${network}</network_access>`,
    ...(rules === undefined ? [] : [networkLine(rules)]),
    `  <shell>${ports.surroundings.shell().name}</shell>`,
    `  <current_date>${day}</current_date>`,
    `  <timezone>${ports.surroundings.timezone()}</timezone>`,
  ];
  const files = resolvedFiles(settings);
  if (files !== undefined) lines.push(...filesystemLines(settings, files));
  else if (sandboxPolicy.type === "workspaceWrite") {
    const roots = [...new Set([...settings.workspaceRoots, ...(sandboxPolicy.writableRoots ?? [])])];
    lines.push("  <writable_roots>", ...roots.map((root) => `    <root>${root}</root>`), "  </writable_roots>");
  }
  return `<environment_context>\n${lines.join("\n")}\n</environment_context>`;
}

/** The hosts of a long list that the model reads: the others are told when they are tried. */
const mostHosts = 100;

function networkLine({ allow, deny }: NetworkRules): string {
  const list = (tag: string, hosts: readonly string[]): string[] =>
    hosts.slice(0, mostHosts).map((host) => `<${tag}>${escapeXml(host)}</${tag}>`);
  return `  <network enabled="true">${[...list("allowed", allow), ...list("denied", deny)].join("")}</network>`;
}

/** What a permission profile allows, so that the model does not try the rest. */
function filesystemLines({ permissionProfile }: ThreadSettings, { rules, deniedGlobs }: ResolvedFiles): string[] {
  const line = (access: string, at: string): string => `    <entry access="${access}"><path>${escapeXml(at)}</path></entry>`;
  const denied = deniedGlobs.map(({ base, pattern }) => `    <entry access="deny"><glob>${escapeXml(`${base}/${pattern}`)}</glob></entry>`);
  const named = permissionProfile ? ` permission_profile="${escapeXml(permissionProfile)}"` : "";
  return [`  <filesystem${named}>`, ...rules.map(({ path: at, access }) => line(access, at)), ...denied, "  </filesystem>"];
}

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const marks: readonly (readonly [prefix: string, key: string])[] = [
  ["<permissions", "permissions"],
  ["# AGENTS.md instructions", "docs"],
  ["<environment_context>", "environment"],
  ["<collaboration_mode>", "mode"],
  ["<personality", "personality"],
  ["## Memory\n", "memory"],
  ["<skills_instructions>", "skills"],
];

/**
 * The context that the model has read in a stored history: the last message of each kind. Developer instructions have no tag of their own, and
 * neither has hook output: the former are recognized by their text.
 */
function seenIn(items: readonly ModelItem[], instructions: string | null | undefined): Map<string, string> {
  const seen = new Map<string, string>();
  for (const item of items) {
    if (item.type !== "message" || item.role === "assistant") continue;
    const key = contextKey(item);
    const text = firstText(item);
    if (key !== undefined && (key !== "developer" || text === instructions)) seen.set(key, text);
  }
  return seen;
}

/** The kind of a context message; undefined for other messages. */
function contextKey(item: ModelItem): string | undefined {
  if (item.type !== "message" || item.role === "assistant") return undefined;
  const text = firstText(item);
  return marks.find(([prefix]) => text.startsWith(prefix))?.[1] ?? (item.role === "developer" ? "developer" : undefined);
}
export const isContext = (item: ModelItem): boolean => contextKey(item) !== undefined;

export function firstText(item: ModelItem): string {
  const first = item.type === "message" ? item.content[0] : undefined;
  return first !== undefined && first.type === "input_text" ? first.text : "";
}

/** The base prompt: the thread's own, or ours. */
export function instructionsFor(thread: ContextThread): string {
  return thread.settings.baseInstructions ?? basePrompt({ hasRipgrep: thread.ports.surroundings.hasProgram("rg") });
}
