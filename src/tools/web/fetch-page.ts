/** Fetches one page of the public web: no internal address under any name, within limits of time and size. */
import { lookup as lookUpAll } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import zlib from "node:zlib";
import { errorMessage } from "../../lib/error-text.ts";
import { openNetwork, proxyFor, unusableProxy } from "../../lib/network.ts";
import { isPrivateAddress } from "../../lib/private-network.ts";
import { type FetchOptions, internalAddressText, pageAddress } from "./address.ts";

const maxBytes = 5 * 1024 * 1024;
const timeoutMs = 30_000;
const maxRedirects = 5;

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Larger than the part of a page that is read. */
  readonly isCut: boolean;
}

/** The page has moved to a host that nobody was asked about. */
export interface Elsewhere {
  readonly elsewhere: URL;
}

/** Why a page was not fetched, for the model. */
export class NotFetched extends Error {}

/** Follows redirects on the same host only. */
export async function fetchPage(start: URL, options: FetchOptions, signal: AbortSignal): Promise<Page | Elsewhere> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  openNetwork(options.env);
  let url = start;
  for (let step = 0; step <= maxRedirects; step++) {
    const response = await request(url, options, within).catch((error: unknown) => {
      signal.throwIfAborted();
      throw within.aborted ? new NotFetched(`${url.host} did not answer within ${timeoutMs / 1000} seconds`) : asNotFetched(error, url);
    });
    const target = redirectOf(response, url, options);
    if (target === undefined) return await pageFrom(response, url, within, signal);
    response.destroy();
    if (typeof target === "string") throw new NotFetched(target);
    if (target.host !== url.host) return { elsewhere: target };
    url = target;
  }
  throw new NotFetched(`${start.host} redirects more than ${maxRedirects} times`);
}

const asNotFetched = (error: unknown, url: URL): NotFetched =>
  error instanceof NotFetched ? error : new NotFetched(`${url.host} cannot be reached: ${errorMessage(error)}`);

function redirectOf({ statusCode = 0, headers }: http.IncomingMessage, from: URL, options: FetchOptions): URL | string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  const target = URL.parse(headers.location, from);
  return target === null ? `${from.host} redirects to something that is no address` : pageAddress(target.href, options);
}

function request(url: URL, options: FetchOptions, signal: AbortSignal): Promise<http.IncomingMessage> {
  const unusable = unusableProxy(url, options.env);
  if (unusable !== undefined) throw new NotFetched(unusable);
  const isInside = options.isInside ?? isPrivateAddress;
  const isPlain = url.protocol === "http:";
  const isProxied = proxyFor(url, options.env) !== undefined;
  return new Promise((resolve, reject) => {
    const sent = (isPlain ? http : https).get(
      url,
      {
        signal,
        // A name is resolved once, and the connection goes to the checked address: a different DNS answer a moment later changes nothing.
        // With a proxy, the proxy resolves the name.
        ...(isProxied ? {} : { lookup: judgedLookup(isInside), agent: new (isPlain ? http : https).Agent({ keepAlive: false }) }),
        headers: {
          "user-agent": `parley/${options.version}`,
          accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1",
          "accept-encoding": "gzip, deflate, br",
        },
      },
      resolve,
    );
    sent.on("error", reject);
  });
}

/** Every address of a name is checked: one internal address is enough to refuse it. */
function judgedLookup(isInside: (address: string) => boolean): LookupFunction {
  return (hostname, { family, hints, all }, done) =>
    lookUpAll(hostname, { family: family ?? 0, hints: hints ?? 0, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return done(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => isInside(address))) return done(new NotFetched(internalAddressText(hostname)), "");
      return all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
}

async function pageFrom(response: http.IncomingMessage, url: URL, within: AbortSignal, signal: AbortSignal): Promise<Page> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isCut = false;
  const body = decoded(response);
  try {
    for await (const chunk of body) {
      const bytes: Uint8Array = chunk;
      const part = bytes.subarray(0, maxBytes - length);
      chunks.push(part);
      length += part.length;
      if (part.length === bytes.length) continue;
      isCut = true;
      break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw within.aborted
      ? new NotFetched(`${url.host} did not send the page within ${timeoutMs / 1000} seconds`)
      : asNotFetched(error, url);
  } finally {
    response.destroy();
  }
  return { url, status: response.statusCode ?? 0, contentType: response.headers["content-type"] ?? "", body: Buffer.concat(chunks), isCut };
}

function decoded(response: http.IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const decoder = { gzip: zlib.createGunzip, "x-gzip": zlib.createGunzip, deflate: zlib.createInflate, br: zlib.createBrotliDecompress }[
    encoding
  ];
  if (decoder === undefined) return response;
  const stream = decoder();
  response.on("error", (error) => stream.destroy(error));
  return response.pipe(stream);
}
