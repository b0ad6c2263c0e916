/** The built-in scenario that the scripted model plays when no model is configured. It says plainly that it is offline. */
import { type Scenario, scenarioFromValue } from "./scenario.ts";

const notice = [
  "**Offline tour: no model is connected.** What you read is a fixed text, not an answer.",
  "",
  "To use a real model, set one key and start again, for example `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` or `GEMINI_API_KEY`,",
  "or choose a local server with `--oss` (Ollama, LM Studio, llama.cpp, vLLM), or add a `[model_providers.…]` table to config.toml.",
].join("\n");

const menu = [
  "Until then this tour shows what the server does. Write one of these words, and nothing else:",
  "",
  "- `command`: runs a harmless shell command (you may be asked to approve it)",
  "- `patch`: proposes to create the file `parley-tour.txt`",
  "- `plan`: shows a plan with steps",
  "- `question`: asks you something",
  "- `fail`: shows how a failed turn looks",
].join("\n");

/** A prompt is matched as a whole: one about a failed command is work for a model, not for the tour. */
const whole = (...prompts: readonly string[]): string => `/^\\s*(?:${prompts.join("|")})[.!?]?\\s*$/i`;

const turns = [
  {
    user: whole("command", "run a command"),
    steps: [
      { reason: "**Choosing a command** It only prints a line." },
      { run: "echo 'hello from the offline tour'" },
      { say: "Offline tour: the command's result went back to the script, which would be a model. It was:\n\n```\n{{output}}\n```" },
    ],
  },
  {
    user: whole("patch", "propose a patch"),
    steps: [
      {
        patch:
          "*** Begin Patch\n*** Add File: parley-tour.txt\n+This file was made by the offline tour. Delete it when you like.\n*** End Patch",
      },
      { say: "Offline tour: that was a file change. The result was:\n\n```\n{{output}}\n```" },
    ],
  },
  {
    user: whole("plan", "show me a plan"),
    steps: [
      { plan: [{ step: "Show a plan", status: "completed" }, { step: "Connect a real model", status: "in_progress" }, "Get work done"] },
      { say: "Offline tour: a model keeps such a plan up to date while it works." },
    ],
  },
  {
    user: whole("question", "ask me a question"),
    steps: [
      { ask: "Which kind of model would you like to connect?", header: "Model", options: ["Hosted", "Local"] },
      { say: "Offline tour: your answer reached the script:\n\n```\n{{output}}\n```" },
    ],
  },
  {
    user: whole("fail", "now fail"),
    steps: [{ fail: { kind: "usageLimitExceeded", message: "Offline tour: this failure is part of the script. Nothing is wrong." } }],
  },
  { steps: [{ say: `${notice}\n\n${menu}` }] },
];

export const tour = (): Scenario =>
  scenarioFromValue({ name: "offline tour", pace: 15, loop: true, sample_schemas: true, turns }, "offline tour");
