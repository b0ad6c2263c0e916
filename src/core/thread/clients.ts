/** Who uses a thread: what its clients are called, which tools they bring, and whether a person is there to answer. */

/** What a client says of itself when it opens a thread. */
export interface OpenedBy {
  readonly dynamicTools?: readonly unknown[] | null | undefined;
  readonly userAgent?: string | undefined;
}

export class ThreadClients {
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

  /** The tools that live in the client: those the thread was started with, until someone resumes it with others. */
  get dynamicTools(): readonly unknown[] {
    return this.#dynamicTools;
  }
  /** The User-Agent of requests to providers. */
  get userAgent(): string {
    return this.#userAgent;
  }
  /** Somebody can answer questions; false in non-interactive runs. */
  get isInteractive(): boolean {
    return this.#isInteractive;
  }
  /** The client that began the last turn, for the user's `notify` program. */
  get name(): string | undefined {
    return this.#name;
  }
  /** Whoever began the last turn is a program: the turn fails where only the offline tour would answer, unless that was asked for. */
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
