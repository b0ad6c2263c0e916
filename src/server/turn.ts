/** `turn/*`: one request of a person and what the agent does about it. */
import path from "node:path";
import type { ModelItem } from "../core/ports/model-client.ts";
import type { SettingsChange } from "../core/settings/settings.ts";
import { steer } from "../core/turn/input.ts";
import type { TurnInput } from "../core/turn/steering.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { settingsForTurn, settingsIn } from "../protocol/settings.ts";
import type { AdditionalContextEntry, TurnStartParams, TurnSteerParams, turnRequests } from "../protocol/turn.ts";
import type { HandlersFor } from "./app.ts";
import { environmentChange } from "./environments.ts";
import { announceConfigChanges } from "./thread-settings.ts";
import { asksForTour, noteIfProgram } from "./tour.ts";

export const turnHandlers: HandlersFor<Pick<typeof turnRequests, "turn/start" | "turn/steer" | "turn/interrupt">> = {
  async "turn/start"(params, { app, session, after }) {
    const thread = app.threads.require(params.threadId);
    if (params.toolOutput) throw invalidRequest("toolOutput is not accepted here: answer item/tool/call, or send the result as input");
    // Whoever starts a turn instead of answering the questions of a revived one has moved on; a client that wants to add to it steers it.
    thread.goOn();
    await (thread.turn?.questions.isUntouched === true ? thread.makeRoom() : thread.readyToWrite());
    thread.clients.beginTurn((session.onBehalfOf ?? session).client.name);
    noteIfProgram(thread, session);
    if (asksForTour(params)) thread.clients.askForTour();
    const { config } = thread;
    const { turn, accepted, begin } = thread.startTurn(inputFrom(params), changeFrom(params), {
      outputSchema: params.outputSchema ?? undefined,
      overrides: settingsForTurn(params),
      asksWithoutInput: session.dialect === "0.166",
    });
    await accepted;
    after(() => announceConfigChanges(thread, app));
    after(() => {
      for (const summary of thread.config.warnings)
        if (!config.warnings.includes(summary)) app.subscriptions.toThread(thread.id, "configWarning", { summary, details: null });
    });
    after(begin); // separate: the turn starts even if the announcements fail
    return { turn: turn.toWire("inProgress", "empty") };
  },

  async "turn/steer"(params, { app }) {
    const thread = app.threads.require(params.threadId);
    const turn = thread.turn;
    if (turn === undefined || !turn.takesInput) throw invalidRequest("no active turn to steer");
    if (turn.id !== params.expectedTurnId)
      throw invalidRequest(`expected active turn id \`${params.expectedTurnId}\` but found \`${turn.id}\``);
    if (params.input.length === 0) throw invalidRequest("input must not be empty");
    thread.refuseUnsteerable(turn);
    await steer(turn, inputFrom(params));
    return { turnId: turn.id };
  },

  "turn/interrupt"(params, { app }) {
    const thread = app.threads.require(params.threadId);
    const { turn } = thread;
    if (turn === undefined) throw invalidRequest("no active turn to interrupt");
    if (turn.id !== params.turnId) throw invalidRequest(`expected active turn id ${params.turnId} but found ${turn.id}`);
    turn.interrupt();
    return {};
  },
};

const inputFrom = (params: TurnStartParams | TurnSteerParams): TurnInput => ({
  content: params.input,
  clientId: params.clientUserMessageId ?? undefined,
  context: Object.entries(params.additionalContext ?? {}).map(contextItem),
  ...metadataFrom(params),
});

function metadataFrom(params: TurnStartParams | TurnSteerParams): Pick<TurnInput, "metadata"> {
  const { responsesapiClientMetadata: all, responsesapiClientMetadataPatch: patch } = params;
  return all || patch ? { metadata: { all: all ?? undefined, patch: patch ?? {} } } : {};
}

/** An application's own context has the developer role; context from elsewhere is marked as untrusted. */
function contextItem([name, { kind, value }]: [string, AdditionalContextEntry]): ModelItem {
  const isForeign = kind === "untrusted";
  const tag = `${isForeign ? "external_" : ""}${name}`;
  // Untrusted text must not close its own tag.
  const text = isForeign ? value.replaceAll(`</${tag}`, `<\\/${tag}`) : value;
  return {
    type: "message",
    role: isForeign ? "user" : "developer",
    content: [{ type: "input_text", text: `<${tag}>${text}</${tag}>` }],
  };
}

function changeFrom(params: TurnStartParams): SettingsChange {
  const { cwd, ...change } = settingsIn("turn", params);
  return { ...change, cwd: cwd ? path.resolve(cwd) : undefined, ...environmentChange(params.environments) };
}
