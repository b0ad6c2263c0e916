/** Homes and threads of any size, as Codex stores them, for the measurements of sizes. The texts follow the frequencies of words in real ones. */
import { closeSync, mkdirSync, openSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";

const corpusChars = 2 << 20;
const vocabulary = 40_000;
const instructionChars = 12_000;
const turnsPerCompaction = 15;

/** Always the same sequence for the same seed. */
function sequence(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Words whose frequency falls with their rank. */
class Texts {
  readonly random = sequence(20_261_117);
  readonly #corpus: string;
  readonly frequent: string;

  constructor() {
    const words = Array.from({ length: vocabulary }, () => this.#word());
    let text = "";
    while (text.length < corpusChars)
      text += `${words[Math.floor(vocabulary ** this.random()) - 1] ?? "the"}${this.random() < 0.08 ? ".\n" : " "}`;
    this.#corpus = text;
    this.frequent = words[60] ?? "";
  }

  /** From a random place of the corpus; it begins with a whole word. */
  excerpt(chars: number): string {
    const at = Math.floor(this.random() * (corpusChars - chars - 100));
    const from = this.#corpus.indexOf(" ", at) + 1;
    return this.#corpus.slice(from, from + chars);
  }
  /** What hardly another thread contains: a name, a number, a hash. */
  rare(): string {
    return Math.floor(this.random() * 2 ** 40).toString(36);
  }
  #word(): string {
    const syllables = 1 + Math.floor(this.random() * 4);
    const [open, vowels] = ["bcdfghklmnprstvw", "aeiou"];
    const pick = (letters: string): string => letters[Math.floor(this.random() * letters.length)] ?? "a";
    return Array.from({ length: syllables }, () => pick(open) + pick(vowels) + (this.random() < 0.3 ? pick(open) : "")).join("");
  }
}

const two = (n: number): string => String(n).padStart(2, "0");

/** A version 7 UUID of this time. */
export function threadIdAt(ms: number, n: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${(n & 0xfff).toString(16).padStart(3, "0")}-8000-${n.toString(16).padStart(12, "0")}`;
}

function fileAt(home: string, ms: number, id: string): string {
  const date = new Date(ms);
  const day = [String(date.getFullYear()), two(date.getMonth() + 1), two(date.getDate())];
  const folder = path.join(home, "sessions", ...day);
  mkdirSync(folder, { recursive: true });
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join("-");
  return path.join(folder, `rollout-${day.join("-")}T${time}-${id}.jsonl`);
}

class Lines {
  readonly #texts: Texts;
  readonly #instructions: string;
  #ms = 0;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.#instructions = texts.excerpt(instructionChars);
  }

  head(id: string, ms: number, cwd: string): string {
    this.#ms = ms;
    const meta = { id, timestamp: new Date(ms).toISOString(), cwd, originator: "codex_cli_rs", cli_version: "0.166.0", source: "cli" };
    const git = {
      commit_hash: "5f0c9a1d2e3b4c5d6e7f8091a2b3c4d5e6f70819",
      branch: "main",
      repository_url: "https://example.invalid/project.git",
    };
    return this.#line("session_meta", { ...meta, model_provider: "scripted", base_instructions: { text: this.#instructions }, git });
  }

  /** A request, `commands` with their outputs, and the answer. */
  turn(cwd: string, question: string, commands: number, outputChars: number): string {
    const id = threadIdAt(this.#ms, Math.floor(this.#texts.random() * 2 ** 30));
    const answer = `${this.#texts.excerpt(250)} ${this.#texts.rare()}`;
    const policy = { approval_policy: "on-request", sandbox_policy: { type: "workspace-write" } };
    const parts = [
      this.#event({ type: "task_started", turn_id: id, model_context_window: 272_000 }),
      this.#line("turn_context", { turn_id: id, cwd, ...policy, model: "gpt-5.5", effort: "medium", summary: "auto" }),
      this.#item({ type: "message", role: "user", content: [{ type: "input_text", text: question }] }),
      this.#event({ type: "user_message", message: question, images: [] }),
    ];
    for (let i = 0; i < commands; i++) {
      const call = `call_${this.#texts.rare()}${this.#texts.rare()}`;
      const command = `rg -n ${this.#texts.excerpt(20).trim()} src | head -40`;
      parts.push(
        this.#item({ type: "reasoning", summary: [], content: null, encrypted_content: this.#texts.excerpt(600) }),
        this.#item({ type: "function_call", name: "shell_command", arguments: JSON.stringify({ command, workdir: cwd }), call_id: call }),
        this.#item({
          type: "function_call_output",
          call_id: call,
          output: `Exit code: 0\nWall time: 0.1 seconds\nOutput:\n${this.#texts.excerpt(outputChars)}`,
        }),
        this.#event({ type: "token_count", info: null, rate_limits: null }),
      );
    }
    parts.push(
      this.#event({ type: "agent_message", message: answer }),
      this.#item({ type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] }),
      this.#event({ type: "task_complete", turn_id: id, last_agent_message: answer }),
    );
    return parts.join("");
  }
  /** The history up to here, replaced by a summary: no model reads more than about a megabyte. */
  compaction(): string {
    const text = this.#texts.excerpt(4000);
    const replacement = Array.from({ length: 10 }, () => ({
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: this.question() }],
    }));
    const summary = { type: "message", role: "user", content: [{ type: "input_text", text }] };
    return this.#line("compacted", { message: text, replacement_history: [...replacement, summary] });
  }
  question(): string {
    return `${this.#texts.excerpt(60 + Math.floor(this.#texts.random() ** 3 * 600))} ${this.#texts.rare()}`;
  }

  #event(payload: object): string {
    return this.#line("event_msg", payload);
  }
  #item(payload: object): string {
    return this.#line("response_item", payload);
  }
  #line(type: string, payload: object): string {
    this.#ms += 700;
    return `${JSON.stringify({ timestamp: new Date(this.#ms).toISOString(), type, payload })}\n`;
  }
}

