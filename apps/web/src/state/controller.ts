/** Runs the user's actions: connects the connection to the store, and makes sure that no message or answer is lost or sent twice. */
import type { StreamEvent } from "../../../../src/manager/events.ts";
import { type Connection, type NewSession, Refused, type RequestAnswer } from "../connection/connection.ts";
import type { ListCalls, Section } from "../connection/more-calls.ts";
import { plural } from "./format.ts";
import { browserDepot, type Depot, KeptAnswers, KeptAttachments, PutDrafts } from "./kept.ts";
import type { Attachment, MessageOverrides, OutgoingMessage, PendingRequest, SessionSummary, UserInput } from "./model.ts";
import { type SessionPage, sessionBatches } from "./session-batches.ts";
import { readJson, type Shelf, writeJson } from "./settings.ts";
import type { Store } from "./store.ts";

const outboxKey = "parley.outbox";
/** Delays before an undelivered message is retried: longer each time. */
const firstPauseMs = 1000;
const longestPauseMs = 30_000;
/** This many threads stay loaded, so that going back is instant. */
const keptThreads = 6;

type Controls = NonNullable<SessionSummary["sessionControls"]>;
interface AllowedTool {
  readonly server: string;
  readonly tool: string;
}
const folderProblems = new Set(["no_such_folder", "not_a_folder"]);

export type Toast = (message: string, tone?: "info" | "problem", undo?: () => void) => void;

type Later = (run: () => void, ms: number) => void;
const runLater: Later = (run, ms) => void setTimeout(run, ms);

/** Provided by the browser; tests pass their own. */
export interface Surroundings {
  readonly depot?: Depot;
  readonly later?: Later;
  readonly isVisible?: () => boolean;
}
const isPageVisible = (): boolean => typeof document === "undefined" || document.visibilityState === "visible";

export class Controller {
  readonly connection: Connection;
  readonly store: Store;
  /** This page's own storage: settings, drafts, unsent messages. */
  readonly shelf: Shelf;
  readonly attachments: KeptAttachments<Attachment>;
  readonly drafts: PutDrafts;
  readonly answers: KeptAnswers;
  readonly #depot: Depot;
  readonly #later: Later;
  readonly #isVisible: () => boolean;
  #toast: Toast = () => {};
  /** Events that arrive while the lists are loaded; they are folded afterwards, in order. */
  #held: StreamEvent[] | undefined = [];
  #recent: string[] = [];
  #loading: Promise<void> | undefined;

  constructor(
    connection: Connection,
    store: Store,
    shelf: Shelf,
    { depot = browserDepot(), later = runLater, isVisible = isPageVisible }: Surroundings = {},
  ) {
    this.connection = connection;
    this.store = store;
    this.shelf = shelf;
    this.attachments = new KeptAttachments(depot);
    this.drafts = new PutDrafts(shelf);
    this.answers = new KeptAnswers(shelf);
    this.#depot = depot;
    this.#later = later;
    this.#isVisible = isVisible;
    this.store.subscribe(this.noteRead);
    this.#forgetAnswers();
  }

  /** Drafts for a request are deleted with it, but never before the list of open requests has been loaded. */
  #forgetAnswers(): void {
    let before = this.store.get().pending;
    this.store.subscribe(() => {
      const { pending } = this.store.get();
      if (pending === before) return;
      before = pending;
      if (this.#loadedOnce && this.#loading === undefined) this.answers.keepOnly((id) => pending.has(id));
    });
  }

  /** What is open in a visible page has been read. Called when something has changed, and when the page becomes visible. */
  readonly noteRead = (): void => {
    const { openSession, sessions, archived } = this.store.get();
    const session = openSession === null ? undefined : (sessions.get(openSession) ?? archived.get(openSession));
    const { connection } = this;
    if (session?.unread !== true || connection.markRead === undefined || !this.#isVisible() || this.#marking) return;
    this.#marking = true;
    connection
      .markRead(session.sessionId, true)
      // It stays unread for now: the next change tries again.
      .catch(() => {})
      .finally(() => {
        this.#marking = false;
      });
  };
  #marking = false;

  onToast(toast: Toast): void {
    this.#toast = toast;
  }

  /** Shows the user an error; the action simply did not happen. */
  readonly report = (error: unknown): void => {
    if (error instanceof Refused && error.status === 401) return this.#signedOut(error);
    this.#toast(
      error instanceof Refused ? error.message : `The ${this.connection.offers.name} cannot be reached. Nothing was changed.`,
      "problem",
    );
  };

