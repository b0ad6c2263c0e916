/**
 * Where a client's requests about files and commands belong: a thread's folder may exist on its worker alone, and what was begun on one
 * worker goes on there.
 */
import { type Json, type Passed, textOf, threadOpened } from "../relay/messages.ts";
import type { WorkerLink } from "./routes.ts";
import type { Target } from "./targets.ts";

type Home = Extract<Target, { kind: "home" }>;

/** The oldest are forgotten. */
const maxKept = 2000;

export class Places {
  /** The folders of threads that the client has opened. */
  readonly #folders = new Map<string, string>();
  readonly #begun = new Map<string, WorkerLink>();

  /** Undefined if any worker will do. */
  find({ folder, handle }: Home, links: readonly WorkerLink[]): WorkerLink | undefined {
    const begun = handle === undefined ? undefined : this.#begun.get(handle);
    if (begun?.link.isOpen === true) return begun;
    if (folder === undefined) return undefined;
    return links.find(({ link }) => link.isOpen && link.followed.some(([id]) => isIn(folder, this.#folders.get(id))));
  }

  /** A request was passed to this worker. */
  began(target: Target, at: WorkerLink): void {
    const handle = target.kind === "home" ? target.handle : undefined;
    if (handle !== undefined && this.#begun.get(handle)?.link.isOpen !== true) keep(this.#begun, handle, at);
  }

  /** An answer that opens a thread says where it works. */
  opened({ method, params }: Passed, result: Json): void {
    const threadId = threadOpened(method, params, result);
    const folder = textOf(result["cwd"]);
    if (threadId !== undefined && folder !== undefined) keep(this.#folders, threadId, folder);
  }
}

const isIn = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && (path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`));

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest);
}
