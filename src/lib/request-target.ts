/** The path and query of an HTTP request line, read so that nothing in it throws: for every listener that unknown clients can reach. */

export interface RequestTarget {
  /** As it was sent: not decoded, and never normalized. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** `new URL` throws on some targets that a parser of HTTP lets through, such as `//`; a path that is odd simply matches no route. */
export function requestTarget(url: string | undefined): RequestTarget {
  const [, path = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(url ?? "") ?? [];
  return { path, query: new URLSearchParams(query) };
}
