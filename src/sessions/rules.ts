/** Permanent rules for commands in the engine's rules file: reading, adding, changing, and removing expired ones. */
import { createHash } from "node:crypto";
import path from "node:path";
import { RpcError } from "../client/client.ts";
import type { EngineLink } from "./link.ts";

export interface RuleText {
  readonly pattern: readonly (string | string[])[];
  readonly decision: "allow" | "prompt" | "forbidden";
  readonly justification: string | null;
  /** The position of the call in the file. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** A rule as people see it. */
export interface CommandRule {
  readonly ruleId: string;
  readonly pattern: (string | string[])[];
  readonly decision: RuleText["decision"];
  readonly justification: string | null;
  readonly file: string;
  readonly line: number;
  readonly editable: boolean;
  /** Also allows such commands to leave the sandbox. */
  readonly outsideSandbox: boolean;
  readonly expiresAt: string | null;
  readonly addedBy: string | null;
}

/** What the rules file has no place for, by rule id. */
export type RuleNotes = Readonly<Record<string, { readonly expiresAt: string | null; readonly addedBy?: string | null }>>;
export interface RuleNoteStore {
  read(): RuleNotes;
  write(notes: RuleNotes): void;
}

/** A change that cannot be made, with the HTTP status that describes it. */
export class RuleRefused extends Error {
  readonly status: 404 | 409 | 501;
  readonly code: string;
  constructor(status: 404 | 409 | 501, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
const failure = (status: 404 | 409 | 501, code: string, message: string): RuleRefused => new RuleRefused(status, code, message);

export interface RuleList {
  readonly data: CommandRule[];
  readonly writable: boolean;
  readonly file: string | null;
}

type Change = {
  readonly pattern?: readonly string[] | undefined;
  readonly decision?: RuleText["decision"] | undefined;
  readonly justification?: string | null | undefined;
  readonly expiresAt?: string | null | undefined;
};

export class Rules {
  readonly #link: () => EngineLink;
  readonly #notes: RuleNoteStore;
  readonly #now: () => number;
  /** Serializes changes: each reads the file, changes a line and writes it back. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(link: () => EngineLink, notes: RuleNoteStore, now: () => number) {
    this.#link = link;
    this.#notes = notes;
    this.#now = now;
  }

  async list(): Promise<RuleList> {
    const file = this.#file(false);
    const [inside, outside] = [await this.#read(file), await this.#read(this.#file(true))];
    return { data: [...this.#shown(inside, false), ...this.#shown(outside, true)], writable: true, file };
  }

  add(rule: Required<Pick<Change, "pattern" | "decision">> & Change, by: string): Promise<RuleList> {
    return this.#edit(false, (text) => {
      const pattern = [...(rule.pattern ?? [])];
      const decision = rule.decision ?? "prompt";
      const call = print(pattern, decision, rule.justification ?? null);
      const id = idOf(pattern);
      if (parseRules(text).some((r) => idOf(r.pattern) === id))
        throw failure(409, "duplicate_rule", "There is a rule for this command prefix already; change that one.");
      this.#note(id, { expiresAt: rule.expiresAt ?? null, addedBy: by });
      return `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${call}\n`;
    });
  }

  change(ruleId: string, change: Change): Promise<RuleList> {
    const outside = isOutside(ruleId);
    return this.#edit(outside, (text) => {
      const rule = parseRules(text).find((r) => idOf(r.pattern, outside) === ruleId);
      if (rule === undefined) throw failure(404, "no_such_rule", "There is no such rule.");
      const pattern = change.pattern ?? rule.pattern;
      const note = this.#notes.read()[ruleId];
      this.#note(ruleId, undefined);
      this.#note(idOf(pattern, outside), {
        expiresAt: change.expiresAt === undefined ? (note?.expiresAt ?? null) : change.expiresAt,
        addedBy: note?.addedBy ?? null,
      });
      const justification = change.justification === undefined ? rule.justification : change.justification;
      return text.slice(0, rule.from) + print(pattern, change.decision ?? rule.decision, justification) + text.slice(rule.to);
    });
  }

  remove(ruleId: string): Promise<RuleList> {
    const outside = isOutside(ruleId);
    return this.#edit(outside, (text) => {
      const rule = parseRules(text).find((r) => idOf(r.pattern, outside) === ruleId);
      if (rule === undefined) throw failure(404, "no_such_rule", "There is no such rule.");
      this.#note(ruleId, undefined);
      return cut(text, rule);
    });
  }

  /** Removes every expired rule. */
  async sweep(): Promise<void> {
    const over = (id: string): boolean => {
      const end = this.#notes.read()[id]?.expiresAt;
      return end != null && Date.parse(end) <= this.#now();
    };
    for (const outside of [false, true]) {
      const ended = Object.keys(this.#notes.read()).filter((id) => isOutside(id) === outside && over(id));
      if (ended.length === 0) continue;
      await this.#edit(outside, (text) => {
        const rules = parseRules(text).filter((r) => ended.includes(idOf(r.pattern, outside)));
        for (const id of ended) this.#note(id, undefined);
        return [...rules].reverse().reduce(cut, text);
      });
    }
  }

  #edit(outside: boolean, change: (text: string) => string): Promise<RuleList> {
    const mine = this.#tail.then(async () => {
      const file = this.#file(outside);
      const next = change(await this.#read(file));
      const link = this.#link();
      await link.call("fs/createDirectory", { path: path.dirname(file), recursive: true });
      await link.call("fs/writeFile", { path: file, dataBase64: Buffer.from(next).toString("base64") });
      return await this.list();
    });
    this.#tail = mine.catch(() => {});
    return mine;
  }

