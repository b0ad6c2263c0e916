/** The clients of a thread: their names, the tools they provide, and whether a person can answer. */

/** A client's description of itself when it opens a thread. */
export interface OpenedBy {
  readonly dynamicTools?: readonly unknown[] | null | undefined;
  readonly userAgent?: string | undefined;
}

export class ThreadClients {
  /** Questions that clients show outside of the protocol. */
  elicitations = 0;
  #dynamicTools: readonly unknown[];
  #userAgent: string;
  #isInteractive = true;
  #name: string | undefined;
  #needsModel = false;
  #asksForTour = false;

  constructor(dynamicTools: readonly unknown[], userAgent: string) {
    this.#dynamicTools = dynamicTools;
    this.#userAgent = userAgent;
  }

  /** The client's own tools: those the thread was started with, until it is resumed with others. */
  get dynamicTools(): readonly unknown[] {
    return this.#dynamicTools;
  }
  /** The User-Agent of requests to providers. */
  get userAgent(): string {
    return this.#userAgent;
  }
  /** Whether somebody can answer questions; false in non-interactive runs. */
  get isInteractive(): boolean {
    return this.#isInteractive;
  }
  /** The client that began the last turn, for the user's `notify` program. */
  get name(): string | undefined {
    return this.#name;
  }
  /** The last turn was begun by a program: the turn fails where only the offline tour would answer, unless that was requested. */
  get refusesTour(): boolean {
    return this.#needsModel && !this.#asksForTour;
  }

  opened({ dynamicTools, userAgent }: OpenedBy): void {
    this.#dynamicTools = dynamicTools ?? this.#dynamicTools;
    this.#userAgent = userAgent ?? this.#userAgent;
  }
  leaveUnattended(): void {
    this.#isInteractive = false;
  }
  askForTour(): void {
    this.#asksForTour = true;
  }
  beginTurn(name: string): void {
    this.#name = name;
  }
  requireModel(needsModel: boolean): void {
    this.#needsModel = needsModel;
  }
}
