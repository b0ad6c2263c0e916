/** The page's service worker: shows notifications, answers approvals from them, and lets the installed page open while the manager cannot be reached. */

/** What of a worker's globals is used here; the page's own types describe a window. */
interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<E>(type: string, listener: (event: E & { waitUntil(work: Promise<unknown>): void }) => void): void;
}
interface WindowClient {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface PushData {
  readonly data: { json(): unknown } | null;
}
interface NotificationClick {
  readonly action: string;
  readonly notification: Notification;
}
interface FetchRequest {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Approval {
  readonly approvalId: string;
  readonly createdAt: string;
  readonly bootId: string;
}
interface Payload {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly path: string;
  readonly approval?: Approval;
}

const worker = self as unknown as WorkerScope;
const shellCache = "parley-shell";
const keyCache = "parley-key";
/** Files of older versions are dropped when there are more than this. */
const maxKept = 200;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener<PushData>("push", (event) => {
  const payload = payloadOf(event.data?.json());
  if (payload !== undefined) event.waitUntil(show(payload));
});

worker.addEventListener<NotificationClick>("notificationclick", (event) => {
  const { action, notification } = event;
  const payload = payloadOf(notification.data);
  notification.close();
  if (payload === undefined) return;
  const decision = action === "allow" ? "accept" : action === "decline" ? "decline" : undefined;
  event.waitUntil(
    decision === undefined || payload.approval === undefined ? open(payload.path) : answer(payload, payload.approval, decision),
  );
});

/** The page keeps its key where scripts of other ports cannot read it; a worker has no access to that, so the page hands it over. */
worker.addEventListener<MessageEvent>("message", (event) => {
  const { data } = event as { data?: unknown };
  if (typeof data !== "object" || data === null || !("parleyKey" in data) || typeof data.parleyKey !== "string") return;
  const key = data.parleyKey;
  event.waitUntil(caches.open(keyCache).then((cache) => cache.put("/key", new Response(key))));
});

/** The newest page if the manager can be reached, otherwise the last one: it then says that it is offline. */
worker.addEventListener<FetchRequest>("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (request.mode === "navigate" && !url.pathname.startsWith("/share/")) event.respondWith(fromNetwork(request, "/"));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(fromCache(request));
});

async function fromNetwork(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(shellCache);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(name, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(name);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** File names under assets contain a digest of their content. */
async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  for (const old of (await cache.keys()).slice(0, -maxKept)) await cache.delete(old);
  return response;
}

async function show(payload: Payload): Promise<void> {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  // Somebody who looks at the page sees it there.
  if (payload.kind !== "test" && pages.some((page) => page.focused && page.visibilityState === "visible")) return;
  const actions = payload.approval === undefined ? [] : [action("allow", "Allow"), action("decline", "Decline")];
  const options = { body: payload.body, tag: payload.tag, icon: "/icon-192.png", badge: "/icon-192.png", data: payload, actions };
  await worker.registration.showNotification(payload.title, options);
}

const action = (name: string, title: string): { action: string; title: string } => ({ action: name, title });

async function open(path: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [page] = pages;
  if (page === undefined) return void (await worker.clients.openWindow(path));
  page.postMessage({ parleyGo: path });
  await page.focus();
}

/** Answers for the device, with its cookie and key. How it ended is shown: the request may be over already. */
async function answer(payload: Payload, { approvalId, createdAt, bootId }: Approval, decision: "accept" | "decline"): Promise<void> {
  const key = await (await (await caches.open(keyCache)).match("/key"))?.text();
  let problem: string | undefined;
  try {
    const response = await fetch(`/api/approvals/${encodeURIComponent(approvalId)}/decision`, {
      method: "POST",
      credentials: "same-origin",
      redirect: "error",
      headers: { "content-type": "application/json", "x-parley-key": key ?? "" },
      body: JSON.stringify({ decision, createdAt, bootId }),
    });
    if (!response.ok) problem = messageOf(await response.json().catch(() => null)) ?? `The manager refused (${response.status}).`;
  } catch {
    problem = "The manager cannot be reached. Nothing was decided.";
  }
  const said = decision === "accept" ? "Allowed" : "Declined";
  const options = { body: problem ?? `${said}: ${payload.body}`, tag: payload.tag, icon: "/icon-192.png", silent: true };
  await worker.registration.showNotification(problem === undefined ? payload.title : "Not answered", {
    ...options,
    data: { ...payload, approval: undefined },
  });
}

function messageOf(body: unknown): string | undefined {
  return typeof body === "object" && body !== null && "message" in body && typeof body.message === "string" ? body.message : undefined;
}

function payloadOf(data: unknown): Payload | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { kind, title, body, tag, path } = data as Partial<Payload>;
  if (![kind, title, body, tag, path].every((text) => typeof text === "string")) return undefined;
  // Only places of this page.
  return (data as Payload).path.startsWith("/") && !(data as Payload).path.startsWith("//") ? (data as Payload) : undefined;
}