  #file(outside: boolean): string {
    const home = this.#link().codexHome;
    if (home === null || home === undefined) throw failure(501, "method_not_supported", "This engine does not report where its rules are.");
    return path.join(home, "rules", outside ? "outside-sandbox.rules" : "default.rules");
  }

  async #read(file: string): Promise<string> {
    try {
      const { dataBase64 } = await this.#link().call("fs/readFile", { path: file });
      return Buffer.from(dataBase64, "base64").toString("utf8");
    } catch (error) {
      if (error instanceof RpcError && /no such file|not found|ENOENT|does not exist/i.test(error.message)) return "";
      throw error;
    }
  }

  #shown(text: string, outside: boolean): CommandRule[] {
    return parseRules(text).map((rule): CommandRule => {
      const ruleId = idOf(rule.pattern, outside);
      const note = this.#notes.read()[ruleId];
      return {
        ruleId,
        pattern: [...rule.pattern],
        decision: rule.decision,
        justification: rule.justification,
        file: this.#file(outside),
        line: rule.line,
        editable: true,
        outsideSandbox: outside && rule.decision === "allow",
        expiresAt: note?.expiresAt ?? null,
        addedBy: note?.addedBy ?? null,
      };
    });
  }

  #note(id: string, note: { expiresAt: string | null; addedBy: string | null } | undefined): void {
    const { [id]: _, ...rest } = this.#notes.read();
    this.#notes.write(note === undefined ? rest : { ...rest, [id]: note });
  }
}

const outsideMark = "outside-";
const isOutside = (ruleId: string): boolean => ruleId.startsWith(outsideMark);

/** A rule is identified by its command prefix, and by whether it allows such commands to leave the sandbox. */
export const idOf = (pattern: RuleText["pattern"], outside = false): string =>
  `${outside ? outsideMark : ""}${createHash("sha256").update(JSON.stringify(pattern)).digest("hex").slice(0, 16)}`;

function print(pattern: RuleText["pattern"], decision: string, justification: string | null): string {
  const extra = justification === null || justification === "" ? "" : `, justification=${JSON.stringify(justification)}`;
  return `prefix_rule(pattern=${JSON.stringify(pattern)}, decision=${JSON.stringify(decision)}${extra})`;
}

function cut(text: string, rule: Pick<RuleText, "from" | "to">): string {
  const end = text[rule.to] === "\n" ? rule.to + 1 : rule.to;
  return text.slice(0, rule.from) + text.slice(end);
}

/** The calls of `prefix_rule` that consist of plain strings and lists; everything else in the file is left unchanged. */
export function parseRules(text: string): readonly RuleText[] {
  const rules: RuleText[] = [];
  for (const match of text.matchAll(/^[ \t]*prefix_rule\s*\(/gm)) {
    const from = match.index + match[0].length - match[0].trimStart().length;
    const open = match.index + match[0].length;
    const close = closing(text, open);
    if (close === undefined) continue;
    const args = readArguments(text.slice(open, close));
    if (args === undefined) continue;
    rules.push({ ...args, from, to: close + 1, line: text.slice(0, from).split("\n").length });
  }
  return rules;
}

/** The position of the bracket that closes the one opened before `start`; strings and comments are skipped. */
function closing(text: string, start: number): number | undefined {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const c = text[at];
    if (c === '"' || c === "'") {
      at++;
      while (at < text.length && text[at] !== c) at += text[at] === "\\" ? 2 : 1;
    } else if (c === "#") {
      while (at < text.length && text[at] !== "\n") at++;
    } else if (c === "(" || c === "[" || c === "{") depth++;
    else if ((c === ")" || c === "]" || c === "}") && --depth === 0) return at;
  }
  return undefined;
}

function readArguments(text: string): Pick<RuleText, "pattern" | "decision" | "justification"> | undefined {
  const plain = text.replace(/#[^\n]*/g, "");
  const argument = (name: string): unknown => {
    const at = new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*`).exec(plain);
    return at === null ? undefined : readValue(plain.slice(at.index + at[0].length));
  };
  const pattern = argument("pattern");
  const decision = argument("decision") ?? "allow";
  const justification = argument("justification");
  if (
    !Array.isArray(pattern) ||
    !pattern.every((p) => typeof p === "string" || (Array.isArray(p) && p.every((q) => typeof q === "string")))
  )
    return undefined;
  if (decision !== "allow" && decision !== "prompt" && decision !== "forbidden") return undefined;
  return { pattern: pattern as (string | string[])[], decision, justification: typeof justification === "string" ? justification : null };
}

/** A string or a list at the start of the text, parsed as JSON after converting its quotes to double quotes. */
function readValue(text: string): unknown {
  const end = text[0] === "[" ? closing(text, 1) : text[0] === '"' || text[0] === "'" ? stringEnd(text) : undefined;
  if (end === undefined) return undefined;
  const json = text
    .slice(0, end + 1)
    .replace(/'((?:[^'\\]|\\.)*)'/g, (_, body: string) => JSON.stringify(body.replace(/\\'/g, "'")))
    .replace(/,\s*([\]])/g, "$1");
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function stringEnd(text: string): number | undefined {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[0]) return at;
  }
  return undefined;
}
