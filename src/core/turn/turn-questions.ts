/**
 * Records a turn's open questions, so that another process can put them again if this one dies: before a question is sent, and before the
 * action that it was about starts. In memory until the first question of an answer's calls; the log is removed when they are finished.
 */
import { createHash } from "node:crypto";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Answer, Asking } from "../ports/audience.ts";
import type { Log } from "../ports/log.ts";
import { type AskingTurnEntry, type CallEntry, type OpenQuestions, type QuestionLog, QuestionsUnwritten } from "../ports/open-questions.ts";

export interface TurnQuestionsOptions {
  readonly threadId: string;
  /** Undefined where nothing is recorded: ephemeral threads, reviews. */
  readonly questions: QuestionLog | undefined;
  readonly log: Log;
  readonly describe: () => Omit<AskingTurnEntry, "type" | "waiting">;
  /** A started, not yet completed item. */
  readonly openItem: (id: string) => ThreadItem | undefined;
  /** What a process that died has left: its questions are put again. */
  readonly revived: OpenQuestions | undefined;
  /** Actions are logged also where nobody was asked: another process tells the model which of them it does not know the outcome of. */
  readonly logsActions?: boolean;
  /** See `Lease.certain`. */
  readonly certain?: () => Promise<void> | undefined;
}

export class TurnQuestions {
  readonly #options: TurnQuestionsOptions;
  /** Calls that are being worked on; true once their action has begun. */
  readonly #calls = new Map<string, boolean>();
  /** Calls of the same answer that have not been started. */
  #waiting: ReadonlySet<string> = new Set();
  readonly #revived: Set<string>;
  readonly #answers: Map<string, Answer>;
  #isLogged: boolean;
  #asking = 0;
  /** Since the turn was revived nobody has answered, and nothing was done. */
  #isUntouched: boolean;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: TurnQuestionsOptions) {
    this.#options = options;
    const calls = options.revived?.calls ?? [];
    this.#revived = new Set(calls.flatMap((entry) => (entry.type === "asked" ? [entry.callId] : [])));
    this.#answers = new Map(
      calls.flatMap((entry) => (entry.type === "answered" ? [[`${entry.callId} ${entry.digest}`, entry.answer]] : [])),
    );
    this.#isLogged = options.revived !== undefined;
    this.#isUntouched = options.revived !== undefined && this.#answers.size === 0;
  }

  /** The turn was revived, and all of it still waits for the first answer. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Whether a process that died has asked about the call: then a person decides, whatever the policy allows by now. */
  isRevived(callId: string): boolean {
    return this.#revived.has(callId);
  }

  /** Whether a question waits for its answer that another process could put again. */
  get isAsking(): boolean {
    return this.#isLogged && this.#asking > 0;
  }

  /** The calls of one answer that are about to be carried out, some of them later than others. */
  expect(callIds: readonly string[]): void {
    if (this.#options.questions !== undefined) this.#waiting = new Set(callIds);
  }
  /** Call before anything is done about a call. */
  async enter(callId: string): Promise<void> {
    if (this.#options.questions === undefined) return;
    this.#calls.set(callId, false);
    this.#waiting = new Set([...this.#waiting].filter((id) => id !== callId));
    if (this.#isLogged && !this.isRevived(callId)) await this.#mustAdd({ type: "entered", callId });
  }
  /** The call has its output. */
  async leave(callId: string): Promise<void> {
    this.#calls.delete(callId);
    this.#revived.delete(callId);
    this.#isUntouched = false;
    if (this.#isLogged && this.#calls.size === 0 && this.#waiting.size === 0) await this.end();
  }

  /** Call before an action starts that must not start twice. Rejects with QuestionsUnwritten; the action must not start then. */
  async begin(callId: string): Promise<void> {
    if (this.#calls.get(callId) === false) {
      this.#calls.set(callId, true);
      this.#isUntouched = false;
      if (this.#isLogged) await this.#mustAdd(this.#begun(callId));
      else if (this.#options.logsActions === true) await this.#open(this.#begun(callId));
    }
    const uncertain = this.#options.certain?.();
    if (uncertain !== undefined) await uncertain;
  }

  /**
   * Call before a question that comes from inside a call's action, such as a form of an MCP server. It cannot be put again, but the next
   * process can then show the call, and that its outcome is unknown.
   */
  async askedInside(callId: string): Promise<void> {
    if (!this.#calls.has(callId)) return;
    this.#calls.set(callId, true);
    this.#isUntouched = false;
    await this.#try(this.#begun(callId));
  }

  /** Asks, or returns the answer that was given to the very same question before this process took over. */
  async ask(callId: string | undefined, question: unknown, put: (keep?: Asking["keep"]) => Promise<Answer>): Promise<Answer> {
    if (callId === undefined || !this.#calls.has(callId)) return await put();
    const digest = digestOf(question);
    const key = `${callId} ${digest}`;
    this.#revived.delete(callId); // a further question of the same call is a new one
    const given = this.#answers.get(key);
    this.#answers.delete(key);
    if (given !== undefined) return given;
    const item = this.#options.openItem(callId);
    await this.#try({ type: "asked", callId, digest, ...(item === undefined ? {} : { item }) });
    this.#asking++;
    let isOpen = true;
    const over = (): void => {
      if (isOpen) this.#asking--;
      isOpen = false;
    };
    const keep = async (answer: Answer): Promise<void> => {
      this.#isUntouched = false;
      over(); // also where nobody is left to answer: a server that ends then must not leave it to the next one
      if (answer.kind === "answered" || answer.kind === "refused") await this.#try({ type: "answered", callId, digest, answer });
    };
    return await put(keep).finally(over);
  }

  /** The turn has ended, or none of its calls is open any more. */
  async end(): Promise<void> {
    if (!this.#isLogged) return;
    this.#isLogged = false;
    const { questions, threadId, log } = this.#options;
    await this.#inOrder(async () => await questions?.clear(threadId)).catch((error: unknown) =>
      log.warn("a log of questions could not be removed", { threadId, error: String(error) }),
    );
  }

  /** A question that cannot be recorded is asked all the same: it does not survive this process. */
  async #try(entry: CallEntry): Promise<void> {
    const { log, threadId } = this.#options;
    try {
      await (this.#isLogged ? this.#add(entry) : this.#open(entry));
    } catch (error) {
      log.warn("a question could not be recorded", { threadId, error: String(error) });
    }
  }
  /** Without this entry a later process could start the call again, so the whole log goes when it cannot be written. */
  async #mustAdd(entry: CallEntry): Promise<void> {
    try {
      await this.#add(entry);
    } catch (error) {
      const { questions, threadId } = this.#options;
      this.#isLogged = false;
      await this.#inOrder(async () => await questions?.clear(threadId)).catch(() => {
        throw new QuestionsUnwritten(`not carried out: that it begins could not be recorded (${String(error)})`);
      });
    }
  }

  /** Writes the log with everything that is in progress; the calls that have not asked may have begun. */
  async #open(first: CallEntry): Promise<void> {
    const { questions, threadId, describe } = this.#options;
    if (questions === undefined) return;
    this.#isLogged = true;
    const others = [...this.#calls].flatMap(([callId, isBegun]): CallEntry[] => {
      if (first.type === "begun" && callId === first.callId) return [];
      if (isBegun) return [this.#begun(callId)];
      return callId === first.callId ? [] : [{ type: "entered", callId }];
    });
    const turn: AskingTurnEntry = { type: "turn", ...describe(), waiting: [...this.#waiting] };
    try {
      await this.#inOrder(() => questions.write(threadId, { turn, calls: [...others, first] }));
    } catch (error) {
      this.#isLogged = false;
      throw error;
    }
  }
  async #add(entry: CallEntry): Promise<void> {
    const { questions, threadId } = this.#options;
    await this.#inOrder(async () => await questions?.add(threadId, entry));
  }
  #begun(callId: string): CallEntry {
    const item = this.#options.openItem(callId);
    return { type: "begun", callId, ...(item === undefined ? {} : { item }) };
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#writing.then(work);
    this.#writing = next.catch(() => undefined);
    return next;
  }
}

/** The same question at another time is the same question. */
function digestOf(question: unknown): string {
  const text = JSON.stringify(question, (key, value: unknown) => (key === "startedAtMs" ? undefined : value));
  return createHash("sha256").update(text).digest("hex");
}
