/** The model's texts about skills: the list of them, and the full text of those that the user's input names. */
import type { SkillMetadata } from "../protocol/skills.ts";

/** The maximum length of the list; skills beyond it are still found by name. */
const catalogueLimit = 16_000;

/** undefined when there are none. */
export function catalogueText(skills: readonly SkillMetadata[]): string | undefined {
  if (skills.length === 0) return undefined;
  const lines: string[] = [];
  let size = 0;
  for (const skill of skills) {
    const line = `- ${skill.name}: ${skill.description} (file: ${skill.path})`;
    size += line.length + 1;
    if (size > catalogueLimit) break;
    lines.push(line);
  }
  const left = skills.length - lines.length;
  return [
    "<skills_instructions>",
    "## Skills",
    "A skill is a set of instructions for one kind of task, kept in a SKILL.md file. Usable in this session:",
    ...lines,
    ...(left > 0 ? [`- … and ${left} more that did not fit here`] : []),
    "",
    "How to use them:",
    "- Use a skill when the user names it (`$name` or in plain words) or when the task clearly is what its description says. Several may apply; take the fewest that cover the task. A skill holds for the turn it was called for.",
    "- Read its SKILL.md before you act, and only as much of the files it points to as you need. Paths in it are relative to its own folder.",
    "- Prefer scripts and templates that come with a skill over writing your own.",
    "- Say in one line which skill you use and why. When one cannot be used (missing, unreadable, does not fit), say so and go on as well as you can without it.",
    "</skills_instructions>",
  ].join("\n");
}

export function injectionText(skill: Pick<SkillMetadata, "name" | "path">, text: string): string {
  return `<skill>\n<name>${skill.name}</name>\n<path>${skill.path}</path>\n${text}\n</skill>`;
}

/** Sent to the model so that it does not search for instructions it must not use. */
export const refusalText = (name: string, reason: string): string =>
  `<skill>\n<name>${name}</name>\nNot available: ${reason}. Tell the user so and go on without it.\n</skill>`;

/** The skills that links in a text name by their file: `[$name](/folder/SKILL.md)`. */
export function linkedPaths(text: string): string[] {
  return [...text.matchAll(/\[\$[^\]\n]{1,200}\]\((?:skill:\/\/)?([^)\n]{1,4096})\)/gu)].map(([, file = ""]) => file.trim());
}

/** The `$names` in a text, each once, in order. */
export function mentionedNames(text: string): string[] {
  const found = [...text.matchAll(/(?<![\p{L}\p{N}_$\\])\$([\p{L}\p{N}][\p{L}\p{N}_.:-]*)/gu)].map(([, name = ""]) =>
    name.replace(/[.:-]+$/, ""),
  );
  return [...new Set(found)];
}
