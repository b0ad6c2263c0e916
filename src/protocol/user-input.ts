/** Questions of the agent to the user. Sent by core on behalf of the tools that ask. */
import {
  array,
  boolean,
  type Infer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
  unknown,
} from "../lib/schema.ts";
import { request } from "./define.ts";
import { McpServerElicitationRequestParams, McpServerElicitationRequestResponse } from "./elicitation.ts";

export const ToolRequestUserInputParams = named("ToolRequestUserInputParams", () =>
  object({
    isBlocking: boolean(),
    itemId: string(),
    questions: array(ToolRequestUserInputQuestion()),
    threadId: string(),
    turnId: string(),
    autoResolutionMs: maybe(natural()),
    prompt: maybe(string()),
    toolCallId: optional(string()),
    /** Set if the question is whether a tool of an MCP server may run. */
    mcpToolCall: optional(McpToolCallQuestion()),
  }),
);
export type ToolRequestUserInputParams = Infer<typeof ToolRequestUserInputParams>;

export const McpToolCallQuestion = named("McpToolCallQuestion", () =>
  object({
    server: string(),
    tool: string(),
    /** The server's display title for the tool, if it differs. */
    title: nullable(string()),
    arguments: unknown(),
    /** The server is defined by a project, so a permanent permission cannot be stored in the user's settings. */
    ofProject: boolean(),
  }),
);
export type McpToolCallQuestion = Infer<typeof McpToolCallQuestion>;

export const ToolRequestUserInputResponse = named("ToolRequestUserInputResponse", () =>
  object({ answers: record(ToolRequestUserInputAnswer()) }),
);
export type ToolRequestUserInputResponse = Infer<typeof ToolRequestUserInputResponse>;

export const ToolRequestUserInputQuestion = named("ToolRequestUserInputQuestion", () =>
  object({
    header: string(),
    id: string(),
    question: string(),
    isOther: optional(boolean()),
    isSecret: optional(boolean()),
    options: maybe(array(ToolRequestUserInputOption())),
    allowOther: optional(boolean()),
    text: optional(string()),
    /** Whether several options may be chosen, and the questionnaire's name for it. */
    multiple: optional(boolean()),
    type: optional(literals("single_choice", "multi_choice")),
  }),
);
export type ToolRequestUserInputQuestion = Infer<typeof ToolRequestUserInputQuestion>;

export const ToolRequestUserInputAnswer = named("ToolRequestUserInputAnswer", () => object({ answers: array(string()) }));
export type ToolRequestUserInputAnswer = Infer<typeof ToolRequestUserInputAnswer>;

export const ToolRequestUserInputOption = named("ToolRequestUserInputOption", () => object({ description: string(), label: string() }));
export type ToolRequestUserInputOption = Infer<typeof ToolRequestUserInputOption>;

export const SeedToolQuestionsParams = named("SeedToolQuestionsParams", () =>
  object({ ...seedIds(), questions: array(object({ text: string(), options: array(string()), isOther: boolean() })) }),
);
export type SeedToolQuestionsParams = Infer<typeof SeedToolQuestionsParams>;

export const SeedOpenQuestionParams = named("SeedOpenQuestionParams", () => object({ ...seedIds(), prompt: string() }));
export type SeedOpenQuestionParams = Infer<typeof SeedOpenQuestionParams>;

export const SeedQuestionnaireParams = named("SeedQuestionnaireParams", () =>
  object({
    ...seedIds(),
    questions: array(
      object({
        type: literals("single_choice", "multi_choice"),
        text: string(),
        options: array(string()),
        allowOther: optional(boolean()),
      }),
    ),
  }),
);
export type SeedQuestionnaireParams = Infer<typeof SeedQuestionnaireParams>;

/** That document shows several forms of answers, so each is recognized by its content. */
export const SeedAnswersResponse = named("SeedAnswersResponse", () =>
  object({ answers: optional(unknown()), userInput: optional(string()) }),
);
export type SeedAnswersResponse = Infer<typeof SeedAnswersResponse>;

/** The document contains only the tool call's id; thread, turn and item are sent too, so that clients can distinguish several threads. */
function seedIds() {
  return { toolCallId: string(), threadId: string(), turnId: string(), itemId: string() };
}

export const userInputServerRequests = {
  /** Asks the user one to three questions, with options or free text. */
  "item/tool/requestUserInput": request({ params: ToolRequestUserInputParams, result: ToolRequestUserInputResponse }),
  /** Forwards a question of an MCP server: a form to fill in or a page to open. */
  "mcpServer/elicitation/request": request({ params: McpServerElicitationRequestParams, result: McpServerElicitationRequestResponse }),
  /** Questions with options, in the form of the `seed-000` dialect. */
  "tool/requestUserInput": request({ params: SeedToolQuestionsParams, result: SeedAnswersResponse, own: true }),
  /** One open question, in the form of the `seed-000` dialect. */
  "agent/requestUserInput": request({ params: SeedOpenQuestionParams, result: SeedAnswersResponse, own: true }),
  /** A questionnaire with single and multiple choice, in the form of the `seed-000` dialect. */
  "agent/askUserQuestion": request({ params: SeedQuestionnaireParams, result: SeedAnswersResponse, own: true }),
};
