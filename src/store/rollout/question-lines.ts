/** The lines of a log of open questions, which a file or a fleet's engine keeps. Anything but a whole and valid log counts as none. */
import type { AskingTurnEntry, CallEntry, OpenQuestions } from "../../core/ports/open-questions.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { fitsOnce } from "../../lib/schema.ts";
import { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import { isObject, isString, isThreadItem, type Json } from "./shapes.ts";
import { isThreadSettings } from "./turn-context.ts";

/** More entries than any answer's calls can need. */
const maxEntries = 2000;
/** A longer answer is not stored: its question is asked again. A longer item is left out. */
const maxPartLength = 256 * 1024;

export const linesOfQuestions = ({ turn, calls }: OpenQuestions): string =>
  `${[turn, ...calls].flatMap((entry) => lineOfEntry(entry) ?? []).join("\n")}\n`;

/** Without its line end; undefined for an entry that is not kept. */
export function lineOfEntry(entry: AskingTurnEntry | CallEntry): string | undefined {
  const line = JSON.stringify(entry);
  if (line.length <= maxPartLength) return line;
  if (entry.type === "answered") return undefined;
  return entry.type === "asked" || entry.type === "begun" ? JSON.stringify({ ...entry, item: undefined }) : line;
}

/** Without its line end, the last line was not completed: nothing that it announces was done. */
export function questionsIn(text: string): OpenQuestions | undefined {
  const lines = text.split("\n").slice(0, -1);
  if (lines.length === 0 || lines.length > maxEntries) return undefined;
  const [turn, ...calls] = lines.map(parseJson);
  return isTurn(turn) && calls.every(isCall) ? { turn, calls } : undefined;
}

const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

const isTurn = (value: unknown): value is AskingTurnEntry =>
  isObject(value) &&
  value["type"] === "turn" &&
  isString(value["turnId"]) &&
  isThreadSettings(value["settings"]) &&
  isLimits(value["configured"]) &&
  isLimits(value["ofThread"]) &&
  isThreadSettings({ ...value["settings"], ...(isObject(value["overrides"]) ? value["overrides"] : {}) }) &&
  isStrings(value["waiting"]);

const isLimits = (value: unknown): boolean =>
  isObject(value) && fitsOnce(SandboxPolicy(), value["sandboxPolicy"]) && fitsOnce(AskForApproval(), value["approvalPolicy"]);

function isCall(value: unknown): value is CallEntry {
  if (!isObject(value) || !isString(value["callId"])) return false;
  const hasItem = value["item"] === undefined || isThreadItem(value["item"]);
  switch (value["type"]) {
    case "entered":
      return true;
    case "asked":
      return isString(value["digest"]) && hasItem;
    case "begun":
      return hasItem;
    case "answered":
      return isString(value["digest"]) && isGiven(value["answer"]);
    default:
      return false;
  }
}

const isGiven = (value: unknown): boolean => isObject(value) && isString(value["by"]) && isAnswer(value);
const isAnswer = ({ kind, message, result }: Json): boolean =>
  kind === "answered" ? result !== undefined : kind === "refused" && isString(message);
