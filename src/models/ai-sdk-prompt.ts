/** Writes a thread's history as the prompt of an AI SDK language model. */
import { developerText, type Entry, foreignReasoning, noPdf, type Part, unseal } from "./convert.ts";
import { isRecord, parseJson } from "./json.ts";
import type { FlatTools } from "./tools.ts";

export interface AiSdkHistory {
  readonly instructions: string;
  readonly entries: readonly Entry[];
  readonly flat: FlatTools;
  /** The specification's version: the format of files changed in v4. */
  readonly version: string;
  readonly takesPdf: boolean;
  /** The provider caches only what is marked. */
  readonly isCached: boolean;
  readonly warnings: string[];
}

type Message = { readonly role: "system" | "user" | "assistant" | "tool"; readonly content: unknown[] };

/** Each provider reads only the options under its own name. */
export const cacheMark = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } }, bedrock: { cachePoint: { type: "default" } } },
};

export function aiSdkPrompt(history: AiSdkHistory): readonly unknown[] {
  const messages: Message[] = [];
  const names = new Map<string, string>();
  const put = (role: Message["role"], ...parts: unknown[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...parts);
    else messages.push({ role, content: parts });
  };
  const firstMessage = history.entries.findIndex((entry) => entry.kind !== "developer");
  const lead = firstMessage < 0 ? history.entries.length : firstMessage;
  let shown: Part[] = [];
  const written = (part: Part): unknown => partOf(part, history);
  const show = (): void => {
    if (shown.length > 0) put("user", ...shown.map(written));
    shown = [];
  };
  for (const entry of history.entries.slice(lead)) {
    if (entry.kind !== "result") show();
    switch (entry.kind) {
      case "developer":
        put("user", { type: "text", text: developerText(entry.text) });
        break;
      case "user":
        put("user", ...entry.parts.map(written));
        break;
      case "assistant":
        put("assistant", { type: "text", text: entry.text });
        break;
      case "reasoning": {
        const own = unseal("ai-sdk", entry.sealed);
        if (own !== undefined) put("assistant", { type: "reasoning", text: entry.summary || entry.content, providerOptions: own });
        else if (entry.sealed !== undefined && !history.warnings.includes(foreignReasoning)) history.warnings.push(foreignReasoning);
        break;
      }
      case "call": {
        const { name, args } = history.flat.callOut(entry);
        names.set(entry.callId, name);
        const own = unseal("ai-sdk", entry.sealed);
        const options = isRecord(own) ? { providerOptions: own } : {};
        put("assistant", { type: "tool-call", toolCallId: entry.callId, toolName: name, input: parseJson(args) ?? {}, ...options });
        break;
      }
      case "result": {
        const text = entry.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
        const toolName = names.get(entry.callId) ?? "tool";
        put("tool", {
          type: "tool-result",
          toolCallId: entry.callId,
          toolName,
          output: { type: entry.isError ? "error-text" : "text", value: text },
        });
        const images = entry.parts.filter((part) => part.kind !== "text");
        if (images.length > 0) shown.push({ kind: "text", text: "Images from the tool's result:" }, ...images);
        break;
      }
      case "hosted":
        break;
    }
  }
  show();
  const system = [
    history.instructions,
    ...history.entries.slice(0, lead).flatMap((entry) => (entry.kind === "developer" ? [entry.text] : [])),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
  const mark = history.isCached ? cacheMark : {};
  const ends = new Set(messages.flatMap(({ role }, i) => (role === "user" || role === "tool" ? [i] : [])).slice(-2));
  return [
    ...(system === "" ? [] : [{ role: "system", content: system, ...mark }]),
    ...messages.map((message, i) => (ends.has(i) ? { ...message, ...mark } : message)),
  ];
}

function partOf(part: Part, { version, takesPdf }: AiSdkHistory): unknown {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "pdf" && !takesPdf) return { type: "text", text: noPdf };
  const data = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(part.url);
  const mediaType = data?.[1] ?? "image/*";
  const isNew = version !== "v2" && version !== "v3";
  if (data !== null) return { type: "file", mediaType, data: isNew ? { type: "data", data: data[2] } : data[2] };
  const url = URL.canParse(part.url) ? new URL(part.url) : new URL("about:blank");
  return { type: "file", mediaType, data: isNew ? { type: "url", url } : url };
}
