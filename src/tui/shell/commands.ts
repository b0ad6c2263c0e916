/** The slash commands: their names, descriptions and effects. */
import path from "node:path";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Suggestion } from "../compose/completion.ts";
import { composerWith } from "../compose/composer.ts";
import { fillPrompt, missingNames, readPrompts } from "../compose/prompts.ts";
import { chooseAgent } from "./agents.ts";
import { chooseBackground, stopBackground } from "./background.ts";
import { showHelp, showMcp, showSkills, showStatus } from "./cards.ts";
import { showDiff, startReview } from "./changes.ts";
import type { Completions } from "./completions.ts";
import { showContext } from "./context.ts";
import { changeGoal } from "./goal.ts";
import { chooseHook } from "./hooks.ts";
import { importFromOthers } from "./import.ts";
import { logIn } from "./login.ts";
import { chooseStatusLine, chooseTheme, showKeymap, toggleVim } from "./looks.ts";
import { choosePlugin } from "./plugins.ts";
import { startQueue } from "./queue.ts";
import { rewind, undoTurn } from "./rewind.ts";
import { chooseThread, forkCurrent, renameThread } from "./sessions.ts";
import { changeFolder, chooseAccess, chooseModel, togglePlanMode } from "./settings.ts";
import type { Shell } from "./shell.ts";
import { askAside } from "./side.ts";
import { copyAnswer, exportSession, showWarnings } from "./take-away.ts";
import { send, startThread } from "./threads.ts";
import { showTranscript } from "./transcript.ts";

interface Command {
  readonly name: string;
  readonly text: string;
  /** The argument shown in the list. */
  readonly argument?: string;
  /** Aliases, not listed. */
  readonly also?: readonly string[];
  /** Works while a turn runs. */
  readonly anytime?: true;
  readonly run: (context: CommandContext, argument: string) => Promise<void>;
}

export interface CommandContext {
  readonly shell: Shell;
  readonly completions: Completions;
}

const commandTable: readonly Command[] = [
  { name: "model", text: "choose the model and how hard it thinks", anytime: true, run: ({ shell }) => chooseModel(shell) },
  {
    name: "login",
    argument: "[provider]",
    text: "set up a model provider with its key",
    anytime: true,
    run: ({ shell }, argument) => logIn(shell, argument),
  },
  {
    name: "approvals",
    also: ["permissions"],
    text: "choose what the agent may do without asking",
    anytime: true,
    run: ({ shell }) => chooseAccess(shell),
  },
  { name: "plan", text: "plan mode on or off: think and ask first, change nothing", run: ({ shell }) => togglePlanMode(shell) },
  { name: "status", text: "show the session, the model, tokens and limits", anytime: true, run: ({ shell }) => showStatus(shell) },
  { name: "diff", text: "show all changes in the folder, new files included", anytime: true, run: ({ shell }) => showDiff(shell) },
  { name: "review", argument: "[instructions]", text: "have changes reviewed", run: ({ shell }, argument) => startReview(shell, argument) },
  {
    name: "init",
    text: "have AGENTS.md written, which tells agents how to work in this folder",
    run: ({ shell }) => writeAgentsFile(shell),
  },
  {
    name: "import",
    text: "move in from another agent: instructions, skills, commands, hooks, MCP servers",
    run: ({ shell }) => importFromOthers(shell),
  },
  { name: "rewind", text: "go back to an earlier message, with the files by choice (esc esc)", run: ({ shell }) => rewind(shell) },
  { name: "undo", text: "take the last turn out of the conversation, with the files by choice", run: ({ shell }) => undoTurn(shell) },
  {
    name: "goal",
    argument: "[objective|pause|resume|clear]",
    text: "work towards a goal in turns that start by themselves",
    anytime: true,
    run: ({ shell }, argument) => changeGoal(shell, argument),
  },
  { name: "queue", text: "start the next message that waits, after an interrupt", run: ({ shell }) => startQueue(shell) },
  { name: "compact", text: "sum the conversation up to make room", run: ({ shell }) => compact(shell) },
  { name: "context", text: "show what fills the model's context", anytime: true, run: ({ shell }) => showContext(shell) },
  {
    name: "side",
    also: ["btw"],
    argument: "<question>",
    text: "ask something beside the work; the conversation does not learn of it",
    anytime: true,
    run: ({ shell }, argument) => askAside(shell, argument),
  },
  {
    name: "ide",
    argument: "[off|status|windows|open FILE]",
    text: "link with the editor: what is open there goes along with messages",
    anytime: true,
    run: ({ shell }, argument) => shell.ide.command(argument),
  },
  { name: "cd", argument: "<folder>", text: "work in another folder", run: ({ shell }, argument) => changeFolder(shell, argument) },
  { name: "copy", text: "put the last answer into the clipboard", anytime: true, run: ({ shell }) => copyAnswer(shell) },
  {
    name: "export",
    argument: "[file]",
    text: "write the session to a file, as markdown",
    anytime: true,
    run: ({ shell }, argument) => exportSession(shell, argument),
  },
  {
    name: "theme",
    argument: "[name]",
    text: "choose the colours",
    anytime: true,
    run: ({ shell }, argument) => chooseTheme(shell, argument),
  },
  { name: "statusline", text: "choose what the line below the message shows", anytime: true, run: ({ shell }) => chooseStatusLine(shell) },
  { name: "keymap", text: "list the keys and how to change them", anytime: true, run: ({ shell }) => showKeymap(shell) },
  { name: "vim", text: "vim keys on or off", anytime: true, run: ({ shell }) => toggleVim(shell) },
  { name: "warnings", text: "show the warnings of this session again", anytime: true, run: ({ shell }) => showWarnings(shell) },
  { name: "mcp", text: "list the MCP servers and their tools", anytime: true, run: ({ shell }) => showMcp(shell) },
  {
    name: "hooks",
    text: "see what runs at certain moments; trust it or switch it off",
    anytime: true,
    run: ({ shell }) => chooseHook(shell),
  },
  {
    name: "plugins",
    text: "see, install, accept or switch off plugins",
    anytime: true,
    run: ({ shell }) => choosePlugin(shell),
  },
  { name: "skills", text: "list the skills and use one", anytime: true, run: ({ shell, completions }) => showSkills(shell, completions) },
  { name: "new", also: ["clear"], text: "start a new session", run: ({ shell }) => startThread(shell) },
  { name: "resume", text: "go on with an earlier session", run: ({ shell }) => chooseThread(shell, "resume") },
  { name: "agents", text: "see, open or interrupt this session's agents", anytime: true, run: ({ shell }) => chooseAgent(shell) },
  { name: "ps", text: "see the commands that run in the background; end one", anytime: true, run: ({ shell }) => chooseBackground(shell) },
  { name: "stop", text: "end all commands that run in the background", anytime: true, run: ({ shell }) => stopBackground(shell) },
  { name: "fork", text: "go on with a copy of this session", run: ({ shell }) => forkCurrent(shell) },
  {
    name: "rename",
    argument: "<name>",
    text: "give this session a name",
    anytime: true,
    run: ({ shell }, argument) => renameThread(shell, argument),
  },
  { name: "transcript", text: "show the whole session in a pager (ctrl+t)", anytime: true, run: ({ shell }) => showTranscript(shell) },
  { name: "help", text: "list commands and keys", anytime: true, run: ({ shell }) => showHelp(shell, commandTable) },
  { name: "quit", also: ["exit"], text: "leave", anytime: true, run: async ({ shell }) => shell.quit() },
];

