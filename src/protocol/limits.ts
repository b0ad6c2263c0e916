/** Bounds on values of the right type, with the error messages of the real servers. Serves the rows' `limits`. */
import { invalidParams, invalidRequest, type RpcError } from "./errors.ts";

/** Maximum number of Unicode characters in all texts of one input. */
export const maxInputChars = 1_048_576;

export function limitInput(params: { readonly input: readonly { readonly type: string; readonly text?: unknown }[] }): void {
  const texts = params.input.flatMap((item) => (item.type === "text" && typeof item.text === "string" ? [item.text] : []));
  if (sum(texts, (text) => text.length) <= maxInputChars) return;
  const chars = sum(texts, countChars);
  if (chars <= maxInputChars) return;
  const data = { input_error_code: "input_too_large", max_chars: maxInputChars, actual_chars: chars };
  throw invalidParams(`Input exceeds the maximum length of ${maxInputChars} characters.`, data);
}

/** Metadata for the provider goes into one header, and servers refuse headers of more than a few kB. */
const maxMetadata = { entries: 64, chars: 4096 };

export function limitMetadata(params: {
  readonly responsesapiClientMetadata?: Readonly<Record<string, string>> | null | undefined;
  readonly responsesapiClientMetadataPatch?: Readonly<Record<string, string>> | null | undefined;
}): void {
  for (const field of ["responsesapiClientMetadata", "responsesapiClientMetadataPatch"] as const) {
    const entries = Object.entries(params[field] ?? {});
    const size = sum(entries.flat(), (text) => text.length);
    if (entries.length > maxMetadata.entries || size > maxMetadata.chars)
      throw invalidParams(
        `${field} may have ${maxMetadata.entries} entries and ${maxMetadata.chars} characters in all, got ${entries.length} and ${size}`,
      );
  }
}

const sum = (texts: readonly string[], size: (text: string) => number): number => texts.reduce((total, text) => total + size(text), 0);

/** Counts characters like the real server: a surrogate pair is one. */
function countChars(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) pairs++;
  }
  return text.length - pairs;
}

/** No file name contains a NUL: the kernel would see a shorter name than the one that was checked. */
export function limitPath(field: string, path: string | null | undefined): void {
  if (path?.includes("\0")) throw invalidRequest(`${field} must not contain a NUL character`);
}

/** A path that does not depend on the server's working directory. */
export function limitAbsolutePath(field: string, path: string | null | undefined): void {
  limitPath(field, path);
  if (path !== null && path !== undefined && !/^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path)) throw relative(field, path);
}
const relative = (field: string, path: string): RpcError =>
  invalidRequest(`Invalid request: ${field} must be an absolute path, got ${JSON.stringify(path.slice(0, 200))}`);

export function limitText(field: string, text: string): void {
  if (text.trim() === "") throw invalidRequest(`${field} must not be empty`);
}

export function limitTime(field: string, time: number | null | undefined): void {
  if (typeof time === "number" && time < 0) throw invalidParams(`${field} must be non-negative, got ${time}`);
}

/** In the standard alphabet, with padding. */
export const isBase64 = (text: string): boolean => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

export function limitBase64(field: string, text: string): void {
  if (!isBase64(text)) throw invalidParams(`invalid ${field}: base64 in the standard alphabet with padding is needed`);
}

/** The arguments and environment of a command. */
export function limitCommand(command: readonly string[]): void {
  if (command.length === 0 || command[0] === "") throw invalidRequest("command must not be empty");
  if (command.some((part) => part.includes("\0"))) throw invalidRequest("command must not contain a NUL character");
}

interface Settings {
  readonly cwd?: string | null;
  readonly sandboxPolicy?: { readonly type: string; readonly writableRoots?: readonly string[] } | null;
  readonly runtimeWorkspaceRoots?: readonly string[] | null;
  readonly disabledPluginIds?: readonly string[] | null;
}

const maxPlugins = 200;

/** The folders and plugins in the settings of a thread or a turn. */
export function limitSettings({ cwd, sandboxPolicy, runtimeWorkspaceRoots, disabledPluginIds }: Settings): void {
  if ((disabledPluginIds?.length ?? 0) > maxPlugins || disabledPluginIds?.some((id) => id.length > 300) === true)
    throw invalidRequest(`disabledPluginIds takes at most ${maxPlugins} ids of at most 300 characters`);
  limitPath("cwd", cwd);
  for (const root of sandboxPolicy?.writableRoots ?? []) limitAbsolutePath("sandboxPolicy.writableRoots", root);
  for (const root of runtimeWorkspaceRoots ?? []) limitAbsolutePath("runtimeWorkspaceRoots", root);
}
