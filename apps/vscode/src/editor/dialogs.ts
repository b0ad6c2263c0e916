/** The native dialogs: approvals as modal dialogs or pickers, questions and forms step by step. Each returns at most one answer. */
import { env, type MessageItem, type QuickPickItem, QuickPickItemKind, Uri, window } from "vscode";
import type { RequestAnswer } from "../../../web/src/connection/connection.ts";
import { type Choice, choicesFor, detailsOf, stringOf } from "../../../web/src/parts/requests/choices.ts";
import { type Description, describe } from "../../../web/src/parts/requests/describe.ts";
import { elicitationContent, elicitationFields, questionFields, questionResponse } from "../../../web/src/parts/requests/forms.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import { cancelled } from "../host/answers.ts";
import { askFields } from "../host/steps.ts";
import { widgetsFor } from "./widgets.ts";

/** Undefined leaves the request open: its card stays in the panel. */
export type DialogAnswer = RequestAnswer | undefined;

export async function showDialog(request: PendingRequest, approvals: "modal" | "picker", signal: AbortSignal): Promise<DialogAnswer> {
  switch (request.kind) {
    case "question":
      return askQuestion(request, signal);
    case "elicitation":
      return detailsOf(request)["mode"] === "url" ? askLink(request, signal) : askForm(request, signal);
    case "command":
    case "fileChange":
    case "permissions":
      return approvals === "modal" ? askModal(request, signal) : askPicker(request, signal);
    default:
      return undefined;
  }
}

/* Approvals */

interface ChoiceItem extends MessageItem {
  readonly choice: Choice | undefined;
}

/** The editor has no API to close a modal dialog: an answer that comes after another client's is dropped by the caller. */
async function askModal(request: PendingRequest, signal: AbortSignal): Promise<DialogAnswer> {
  const description = describe(request);
  const items = choicesFor(request).map((choice): ChoiceItem => ({ title: choice.label, choice }));
  const later: ChoiceItem = { title: "Decide later", isCloseAffordance: true, choice: undefined };
  const options = { modal: true, detail: factsText(request, description) };
  const picked = await window.showWarningMessage(description.heading, options, ...items, later);
  return signal.aborted || picked?.choice === undefined ? undefined : { response: picked.choice.response };
}

interface PickerItem extends QuickPickItem {
  readonly choice: Choice | undefined;
}

function askPicker(request: PendingRequest, signal: AbortSignal): Promise<DialogAnswer> {
  const description = describe(request);
  const picker = window.createQuickPick<PickerItem>();
  picker.title = description.heading;
  picker.placeholder = "Choose what to do; Escape leaves it in the panel";
  picker.ignoreFocusOut = true;
  // The question comes first and is what Enter selects: a list that opens while someone types must not be answered by accident.
  const what: PickerItem = {
    label: `$(question) ${oneLine(description.command ?? request.summary)}`,
    detail: factLines(request, { ...description, command: null }).join("  ·  "),
    alwaysShow: true,
    choice: undefined,
  };
  const choices = choicesFor(request).map(
    (choice): PickerItem => ({ label: choice.label, ...(choice.detail === null ? {} : { description: choice.detail }), choice }),
  );
  const line: PickerItem = { label: "Your decision", kind: QuickPickItemKind.Separator, choice: undefined };
  picker.items = [what, line, ...choices, { label: "Decide later", description: "leave it in the panel", choice: undefined }];
  return new Promise((resolve) => {
    const close = (): void => picker.hide();
    const end = (answer: DialogAnswer): void => {
      signal.removeEventListener("abort", close);
      resolve(answer);
      picker.dispose();
    };
    picker.onDidAccept(() => {
      const [picked] = picker.selectedItems;
      if (picked !== what) end(picked?.choice === undefined ? undefined : { response: picked.choice.response });
    });
    picker.onDidHide(() => end(undefined));
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) return end(undefined);
    picker.show();
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ⏎ ");

/** Command, folder, reason, risk: what a user needs to decide, one per line. */
function factLines(request: PendingRequest, { command, facts, reason }: Description): readonly string[] {
  const details = detailsOf(request);
  const files = Array.isArray(details["changes"]) ? details["changes"].flatMap(fileLine) : [];
  return [
    ...(command === null || command === "" ? [] : [`Command: ${command}`]),
    ...(reason === null ? [] : [`Reason: ${reason}`]),
    ...facts.map((fact) => `${fact.label}: ${fact.value}`),
    ...files,
  ];
}
const factsText = (request: PendingRequest, description: Description): string => factLines(request, description).join("\n");

function fileLine(change: unknown): readonly string[] {
  if (typeof change !== "object" || change === null) return [];
  const { path, type, summary } = change as Record<string, unknown>;
  return [`File: ${[type, path].filter((part) => typeof part === "string").join(" ")}${typeof summary === "string" ? `, ${summary}` : ""}`];
}

/* Questions and forms */

async function askQuestion(request: PendingRequest, signal: AbortSignal): Promise<DialogAnswer> {
  const fields = questionFields(request);
  const asked = await askFields("Parley asks", fields, widgetsFor(signal));
  if (asked.kind === "answered") return { response: questionResponse(fields, asked.values) };
  return asked.kind === "cancel" ? { error: { message: cancelled.message } } : undefined;
}

async function askForm(request: PendingRequest, signal: AbortSignal): Promise<DialogAnswer> {
  const fields = elicitationFields(request);
  const server = stringOf(detailsOf(request)["serverName"]) ?? "A server";
  if (fields.length === 0) return askConfirmation(request, server, signal);
  const asked = await askFields(`${server}: ${request.summary}`, fields, widgetsFor(signal));
  if (asked.kind === "answered") return { response: { action: "accept", content: elicitationContent(fields, asked.values) } };
  return asked.kind === "cancel" ? { response: { action: "cancel" } } : undefined;
}

/** A form without fields asks for confirmation. */
async function askConfirmation(request: PendingRequest, server: string, signal: AbortSignal): Promise<DialogAnswer> {
  const option = (label: string, value: string) => ({ label, value, description: null });
  const field = {
    ...{ id: "action", label: request.summary, help: null, input: "one" as const, allowOther: false, required: true },
    ...{ options: [option("Accept", "accept"), option("Decline", "decline")], format: null, min: null, max: null },
    initial: { picked: [], text: "", other: false },
  };
  const asked = await askFields(server, [field], widgetsFor(signal));
  if (asked.kind === "answered")
    return { response: asked.values["action"]?.picked[0] === "accept" ? { action: "accept", content: {} } : { action: "decline" } };
  return asked.kind === "cancel" ? { response: { action: "cancel" } } : undefined;
}

async function askLink(request: PendingRequest, signal: AbortSignal): Promise<DialogAnswer> {
  const { facts, heading } = describe(request);
  const url = stringOf(detailsOf(request)["url"]) ?? "";
  const detail = facts.map((fact) => `${fact.label}: ${fact.value}`).join("\n");
  const picked = await window.showInformationMessage(heading, { modal: true, detail }, "Open the page", "Decline");
  if (signal.aborted) return undefined;
  if (picked === "Decline") return { response: { action: "decline" } };
  if (picked === undefined || !/^https?:/i.test(url)) return { response: { action: "cancel" } };
  const opened = await env.openExternal(Uri.parse(url, true));
  return opened ? { response: { action: "accept", content: {} } } : undefined;
}
