/** The path and query of an HTTP request line, parsed without ever throwing: for every listener that unknown clients can reach. */

export interface RequestTarget {
  /** As sent: neither decoded nor normalized. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** `new URL` throws on some targets that HTTP parsers accept, such as `//`; an odd path simply matches no route. */
export function requestTarget(url: string | undefined): RequestTarget {
  const [, path = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(url ?? "") ?? [];
  return { path, query: new URLSearchParams(query) };
}
