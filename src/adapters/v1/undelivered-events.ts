/** What happens in a conversation before its listener is there, or between two: clients may listen a moment after they have spoken. */

interface Event {
  readonly turnId: string;
  readonly msg: { readonly type: string };
}

/** Of one conversation; what is older is forgotten. */
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
  /** In their order; each is sent once. */
  take(conversationId: string): readonly Event[] {
    const events = this.#events.get(conversationId) ?? [];
    this.#events.delete(conversationId);
    return events;
  }
}
