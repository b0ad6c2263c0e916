/** Events of a conversation without a listener: clients may subscribe shortly after sending a message. */

interface Event {
  readonly turnId: string;
  readonly msg: { readonly type: string };
}

/** Maximum number of events kept per conversation; older ones are dropped. */
const kept = 1000;

export class UndeliveredEvents {
  readonly #events = new Map<string, Event[]>();

  keep(conversationId: string, event: Event): void {
    if (event.msg.type === "raw_response_item") return;
    const events = this.#events.get(conversationId) ?? [];
    this.#events.set(conversationId, events);
    events.push(event);
    if (events.length > kept) events.splice(0, events.length - kept);
  }
  /** In order; each event is returned once. */
  take(conversationId: string): readonly Event[] {
    const events = this.#events.get(conversationId) ?? [];
    this.#events.delete(conversationId);
    return events;
  }
}
