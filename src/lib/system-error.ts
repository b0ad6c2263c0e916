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

/** Why a file cannot be written, for people. */
export const diskErrorTexts: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "there is no write permission",
  EPERM: "there is no write permission",
  EIO: "the disk reports an error",
};

/** The error's message, with the reason in plain words before it where the disk is the reason. */
export function writeErrorMessage(error: Error): string {
  const reason = diskErrorTexts[errorCode(error) ?? ""];
  return reason === undefined ? error.message : `${reason} (${error.message})`;
}
