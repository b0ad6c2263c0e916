/** Port: what can be learnt about the place a thread works in, without running anything of it. */
import type { Config } from "./config.ts";
import type { ImageLimits } from "./model-client.ts";
import type { ThreadMeta } from "./thread-store.ts";

export interface ProjectDoc {
  readonly path: string;
  readonly text: string;
}

export interface Surroundings {
  /** AGENTS.md of the home, then, where there is a machine, from the project root down to `cwd`; bounded by `projectDocMaxBytes`. */
  projectDocs(place: { readonly cwd: string; readonly hasMachine?: boolean }, config: Config): Promise<readonly ProjectDoc[]>;
  /** Commit, branch and origin (credentials removed) by reading .git; undefined outside a repository. Never runs git. */
  git(cwd: string): Promise<ThreadMeta["git"]>;
  /** The folder of the repository that holds `cwd`; undefined outside one. */
  repositoryRoot(cwd: string): Promise<string | undefined>;
  /** The user's login shell: its name and absolute path outside any workspace. */
  shell(): { readonly name: string; readonly path: string };
  timezone(): string;
  /** Whether commands find a program of this name on the PATH. Looked up once, so that a thread's prompt stays the same. */
  hasProgram(name: string): boolean;
  /** Reads an image for the model as a data URL, made smaller where the limits ask for it; rejects with a text for the user. */
  imageDataUrl(path: string, limits?: ImageLimits): Promise<string>;
  /** An image that came as a data URL, made smaller alike. Other URLs stay as they are. */
  fittedDataUrl(url: string, limits?: ImageLimits): Promise<string>;
}
