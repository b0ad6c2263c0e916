/** Finds what is being typed at the cursor: a file after @, a skill after $, a command after /. */

export interface Trigger {
  readonly kind: "file" | "skill" | "command";
  readonly query: string;
  /** Where the text to be replaced starts. */
  readonly start: number;
}

export function triggerAt(text: string, cursor: number): Trigger | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command !== null) return { kind: "command", query: command[1] ?? "", start: 0 };
  const match = /(^|\s)([@$])([^\s@$]{0,120})$/.exec(before);
  if (match === null) return undefined;
  const query = match[3] ?? "";
  // A price or a shell variable in capitals is not a skill.
  if (match[2] === "$" && /^[\dA-Z_]/.test(query)) return undefined;
  return { kind: match[2] === "@" ? "file" : "skill", query, start: cursor - query.length - 1 };
}

/** The text with the trigger replaced, and the new cursor position. */
export function complete(text: string, cursor: number, trigger: Trigger, insert: string): { text: string; cursor: number } {
  const after = text.slice(cursor);
  const gap = after.startsWith(" ") ? "" : " ";
  return { text: text.slice(0, trigger.start) + insert + gap + after, cursor: trigger.start + insert.length + 1 };
}

export interface Named {
  readonly name: string;
  readonly path: string;
}

/** The names still in the text when it is sent. */
export const mentioned = (text: string, sign: "@" | "$", known: readonly Named[]): readonly Named[] => {
  const words = new Set(text.split(/\s+/).map((w) => w.replace(/[.,;:!?)]+$/, "")));
  return known.filter(
    (k, i) => (words.has(`${sign}${k.name}`) || text.includes(`${sign}${k.name} `)) && known.findIndex((o) => o.path === k.path) === i,
  );
};

export interface SlashCommand {
  readonly name: string;
  readonly help: string;
}
export const slashCommands: readonly SlashCommand[] = [
  { name: "new", help: "Start a new session" },
  { name: "diff", help: "Show what was changed" },
  { name: "plan", help: "Make a plan before working, or stop doing so" },
  { name: "goal", help: "Set a goal that the agent works towards by itself" },
  { name: "agents", help: "Show the sub-agents of this session" },
  { name: "review", help: "Have the changes reviewed" },
  { name: "compact", help: "Summarise the conversation to make room" },
  { name: "fork", help: "Continue in a copy of this session" },
  { name: "undo", help: "Take the last turn out of the conversation, with the files by choice" },
  { name: "commit", help: "Commit, push, open a pull request" },
  { name: "worktree", help: "Merge or discard the worktree of the session" },
  { name: "programs", help: "Terminal, commands that were left running, previews" },
  { name: "share", help: "Save the session as a file, or make a read-only link" },
  { name: "rename", help: "Give the session another title" },
  { name: "archive", help: "Put the session away" },
  { name: "stop", help: "Stop the running turn" },
  { name: "help", help: "Keys and help" },
];

export const isSlashCommand = (name: string): boolean => slashCommands.some((command) => command.name === name);
