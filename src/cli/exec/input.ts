/** The input of `parley exec`: its arguments, the files that they name, and stdin. */
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import path from "node:path";
import type { Task } from "../../adapters/exec/run.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { imageType, notAnImage } from "../../lib/image-size.ts";
import { StartError, toStderr, UsageError } from "../usage.ts";
import type { TaskArguments } from "./task.ts";

/** Only a new thread reads more context from stdin besides its prompt; a fork without a prompt is just the fork. */
export async function readTask(task: TaskArguments): Promise<Task> {
  if (task.kind === "review") {
    const { target } = task;
    return target.type === "custom" && target.instructions === "-"
      ? { kind: "review", target: { type: "custom", instructions: await promptFromStdin() } }
      : task;
  }
  if (task.kind === "new") return { kind: "new", prompt: await newPrompt(task.prompt) };
  const { kind, threadId, prompt } = task;
  const given = prompt === "-" || (prompt === undefined && kind === "resume") ? await promptFromStdin() : prompt;
  return kind === "fork" ? { kind, threadId, prompt: given } : { kind, threadId, prompt: given ?? "" };
}

async function newPrompt(given: string | undefined): Promise<string> {
  if (given === undefined || given === "-") return promptFromStdin();
  if (process.stdin.isTTY) return given;
  toStderr("Reading additional input from stdin...");
  const text = await readStdin();
  return text.trim() === "" ? given : `${given}\n\n<stdin>\n${text}${text.endsWith("\n") ? "" : "\n"}</stdin>`;
}

async function promptFromStdin(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError("no prompt: give one as an argument or on stdin");
  toStderr("Reading prompt from stdin...");
  const text = await readStdin();
  if (text.trim() === "") throw new StartError("No prompt provided via stdin.");
  return text;
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk as Buffer);
  return decoded(Buffer.concat(parts));
}

/** UTF-8, or the UTF-16 that some shells write, if there is a byte-order mark. */
export function decoded(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new StartError(`the input on stdin is no ${encoding.toUpperCase()} text; convert it before you pipe it in`);
  }
}

export function readSchema(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`cannot read the output schema ${file}: ${errorMessage(error)}`);
  }
}

/** The images of all `--image` flags, each of which may name several. What is no readable image is refused before anything is sent. */
export function imagesFrom(lists: readonly string[]): string[] {
  const files = lists.flatMap((list) => list.split(",")).map((file) => path.resolve(file));
  for (const file of files) {
    const reason = whyNot(() => {
      accessSync(file, constants.R_OK);
      if (!statSync(file).isFile()) throw new Error("it is no file");
      if (imageType(headOf(file)) === undefined) throw new Error(notAnImage);
    });
    if (reason !== undefined) throw new StartError(`--image: ${file} cannot be read: ${reason}`);
  }
  return files;
}

function headOf(file: string): Buffer {
  const head = Buffer.alloc(12);
  const opened = openSync(file, "r");
  try {
    return head.subarray(0, readSync(opened, head));
  } finally {
    closeSync(opened);
  }
}

/** A turn costs time and money: if its message could not be saved, say so before it starts. */
export function checkWritable(file: string): void {
  const reason = whyNot(() => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw new Error("it is a folder");
    accessSync(found === undefined ? path.dirname(path.resolve(file)) : file, constants.W_OK);
  });
  if (reason !== undefined) throw new StartError(`--output-last-message: ${file} cannot be written: ${reason}`);
}

function whyNot(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** `--image a.png b.png`: arguments after an image that are files are images too, wherever one flag accepts several. */
export function spreadImages(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const spread: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    spread.push(arg);
    if (i >= end || !/^(?:-i|--image)(?:$|=)/.test(arg)) continue;
    const value = arg.includes("=") ? undefined : args[++i];
    if (value !== undefined) spread.push(value);
    for (let next = args[i + 1]; i + 1 < end && next !== undefined && existsSync(next); next = args[++i + 1]) spread.push("--image", next);
  }
  return spread;
}
