/**
 * Patterns for file names that login files keep in variables: used without quotes they stand for whatever files there are, and a trace shows
 * neither the pattern nor the folder. For the capture of snapshots.
 */
import type { WordPart } from "unbash";

/** Stands for what has no name of its own: the arguments of a function, the output of a command. */
export const anything = "";

export const holdsPattern = (text: string): boolean => /[*?[]/.test(text) && text !== "[";

export class PatternValues {
  /** Variables that may hold a pattern. */
  readonly #set = new Set<string>();
  /** Variables that are used where a pattern would be one. */
  readonly #used = new Set<string>();

  constructor(env: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(env)) if (holdsPattern(value)) this.#set.add(name);
  }

  /** What has a pattern for its value may be passed on as an argument or printed, too. */
  setBy(name: string): void {
    this.#set.add(name);
    this.#set.add(anything);
  }

  /** The parts of a word that is a pattern if it looks like one. */
  usedIn(parts: readonly WordPart[]): void {
    for (const part of parts) {
      if (part.type === "SimpleExpansion") this.#addUsed(part.text.slice(1));
      else if (part.type === "ParameterExpansion" && part.prefix !== "#") {
        this.#addUsed(part.parameter);
        if (part.operation !== undefined || part.prefix !== undefined || part.index !== undefined) this.#used.add(anything);
      } else if (part.type === "CommandExpansion" || part.type === "BraceExpansion") this.#used.add(anything);
    }
  }

  #addUsed(name: string): void {
    // Numbers, and the letters of options.
    if (!/^[#?-]$/.test(name)) this.#used.add(/^[A-Za-z_]/.test(name) ? name : anything);
  }

  get areNeverUsed(): boolean {
    for (const name of this.#used) if (this.#set.has(name)) return false;
    return true;
  }
}
