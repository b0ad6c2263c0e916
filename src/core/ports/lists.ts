/** Port: how users arrange their threads: sections, projects, attachments and read marks. Kept apart from the threads' own files. */
import type { Project } from "../../protocol/project.ts";
import type { ThreadReadState, ThreadSection, ThreadSectionAppearance } from "../../protocol/thread.ts";
import type { ThreadAttachment } from "../../protocol/thread-attachment.ts";

/** Of a thread whose turns were all read, since nobody has marked it. */
export const firstReadState = (threadId: string): ThreadReadState => ({ firstUnread: null, revision: `initial:${threadId}` });

/** Where a thread belongs. */
export interface ThreadPlace {
  readonly section: ThreadSection | null;
  readonly sectionEnteredMs: number | null;
  readonly projectId: string | null;
}

export interface NewProject {
  readonly key: string;
  readonly name: string;
  readonly roots: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Threads that are put into it, with the time of their last use. */
  readonly threads: readonly { readonly id: string; readonly usedMs: number }[];
}
export interface ProjectChange {
  readonly name?: string | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Every method that changes something throws RpcError for what does not exist, and when a bound on counts is reached. */
export interface Lists {
  readonly sections: {
    list(): Promise<readonly ThreadSection[]>;
    create(name: string, appearance: ThreadSectionAppearance | null): Promise<ThreadSection>;
    /** An undefined appearance stays as it is. */
    update(id: string, name: string, appearance: ThreadSectionAppearance | null | undefined): Promise<ThreadSection>;
    delete(id: string): Promise<void>;
    /** Before another thread of the section, or at its end; null takes the thread out. */
    move(threadId: string, sectionId: string | null, before: string | undefined): Promise<void>;
    /** The ids of a section's threads, in their order. */
    threads(id: string): Promise<readonly string[]>;
  };
  readonly projects: {
    list(): Promise<readonly Project[]>;
    find(id: string): Promise<Project | undefined>;
    /** With a key that was used before: the project that it created then. */
    create(project: NewProject): Promise<{ readonly project: Project; readonly isNew: boolean }>;
    update(id: string, change: ProjectChange): Promise<{ readonly project: Project; readonly isChanged: boolean }>;
    /** Returns whether anything moved. */
    move(id: string, before: string | undefined): Promise<boolean>;
    /** Returns the threads that were in it. */
    delete(id: string): Promise<readonly string[]>;
    threads(id: string): Promise<readonly string[]>;
    assign(thread: { readonly id: string; readonly usedMs: number }, projectId: string): Promise<void>;
    /** Takes a thread out of its project. Returns whether it was in one. */
    unassign(threadId: string): Promise<boolean>;
  };
  readonly attachments: {
    add(
      threadId: string,
      type: string,
      key: string,
      payload: unknown,
    ): Promise<{ readonly attachment: ThreadAttachment; readonly isNew: boolean }>;
    list(threadId: string): Promise<readonly ThreadAttachment[]>;
    owners(type: string, key: string): Promise<readonly string[]>;
    /** Returns its id; undefined if there was none. */
    remove(threadId: string, type: string, key: string): Promise<string | undefined>;
  };
  readonly readMarks: {
    /** Of those threads that have one; the others have `firstReadState`. */
    of(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadReadState>>;
    /** Returns undefined, and changes nothing, if the mark is no longer the one that the client saw. */
    set(threadId: string, expectedRevision: string, operation: "read" | "unread"): Promise<ThreadReadState | undefined>;
    /** A turn has ended; the thread is unread from there on, unless it was unread before. Undefined if it could not be stored. */
    turnEnded(threadId: string, turnId: string): ThreadReadState | undefined;
  };
  places(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadPlace>>;
  /** Threads that were forked from this one to stay attached to it. */
  attachedTo(threadId: string): Promise<readonly string[]>;
  attach(threadId: string, toThreadId: string): Promise<void>;
  /** A thread was deleted. */
  forget(threadId: string): Promise<void>;
  /** Opens the file, so that the end of a turn need not wait for it. */
  prepare(): void;
  close(): void;
}
