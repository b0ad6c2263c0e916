/** A git process that answers one question after another, so that a question costs no start of a program. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { boundedProgram } from "./bounded-program.ts";

export interface PipeOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Reads the answer from what has arrived, or says from how many bytes on it is worth another look. */
export type TakeAnswer<T> = (arrived: Buffer) => { readonly answer: T } | { readonly needs: number };

/** How long one answer may take. */
const answerMs = 10_000;

export class GitPipe {
  readonly #options: PipeOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PipeOptions) {
    this.#options = options;
  }

  /** Starts the process, if it does not run, so that the first question need not wait for it. */
  start(): void {
    this.#running();
  }

  /** Undefined if the process fails or does not answer; the next question starts another one. */
  ask<T>(question: string, take: TakeAnswer<T>): Promise<T | undefined> {
    const asked = this.#last.then(() => this.#ask(question, take));
    this.#last = asked;
    return asked;
  }

  /** Also when what it has read is out of date. */
  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child;
    const [program, args] = boundedProgram(this.#options.program, this.#options.args);
    const child = spawn(program, args, { cwd: this.#options.cwd, env: this.#options.env, stdio: ["pipe", "pipe", "pipe"] });
    const gone = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.on("error", gone);
    child.on("exit", gone);
    child.stdin.on("error", gone);
    child.stderr.resume();
    // An idle process must not keep the server alive.
    for (const part of [child, child.stdin, child.stdout, child.stderr]) if ("unref" in part) (part as { unref(): void }).unref();
    this.#child = child;
    return child;
  }

  async #ask<T>(question: string, take: TakeAnswer<T>): Promise<T | undefined> {
    const child = this.#running();
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    let [chunks, size, needs]: [Buffer[], number, number] = [[], 0, 0];
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < needs) return;
      const arrived = Buffer.concat(chunks);
      chunks = [arrived];
      const found = take(arrived);
      if ("answer" in found) resolve(found.answer);
      else needs = found.needs;
    };
    const onEnd = (): void => resolve(undefined);
    const limit = setTimeout(onEnd, answerMs);
    child.stdout.on("data", onData);
    child.once("close", onEnd);
    child.once("error", onEnd);
    try {
      child.stdin.write(question);
      const answer = await promise;
      // What it might still write would be taken for the answer to the next question.
      if (answer === undefined && this.#child === child) this.close();
      return answer;
    } finally {
      clearTimeout(limit);
      child.stdout.off("data", onData);
      child.off("close", onEnd);
      child.off("error", onEnd);
    }
  }
}
