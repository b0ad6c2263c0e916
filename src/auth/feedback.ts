/** Stores users' feedback reports on this machine. Nothing is sent anywhere. */
import path from "node:path";
import { createFile, createFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import { zipOf } from "../lib/zip.ts";
import type { FeedbackUploadParams } from "../protocol/account.ts";
import { invalidRequest } from "../protocol/errors.ts";

/** Resolves to the file's path; only its owner can read the file. Logs are listed, not copied: they may contain data that the user does not want stored twice. */
export async function keepFeedback(codexHome: string, params: FeedbackUploadParams, now: number): Promise<string> {
  const folder = path.join(codexHome, "parley", "feedback");
  const at = new Date(now).toISOString();
  const file = path.join(folder, `${at.replaceAll(":", "-")}-${randomUuid().slice(0, 8)}.json`);
  createFileSync(file, `${JSON.stringify({ at, ...params }, undefined, 2)}\n`);
  return file;
}

/** The same as a zip file at a path that the user chose. */
export async function saveFeedback(params: FeedbackUploadParams, file: string, now: number): Promise<void> {
  const report = { at: new Date(now).toISOString(), ...params };
  try {
    await createFile(file, zipOf({ "report.json": `${JSON.stringify(report, undefined, 2)}\n` }));
  } catch (error) {
    throw invalidRequest(`savePath: the report cannot be written: ${errorMessage(error)}`);
  }
}
