/** The written model of the plays: what it does for each message, and the home folder of a server that uses it. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");

const scenario = `
name: Every dialog of an editor
pace: 5
turns:
  - user: run the tests
    steps:
      - reason: "**Running the tests** The change should be covered."
      - run: "touch ran.txt && echo all 12 tests passed"
        with: { sandbox_permissions: require_escalated, justification: "Running test suite to verify changes" }
      - say: "The tests ran: {{output}}"
  - user: twice
    steps:
      - run: "echo once >> twice.txt"
        with: { sandbox_permissions: require_escalated, justification: "Writes a line" }
      - run: "echo once >> twice.txt"
        with: { sandbox_permissions: require_escalated, justification: "Writes a line" }
      - say: "Both ran."
  - user: edit the app
    steps:
      - plan: [{ step: Add error handling, status: in_progress }, Check it]
      - patch: |-
          *** Begin Patch
          *** Update File: src/app.ts
          @@
          -export function main(): void {
          -  run();
          +export function main(): void {
          +  try {
          +    run();
          +  } catch (error) {
          +    console.error(error);
          +  }
           }
          *** Add File: src/errors.ts
          +export class AppError extends Error {}
          *** End Patch
      - say: "The change is done: {{output}}"
  - user: ask me two things
    steps:
      - call: request_user_input
        with:
          questions:
            - { id: framework, header: Backend, question: "Which backend framework?", options: [{ label: Express, description: The usual one }, { label: Fastify, description: The fast one }, { label: Koa, description: The small one }] }
            - { id: database, header: Database, question: "Database preference?", options: [{ label: PostgreSQL, description: "" }, { label: SQLite, description: "" }], isOther: false }
      - say: "You chose: {{output}}"
  - user: ask me openly
    steps:
      - call: request_user_input
        with: { questions: [{ id: platform, header: Target, question: "What is the target deployment platform?" }] }
      - say: "Noted: {{output}}"
  - user: questionnaire
    steps:
      - call: ask_user_question
        with:
          questions:
            - { type: single_choice, text: Select deployment target, options: [AWS, Azure, GCP], allowOther: true }
            - { type: multi_choice, text: Select features to include, options: [Auth, Logging, Metrics, Alerts] }
      - say: "Filled in: {{output}}"
  - user: use the notes
    steps:
      - call: mcp__notes__ask
      - say: "The server heard: {{output}}"
  - user: show me the file
    steps:
      - call: editor_open_file
        with: { path: src/app.ts, line: 2 }
      - call: editor_selection
      - say: "Shown: {{output}}"
  - user: rename the function
    steps:
      - call: editor_open_file
        with: { path: src/app.ts }
      - say: "It is open."
      - pause: 3000
      - call: editor_rename_symbol
        with: { path: src/app.ts, line: 3, column: 18, newName: start }
      - say: "Rename: {{output}}"
      - call: editor_diagnostics
        with: { path: src/app.ts }
      - say: "Problems: {{output}}"
  - user: take your time
    steps:
      - say: "One moment."
      - run: "sleep 30"
        with: { sandbox_permissions: require_escalated, justification: "Waits" }
      - say: "Done waiting."
  - user: in a moment
    steps:
      - pause: 6000
      - run: "touch ran.txt"
        with: { sandbox_permissions: require_escalated, justification: "After the wait" }
      - say: "Thank you for waiting."
  - user: hello
    steps:
      - say: "Hello from the written model."
`;

export interface Stage {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
}

export function makeStage(folder: string): Stage {
  const [home, project] = [path.join(folder, "home"), path.join(folder, "shop")];
  mkdirSync(home, { recursive: true });
  mkdirSync(path.join(project, "src"), { recursive: true });
  writeFileSync(path.join(home, "play.yaml"), scenario);
  writeFileSync(path.join(home, "config.toml"), config);
  writeFileSync(path.join(project, "src/app.ts"), app);
  writeFileSync(path.join(project, "README.md"), "# Shop\n");
  return { folder, home, project };
}

const config = `model_provider = "scripted"
model_providers.scripted.options.scenario = "play.yaml"
features.default_mode_request_user_input = true

[mcp_servers.notes]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(path.join(root, "test/support/mcp-fixture.ts"))}]
`;

const app = `import { run } from "./run.ts";

export function main(): void {
  run();
}
`;
