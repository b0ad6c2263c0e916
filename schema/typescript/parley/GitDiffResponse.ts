// Generated from the method tables of Parley's app-server. Do not edit.

import type { GitChangedFile } from "./GitChangedFile";

export type GitDiffResponse = { root: string, base: string | null, diff: string, files: Array<GitChangedFile>, truncated: boolean };
