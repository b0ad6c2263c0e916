/** Questions of the agent to the user. Asked by core on behalf of the tools that ask. */
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
    /** Set where the question is whether a tool of an MCP server may run. */
    mcpToolCall: optional(McpToolCallQuestion()),
  }),
);
export type ToolRequestUserInputParams = Infer<typeof ToolRequestUserInputParams>;

export const McpToolCallQuestion = named("McpToolCallQuestion", () =>
  object({
    server: string(),
    tool: string(),
    /** What the server calls the tool for people, where that differs. */
    title: nullable(string()),
    arguments: unknown(),
    /** The server is a project's own, so that what the user allows for ever cannot be kept in the user's settings. */
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
    /** Whether several options may be chosen, and the questionnaire's word for it. */
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

/** That document shows several forms of answers, so each is read by what it holds. */
export const SeedAnswersResponse = named("SeedAnswersResponse", () =>
  object({ answers: optional(unknown()), userInput: optional(string()) }),
);
export type SeedAnswersResponse = Infer<typeof SeedAnswersResponse>;

/** The document names the tool call alone; thread, turn and item are sent too, so that several threads can be told apart. */
function seedIds() {
  return { toolCallId: string(), threadId: string(), turnId: string(), itemId: string() };
}

export const userInputServerRequests = {
  /** Asks the user one to three questions, with options or free. */
  "item/tool/requestUserInput": request({ params: ToolRequestUserInputParams, result: ToolRequestUserInputResponse }),
  /** Passes on a question of an MCP server: a form to fill in or a page to open. */
  "mcpServer/elicitation/request": request({ params: McpServerElicitationRequestParams, result: McpServerElicitationRequestResponse }),
  /** Questions with options, as clients of the `seed-000` dialect know them. */
  "tool/requestUserInput": request({ params: SeedToolQuestionsParams, result: SeedAnswersResponse, own: true }),
  /** One open question, as clients of the `seed-000` dialect know it. */
  "agent/requestUserInput": request({ params: SeedOpenQuestionParams, result: SeedAnswersResponse, own: true }),
  /** A questionnaire with single and multiple choice, as clients of the `seed-000` dialect know it. */
  "agent/askUserQuestion": request({ params: SeedQuestionnaireParams, result: SeedAnswersResponse, own: true }),
};
