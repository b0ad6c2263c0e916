/** What a terminal and an editor's window send each other: one JSON value in each line, after a greeting with the window's token. */
import {
  array,
  type Infer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  parse,
  positive,
  string,
  union,
} from "../lib/schema.ts";
import { FileUpdateChange } from "../protocol/item.ts";
import type { LookedAt } from "./looked-at.ts";

/** Programs of different versions may meet; one that reads another form is not talked to. */
export const form = "parley-ide-1";

/** Longer lines end the connection: a selection has its own, much smaller limit. */
export const maxLine = 8 * 1024 * 1024;
const maxSelection = 20_000;
const maxProblems = 20;
const maxProblemText = 300;
const maxName = 4096;

export const Greeting = named("IdeGreeting", () => object({ ide: literals(form), token: string(), cwd: string() }));

export const Welcome = named("IdeWelcome", () => object({ ide: literals(form) }));

const Seen = named("IdeSeen", () =>
  object({
    file: string(),
    selection: maybe(object({ firstLine: positive(), lastLine: positive(), text: string() })),
    problems: array(string()),
  }),
);

/** What the window sends. */
export const FromWindow = named("IdeFromWindow", () =>
  union([
    object({ type: literals("looking"), seen: nullable(Seen()) }),
    object({ type: literals("done"), id: natural(), problem: optional(string()) }),
    object({ type: literals("decided"), id: natural(), decision: literals("accept", "acceptForSession", "decline") }),
  ]),
);
export type FromWindow = Infer<typeof FromWindow>;

/** What the terminal sends. */
export const FromTerminal = named("IdeFromTerminal", () =>
  union([
    object({ type: literals("open"), id: natural(), file: string(), line: optional(positive()) }),
    object({ type: literals("showChange"), id: natural(), cwd: string(), changes: array(FileUpdateChange()) }),
    object({ type: literals("closeChange"), id: natural() }),
  ]),
);
export type FromTerminal = Infer<typeof FromTerminal>;
export type EditorDecision = Extract<FromWindow, { type: "decided" }>["decision"];

/** Bounded again by whoever receives it: the other side may be any program that has the token. */
export function bounded(seen: Infer<typeof Seen> | LookedAt): LookedAt {
  const { selection, problems } = seen;
  return {
    file: seen.file.slice(0, maxName),
    selection: selection == null ? undefined : { ...selection, text: cut(selection.text) },
    problems: problems.slice(0, maxProblems).map((problem) => problem.slice(0, maxProblemText)),
  };
}

const cut = (text: string): string => (text.length > maxSelection ? `${text.slice(0, maxSelection).toWellFormed()}\n… (cut)` : text);

export const readFromWindow = (value: unknown): FromWindow | undefined => parse(FromWindow, value);
export const readFromTerminal = (value: unknown): FromTerminal | undefined => parse(FromTerminal, value);
