/** The code and the description of a failed system call, for code that branches on it or reports it. */

/** The error code of a failed system call ("ENOENT"), if it has one. */
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
