/** Port: facts about the folder a thread works in, without running anything in it. */
import type { Config } from "./config.ts";
import type { ImageLimits } from "./model-client.ts";
import type { ThreadMeta } from "./thread-store.ts";

export interface ProjectDoc {
  readonly path: string;
  /** Empty when it could not be read. */
  readonly text: string;
  /** What of it is left out and why, for the user; undefined when all of it is there. */
  readonly leftOut?: string;
}

export interface Surroundings {
  /** AGENTS.md of the home, then, if the thread has a machine, from the project root down to `cwd`; bounded by `projectDocMaxBytes`. */
  projectDocs(place: { readonly cwd: string; readonly hasMachine?: boolean }, config: Config): Promise<readonly ProjectDoc[]>;
  /** Commit, branch and origin (credentials removed) by reading .git; undefined outside a repository. Never runs git. */
  git(cwd: string): Promise<ThreadMeta["git"]>;
  /** The root folder of the repository that contains `cwd`; undefined outside one. */
  repositoryRoot(cwd: string): Promise<string | undefined>;
  /** The user's login shell: its name and absolute path outside any workspace. */
  shell(): { readonly name: string; readonly path: string };
  timezone(): string;
  /** Whether a program of this name is on the PATH of commands. Looked up once, so that a thread's prompt stays the same. */
  hasProgram(name: string): boolean;
  /** Reads an image for the model as a data URL, scaled down where the limits require it; rejects with a message for the user. */
  imageDataUrl(path: string, limits?: ImageLimits): Promise<string>;
  /** An image given as a data URL, scaled down the same way. Other URLs are unchanged. */
  fittedDataUrl(url: string, limits?: ImageLimits): Promise<string>;
}