  async start(): Promise<void> {
    try {
      await this.connection.me();
    } catch (error) {
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) return this.#signedOut(error);
    }
    this.enter();
  }

  enter(): void {
    this.store.dispatch({ type: "phase", phase: "ready" });
    this.connection.open({
      event: (event) => {
        if (this.#held === undefined) this.store.stream({ type: "event", event });
        else this.#held.push(event);
        if (event.type === "engine_state" && event.payload.running) this.#sendWaiting();
        const warning = warningToAll(event);
        if (warning !== undefined) this.#toast(warning, "problem");
      },
      link: (link) => {
        this.store.dispatch({ type: "link", link });
        if (link === "online") void this.#load();
      },
      resync: () => this.#resync(),
      signedOut: (why) => this.#signedOut(why),
    });
  }

  #signedOut(why?: Refused): void {
    this.connection.close();
    const isNews = why !== undefined && why.code !== "signed_out";
    this.store.dispatch({ type: "phase", phase: "signedOut", ...(isNews ? { why: why.message } : {}) });
  }

  async signOut(): Promise<void> {
    await this.connection.signOut().catch(this.report);
    this.#signedOut();
  }

  #loadedOnce = false;
  async #load(): Promise<void> {
    if (!this.#loadedOnce) {
      this.#loadedOnce = true;
      await this.#readAll();
      await this.#restoreOutbox();
    }
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    for (const message of this.store.get().outbox)
      if (message.state === "offline" || message.state === "sending") void this.#deliver(message);
  }

  #resync(): void {
    this.store.dispatch({ type: "resync" });
    void this.#readAll().then(() => {
      for (const sessionId of this.store.get().threads.keys()) void this.#readThread(sessionId).catch(() => {});
    });
  }

  #readAll(): Promise<void> {
    this.#held ??= [];
    this.#loading ??= this.#readLists()
      .catch(this.report)
      .finally(() => {
        this.#loading = undefined;
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const event of held) this.store.stream({ type: "event", event });
      });
    return this.#loading;
  }

  async #readLists(): Promise<void> {
    const [first, pending, projects] = await Promise.all([
      this.connection.sessions({}),
      this.connection.pending(),
      this.connection.projects(),
    ]);
    this.store.dispatch({ type: "projects", projects });
    this.store.dispatch({ type: "pending", requests: pending });
    this.#readSections();
    const { sessions, nextCursor, seq } = first;
    this.store.dispatch({ type: "sessions", sessions, archived: false, first: true, complete: nextCursor === null, seq });
    void this.#readRest(nextCursor, false);
  }

  /** An engine without sections leaves the list without them. */
  #readSections(): void {
    this.connection.lists?.sections().then(
      (sections) => this.store.dispatch({ type: "sections", sections }),
      () => {},
    );
  }

  /** Changes sections and shows the new ones at once. */
  async arrange(change: (lists: ListCalls) => Promise<readonly Section[]>): Promise<void> {
    const { lists } = this.connection;
    const sections = lists === undefined ? undefined : await this.try(change(lists));
    if (sections !== undefined) this.store.dispatch({ type: "sections", sections });
  }

  async #readRest(start: string | null, archived: boolean): Promise<void> {
    const shown = (): number => this.store.get()[archived ? "archived" : "sessions"].size;
    const read = (cursor: string): Promise<SessionPage> => this.connection.sessions({ archived, cursor });
    for await (const batch of sessionBatches(start, read, shown))
      this.store.dispatch({ type: "sessions", archived, first: false, ...batch });
  }

  async readArchive(): Promise<void> {
    try {
      const { sessions, nextCursor, seq } = await this.connection.sessions({ archived: true });
      this.store.dispatch({ type: "sessions", sessions, archived: true, first: true, complete: nextCursor === null, seq });
      await this.#readRest(nextCursor, true);
    } catch (error) {
      this.report(error);
    }
  }

  /* Sessions */

  async open(sessionId: string): Promise<"ok" | "gone"> {
    this.#recent = [sessionId, ...this.#recent.filter((id) => id !== sessionId)];
    for (const old of this.#recent.splice(keptThreads)) this.store.dispatch({ type: "threadClosed", sessionId: old });
    this.store.dispatch({ type: "threadOpened", sessionId });
    this.store.dispatch({ type: "open", sessionId });
    this.connection.watch(this.#recent);
    const since = this.store.get().goals.get(sessionId);
    this.connection.goals?.read(sessionId).then(
      (goal) => this.store.dispatch({ type: "goal", sessionId, goal, since }),
      () => {},
    );
    try {
      await this.#readThread(sessionId);
      this.noteRead();
      return "ok";
    } catch (error) {
      if (error instanceof Refused && (error.status === 404 || error.status === 410)) return "gone";
      this.report(error);
      return "ok";
    }
  }

  async #readThread(sessionId: string): Promise<void> {
    this.store.dispatch({ type: "threadReading", sessionId });
    const page = await this.connection.turns(sessionId, null).catch((error: unknown) => {
      this.store.dispatch({ type: "threadUnread", sessionId });
      throw error;
    });
    this.store.dispatch({ type: "threadPage", page, older: false });
    const { session, seq } = page;
    this.store.dispatch({
      type: "sessions",
      sessions: [session],
      archived: session.archived,
      first: false,
      complete: this.store.get().listComplete,
      seq,
    });
  }

  async loadOlder(sessionId: string): Promise<void> {
    const thread = this.store.get().threads.get(sessionId);
    if (thread === undefined || thread.olderCursor === null) return;
    const page = await this.connection.turns(sessionId, thread.olderCursor);
    this.store.dispatch({ type: "threadPage", page, older: true });
  }

  /** Loads older turns until this one is there; false if there is no such turn. */
  async loadTurn(sessionId: string, turnId: string): Promise<boolean> {
    for (;;) {
      const thread = this.store.get().threads.get(sessionId);
      if (thread === undefined) return false;
      if (thread.turns.some((turn) => turn.id === turnId)) return true;
      if (thread.olderCursor === null) return false;
      await this.loadOlder(sessionId);
      if (this.store.get().threads.get(sessionId)?.olderCursor === thread.olderCursor) return false;
    }
  }

  leave(): void {
    this.store.dispatch({ type: "open", sessionId: null });
  }

  /** A refusal that the user can fix where they made the choice is returned, not reported. */
  async startSession(options: NewSession): Promise<SessionSummary | Refused | undefined> {
    try {
      const session = await this.connection.start(options);
      this.store.dispatch({
        type: "sessions",
        sessions: [session],
        archived: false,
        first: false,
        complete: this.store.get().listComplete,
      });
      return session;
    } catch (error) {
      if (error instanceof Refused && folderProblems.has(error.code)) return error;
      this.report(error);
      return undefined;
    }
  }

  /** Changes some of a session's permissions; the rest stays as it is. */
  async changeControls(session: SessionSummary, part: Partial<Controls>): Promise<void> {
    const usual: Controls = {
      model: session.model ?? null,
      approvalPolicy: "untrusted",
      networkAccess: "restricted",
      filesystemSandbox: "workspace-write",
      settings: {},
    };
    const { permissions, ...rest } = session.sessionControls ?? usual;
    // A sandbox that is chosen here takes the place of the user's profile.
    const profile = permissions === undefined || part.filesystemSandbox !== undefined ? {} : { permissions };
    await this.try(this.connection.setControls(session.sessionId, { ...rest, ...profile, ...part }));
  }

  async archive(sessionId: string): Promise<void> {
    try {
      await this.connection.archive(sessionId, true);
      this.#toast("Archived", "info", () => void this.try(this.connection.archive(sessionId, false), "Back in the list"));
    } catch (error) {
      this.report(error);
    }
  }

  /** Archives several at once; what could not be archived is named. */
  async archiveMany(sessionIds: readonly string[]): Promise<void> {
    const { lists } = this.connection;
    const done = lists === undefined ? undefined : await this.try(lists.archiveMany(sessionIds));
    if (done === undefined) return;
    const back = async (): Promise<void> => {
      for (const id of done.archived) await this.connection.archive(id, false);
    };
    if (done.archived.length > 0)
      this.#toast(`Archived ${plural(done.archived.length, "session")}`, "info", () => void this.try(back(), "Back in the list"));
    const [first] = done.failed;
    if (first !== undefined) this.#toast(`${plural(done.failed.length, "session")} could not be archived: ${first.message}`, "problem");
  }

  /** Runs an action and shows an error if it fails. */
  async try<T>(work: Promise<T>, success?: string): Promise<T | undefined> {
    try {
      const result = await work;
      if (success !== undefined) this.#toast(success);
      return result;
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  /* Messages */

  send(
    sessionId: string,
    input: readonly UserInput[],
    options: { delivery: OutgoingMessage["delivery"]; overrides: MessageOverrides },
  ): void {
    const text = input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
    const message: OutgoingMessage = {
      messageId: crypto.randomUUID(),
      sessionId,
      input,
      text,
      ...options,
      state: "sending",
      problem: null,
    };
    this.#keep(message);
    void this.#deliver(message);
  }

  retry(message: OutgoingMessage): void {
    void this.#deliver(message);
  }

  discard(messageId: string): void {
    this.store.dispatch({ type: "outboxDrop", messageId });
    this.#saveOutbox();
  }

  readonly #underway = new Set<string>();
  /** Sends the message's id, so that a message whose response was lost is not sent twice by a retry. */
  async #deliver(message: OutgoingMessage, attempt = 0): Promise<void> {
    if (this.#underway.has(message.messageId)) return;
    this.#underway.add(message.messageId);
    this.#keep({ ...message, state: "sending", problem: null });
    try {
      await this.connection.send(message);
      const waiting = this.store.get().outbox.some((m) => m.messageId === message.messageId);
      if (waiting) this.#keep({ ...message, state: "accepted", problem: null });
    } catch (error) {
      const refused = error instanceof Refused && error.status < 500;
      const problem =
        error instanceof Refused
          ? error.message
          : `The ${this.connection.offers.name} cannot be reached. This is sent as soon as it is back.`;
      this.#keep({ ...message, state: refused ? "failed" : "offline", problem });
      // If the connection is down, reconnecting sends it; this is for a single call that failed while connected.
      if (!refused && this.store.get().link === "online") this.#tryAgainLater(message.messageId, attempt);
    } finally {
      this.#underway.delete(message.messageId);
    }
  }

  #tryAgainLater(messageId: string, attempt: number): void {
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
    this.#later(() => {
      const message = this.store.get().outbox.find((m) => m.messageId === messageId);
      if (message?.state === "offline") void this.#deliver(message, attempt + 1);
    }, pause);
  }

  #keep(message: OutgoingMessage): void {
    this.store.dispatch({ type: "outbox", message });
    this.#saveOutbox();
  }

  #saveOutbox(): void {
    const unsent = this.store.get().outbox.filter((m) => m.state !== "accepted");
    // Pictures are too large for the shelf.
    const fits = writeJson(this.shelf, outboxKey, unsent.length === 0 ? null : unsent);
    if (!fits) writeJson(this.shelf, outboxKey, null);
    if (!fits || this.#isOutboxInDepot) void this.#depot.write(outboxKey, fits ? undefined : unsent);
    this.#isOutboxInDepot = !fits;
  }

  #isOutboxInDepot = true;
  async #restoreOutbox(): Promise<void> {
    const stored = await this.#depot.read(outboxKey);
    const saved = readJson(this.shelf, outboxKey) ?? stored;
    if (!Array.isArray(saved)) return;
    for (const message of saved as OutgoingMessage[])
      if (typeof message?.messageId === "string" && typeof message.sessionId === "string" && Array.isArray(message.input))
        this.store.dispatch({ type: "outbox", message: { ...message, state: message.state === "failed" ? "failed" : "offline" } });
  }

  /* Answers */

  /** Submits an answer. The card stays until the server's event reports that the request has ended, and by whom. */
  async answer(request: PendingRequest, { allowsTool, ...answer }: RequestAnswer & { readonly allowsTool?: AllowedTool }): Promise<void> {
    const { requestId } = request;
    const current = this.store.get().pending.get(requestId);
    if (current === undefined || current.answer === "sending" || current.answer === "accepted") return;
    this.store.dispatch({ type: "answer", requestId, answer: "sending", problem: null });
    try {
      if (allowsTool !== undefined) await this.connection.allowTool?.(allowsTool.server, allowsTool.tool);
      await this.connection.answer(request, answer);
      this.store.dispatch({ type: "answer", requestId, answer: "accepted", problem: null });
    } catch (error) {
      const problem =
        error instanceof Refused ? answerProblem(error) : `Your answer did not reach the ${this.connection.offers.name}. Try again.`;
      this.store.dispatch({
        type: "answer",
        requestId,
        answer: error instanceof Refused && error.code === "in_flight" ? "elsewhere" : "none",
        problem,
      });
      if (error instanceof Refused && error.status === 404)
        void this.connection.pending().then(
          (requests) => this.store.dispatch({ type: "pending", requests }),
          () => {},
        );
      if (error instanceof Refused && error.status === 401) this.#signedOut(error);
    }
  }
}

/** Warnings of the engine or the manager for everyone; warnings about a session are shown in it. */
function warningToAll(event: StreamEvent): string | undefined {
  if (event.type !== "notification" || event.threadId !== null || event.payload.method !== "warning") return undefined;
  const { message } = (event.payload.params ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}

function answerProblem(error: Refused): string {
  if (error.code === "in_flight") return "Someone else's answer is already on its way.";
  if (error.status === 404) return "This was already answered or has ended.";
  return error.message;
}
