/** Messages between agents, as their models read them. None of them is taken for a message of the person. */
import type { CollabAgentState, UserInput } from "../../protocol/item.ts";
import { userMessage } from "../context/history.ts";
import { modelStatus } from "../ports/agent-status.ts";
import type { Agent } from "../ports/agents.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";

/** Characters of an agent's result that its parent's model reads. */
const maxResult = 40_000;

interface Reader {
  readonly settings: ThreadSettings;
  readonly ports: { readonly catalog: { find(model: string): { readonly agentTools: "v1" | "v2" } } };
}
interface Route {
  readonly to: string;
  readonly from: string;
}

/** Whether it is addressed by a path. */
export const isAddressed = (agent: Agent): boolean => agent.path !== null;

const header = (kind: string, { to, from }: Route): string => `Message Type: ${kind}\nTask name: ${to}\nSender: ${from}\nPayload:\n`;

/** Precedes the task that an agent's turn begins with. */
export const taskHeader = (route: Route): ModelItem => userMessage(header("NEW_TASK", route));

export function messageNote(kind: "MESSAGE" | "FINAL_ANSWER", route: Route & { content: readonly UserInput[] }, reader: Reader): ModelItem {
  const payload = route.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const text = `${header(kind, route)}${payload}`;
  // Only models that were trained on this kind of item are sent it.
  if (reader.ports.catalog.find(reader.settings.model).agentTools !== "v2")
    return userMessage(`<agent_message>\n${text}\n</agent_message>`);
  return { type: "agent_message", author: route.from, recipient: route.to, content: [{ type: "input_text", text }] };
}

/** An agent's result for its parent. */
export function resultNote(agent: Agent, state: CollabAgentState, parent: { readonly to: string; readonly of: Reader }): ModelItem {
  const message = shortened(state.message ?? "");
  if (agent.path !== null) {
    const text = state.status === "errored" ? `It failed: ${message}` : message;
    return messageNote("FINAL_ANSWER", { to: parent.to, from: agent.path, content: [{ type: "text", text }] }, parent.of);
  }
  const status = modelStatus({ ...state, message });
  return userMessage(
    `<subagent_notification>\n${JSON.stringify({ agent_path: agent.id, nickname: agent.nickname, status })}\n</subagent_notification>`,
  );
}

const shortened = (text: string): string =>
  text.length <= maxResult ? text : `${text.slice(0, maxResult)}\n[${text.length - maxResult} characters left out]`;
