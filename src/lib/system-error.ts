/** What a failed call of the system carries: its code, and the code in words. For everybody who decides by it or tells it. */

/** The system's code of a failed call ("ENOENT"), if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export const isCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(errorCode(error) ?? "");

export const systemErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  EROFS: "Read-only file system",
  ENOSPC: "No space left on device",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  EMFILE: "Too many open files",
  EBUSY: "Device or resource busy",
  ENXIO: "No such device or address",
};
