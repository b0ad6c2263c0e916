/** Calls the manager's routes with the two secrets of a signed-in browser: the cookie, which no script can read, and the page's key, which no other port gets. */
import type { RouteInput, RouteName, RouteOutput } from "../../../../src/manager/api.ts";
import { Refused } from "./connection.ts";

type Input<K extends RouteName> = {
  [P in keyof RouteInput<K> as RouteInput<K>[P] extends Record<string, never> | undefined ? never : P]?: RouteInput<K>[P];
};

interface Given {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}

const requestTimeoutMs = 130_000;
const otherTabMs = 300;

/** Where the key is kept: in the storage of this origin, which all its tabs share and which outlives them. */
const place = "parley.key";

export class PageKey {
  /** For browsers without storage: then a reload requires signing in again. */
  #here = "";

  /** Read on each use: another tab may have signed in again. */
  get(): string {
    try {
      return localStorage.getItem(place) ?? this.#here;
    } catch {
      return this.#here;
    }
  }
  set(key: string): void {
    this.#here = key;
    try {
      localStorage.setItem(place, key);
    } catch {
      // only kept in this tab
    }
  }
  forget(): void {
    this.#here = "";
    try {
      localStorage.removeItem(place);
    } catch {
      // nothing was stored
    }
  }
}

export class Http {
  readonly #key: PageKey;

  constructor(key: PageKey) {
    this.#key = key;
  }

  async call<K extends RouteName>(key: K, input: Input<K> & Given = {} as never): Promise<RouteOutput<K>> {
    const response = await this.#send(key, input);
    const body: unknown = await response.json().catch(() => null);
    // The routes' schemas describe the body, which comes from the same server that served this script.
    if (response.ok) return body as RouteOutput<K>;
    throw refusal(response.status, body);
  }

  /** A file download. A plain link could not send the key. */
  async download<K extends RouteName>(key: K, input: Input<K> & Given = {} as never): Promise<Blob> {
    const response = await this.#send(key, input);
    if (response.ok) return await response.blob();
    throw refusal(response.status, await response.json().catch(() => null));
  }

  /** When another tab signs in, the new cookie arrives a moment before the new key: requests sent in between are retried. */
  async #send(route: RouteName, input: Given): Promise<Response> {
    const used = this.#key.get();
    const response = await this.#sendWith(used, route, input);
    if (response.status !== 401) return response;
    await new Promise((resolve) => setTimeout(resolve, otherTabMs));
    return this.#key.get() === used ? response : await this.#sendWith(this.#key.get(), route, input);
  }

  async #sendWith(pageKey: string, key: RouteName, input: Given): Promise<Response> {
    const [method, template] = key.split(" ") as [string, string];
    const params = { ...(input.path ?? {}) } as Record<string, string>;
    const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined && value !== null) query.set(name, String(value));
    return await fetch(query.size === 0 ? path : `${path}?${query}`, {
      method,
      credentials: "same-origin",
      redirect: "error",
      headers: {
        ...(pageKey === "" ? {} : { "x-parley-key": pageKey }),
        ...(method === "GET" ? {} : { "content-type": "application/json" }),
      },
      ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(input.body ?? {}) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  }
}

function refusal(status: number, body: unknown): Refused {
  const failure = (typeof body === "object" && body !== null ? body : {}) as { code?: unknown; message?: unknown; status?: unknown };
  const code = typeof failure.code === "string" ? failure.code : typeof failure.status === "string" ? failure.status : "error";
  return new Refused(status, code, typeof failure.message === "string" ? failure.message : statusText(status), body);
}

function statusText(status: number): string {
  if (status === 401) return "You are signed out.";
  if (status === 403) return "This device is not allowed to do that.";
  if (status === 404) return "It is no longer there.";
  if (status === 409) return "Someone else was faster.";
  if (status === 410) return "This session was deleted.";
  if (status === 413) return "That is too large to send.";
  if (status === 429 || status === 503) return "The manager is busy. Try again in a moment.";
  return `The manager could not do that (${status}).`;
}