export interface StoredHome {
  readonly bytes: number;
  /** A text that only the oldest thread contains, in its last answer. */
  readonly needle: string;
  /** A word that many threads contain. */
  readonly frequent: string;
}

/** `count` threads of one to six turns, a few minutes apart, the newest an hour ago. */
export function writeHome(home: string, count: number): StoredHome {
  const texts = new Texts();
  const lines = new Lines(texts);
  const needle = "quillfeather ledger";
  const gapMs = 400_000;
  const end = Date.now() - 3_600_000;
  let bytes = 0;
  for (let n = 0; n < count; n++) {
    const ms = end - n * gapMs;
    const cwd = `/home/user/projects/${n % 37}`;
    let text = lines.head(threadIdAt(ms, n), ms, cwd);
    const turns = 1 + Math.floor(texts.random() ** 2 * 6);
    for (let turn = 0; turn < turns; turn++)
      text += lines.turn(cwd, lines.question(), 1 + Math.floor(texts.random() * 6), 300 + Math.floor(texts.random() ** 2 * 6000));
    if (n === count - 1) text += lines.turn(cwd, `where is the ${needle}?`, 1, 300);
    const file = fileAt(home, ms, threadIdAt(ms, n));
    writeFileSync(file, text);
    utimesSync(file, new Date(ms), new Date(ms));
    bytes += text.length;
  }
  return { bytes, needle, frequent: texts.frequent };
}

/** One thread of about this many bytes, most of them outputs of commands, compacted every megabyte. */
export function writeThread(home: string, bytes: number): { readonly id: string; readonly file: string; readonly turns: number } {
  const texts = new Texts();
  const lines = new Lines(texts);
  const ms = Date.now() - 86_400_000;
  const id = threadIdAt(ms, 1);
  const file = fileAt(home, ms, id);
  const fd = openSync(file, "w");
  try {
    let turns = 0;
    for (let written = writeSync(fd, lines.head(id, ms, home)); written < bytes; turns++) {
      written += writeSync(fd, lines.turn(home, lines.question(), 8, 500 + Math.floor(texts.random() ** 2 * 20_000)));
      if (turns % turnsPerCompaction === turnsPerCompaction - 1) written += writeSync(fd, lines.compaction());
    }
    return { id, file, turns };
  } finally {
    closeSync(fd);
  }
}
