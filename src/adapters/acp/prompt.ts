/** Parses what the person typed in the editor: input for a turn, or a command of this agent. */
import { fileURLToPath } from "node:url";
import type { AvailableCommand, ContentBlock, EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk/unstable";
import { invalidRequest } from "../../protocol/errors.ts";
import type { UserInput } from "../../protocol/item.ts";

export type Request =
  | { readonly kind: "input"; readonly input: UserInput[] }
  | { readonly kind: "compact" }
  | { readonly kind: "undo"; readonly withFiles: boolean }
  | { readonly kind: "review"; readonly instructions: string };

export const availableCommands: AvailableCommand[] = [
  {
    name: "review",
    description: "Review the uncommitted changes, or follow the instructions given after it",
    input: { hint: "what to review (optional)" },
  },
  { name: "compact", description: "Summarize the conversation so far to make room" },
  {
    name: "undo",
    description: "Take the last turn out of the conversation; /undo files puts its files back too",
    input: { hint: "files (optional)" },
  },
];

export function requestFrom(blocks: readonly ContentBlock[]): Request {
  const [first] = blocks;
  const [, command, rest] = (first?.type === "text" ? /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(first.text.trim()) : null) ?? [];
  if (command === "compact") return { kind: "compact" };
  if (command === "undo") return { kind: "undo", withFiles: undoFiles(rest) };
  if (command === "review") return { kind: "review", instructions: (rest ?? "").trim() };
  return { kind: "input", input: blocks.map(inputFrom) };
}

function undoFiles(argument = ""): boolean {
  const wanted = argument.trim();
  if (wanted !== "" && wanted !== "files") throw invalidRequest(`/undo takes \`files\` or nothing, not \`${wanted}\``);
  return wanted === "files";
}

const text = (value: string): UserInput => ({ type: "text", text: value, text_elements: [] });

function inputFrom(block: ContentBlock): UserInput {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return { type: "image", url: block.data === "" && block.uri ? block.uri : `data:${block.mimeType};base64,${block.data}` };
    case "resource_link":
      return text(linkText(block));
    case "resource":
      return fromResource(block);
    default:
      throw invalidRequest(`this agent cannot take ${block.type} in a prompt`);
  }
}

/** A file is linked by its path, which the agent's tools accept; anything else by its URI. */
const linkText = ({ uri, name }: ResourceLink): string => `[@${name}](${pathOf(uri) ?? uri})`;

function fromResource({ resource }: EmbeddedResource): UserInput {
  const where = pathOf(resource.uri) ?? resource.uri;
  if ("text" in resource) return text(`<context ref="${where}">\n${resource.text}\n</context>`);
  if (resource.mimeType?.startsWith("image/")) return { type: "image", url: `data:${resource.mimeType};base64,${resource.blob}` };
  throw invalidRequest(`${where} is not text; attach pictures as images and name other files by a link`);
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