/** What other contributors, people or programs, would otherwise have to find out themselves. */
const agentsTask = `Write a file AGENTS.md for this folder, for agents and people who come to it new. Look around first: the build files, the tests, the layout, the newest commits.
Put into it, in a page at most: what the project is and how its folders are laid out; the commands to build, test, lint and run it, as they really are; the conventions that the code keeps to; how changes are made (commit messages, reviews); what one must not touch. Leave out what anybody knows or what the code says by itself, and invent nothing.`;

async function writeAgentsFile(shell: Shell): Promise<void> {
  const cwd = shell.store.conversation.settings?.cwd ?? "";
  const isThere = await shell
    .client()
    .call("fs/getMetadata", { path: path.join(cwd, "AGENTS.md") })
    .then(() => true)
    .catch(() => false);
  if (isThere) return shell.store.note("info", "AGENTS.md is there already; nothing was changed");
  await send(shell, composerWith(agentsTask), [], false);
}

async function compact(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  if (threadId !== undefined) await shell.client().call("thread/compact/start", { threadId });
}

/** Everything that can follow a slash. */
export function commandSuggestions(codexHome: string): Suggestion[] {
  const own = commandTable.map(({ name, text, argument }) => ({
    label: `/${name}`,
    detail: argument === undefined ? text : `${argument}  ${text}`,
    value: `/${name}`,
  }));
  const prompts = readPrompts(codexHome).map(({ name, description, argumentHint }) => ({
    label: `/prompts:${cleanLine(name)}`,
    detail: cleanLine(argumentHint === "" ? description : `${argumentHint}  ${description}`),
    value: `/prompts:${name}`,
  }));
  return [...own, ...prompts];
}

/** True when the text was a command; one that cannot run reports why. */
export function runCommand(context: CommandContext, text: string): boolean {
  const { shell } = context;
  const [, name, rest = ""] = /^\/([a-zA-Z][\w:-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return false;
  if (name.startsWith("prompts:")) return runPrompt(context, name.slice("prompts:".length), rest);
  const command = commandTable.find((known) => known.name === name || known.also?.includes(name) === true);
  if (command === undefined) {
    shell.store.setUi({ hint: `There is no command /${name}; /help lists them` });
    return true;
  }
  if (shell.store.conversation.turn !== undefined && command.anytime !== true) {
    shell.store.setUi({ hint: `/${command.name} has to wait until the turn has ended; esc stops it` });
    return true;
  }
  shell.run(() => command.run(context, rest.trim()));
  return true;
}

function runPrompt({ shell, completions }: CommandContext, name: string, given: string): boolean {
  const prompt = readPrompts(shell.options.codexHome).find((known) => known.name === name);
  if (prompt === undefined) {
    shell.store.setUi({ hint: `There is no prompt ${name} in ${shell.options.codexHome}/prompts` });
    return true;
  }
  const missing = missingNames(prompt, given);
  if (missing.length > 0) {
    shell.store.setUi({
      hint: `This prompt needs ${missing.map((key) => `${key}=…`).join(" ")}`,
      composer: composerWith(`/prompts:${name} ${given}`),
    });
    return true;
  }
  shell.run(() => send(shell, composerWith(fillPrompt(prompt, given)), completions.skills, false));
  return true;
}

export type { Command };
