/** The page's side of its service worker: registering it, handing it the key, and subscribing to notifications. */
import { Refused } from "./connection.ts";
import type { PageKey } from "./http.ts";
import type { PushState, PushWants, ToolCalls } from "./tools.ts";

const place = "/sw.js";

/** Does nothing where there can be none: only https addresses and this machine itself can have one. */
export async function startWorker(key: PageKey, onGo: (path: string) => void): Promise<void> {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  await navigator.serviceWorker.register(trusted(place));
  const ready = await navigator.serviceWorker.ready;
  ready.active?.postMessage({ parleyKey: key.get() });
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "object" && data !== null && "parleyGo" in data && typeof data.parleyGo === "string") onGo(data.parleyGo);
  });
}

/** The content policy admits script addresses only from a policy. */
function trusted(address: string): string {
  const types = (window as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): unknown } } })
    .trustedTypes;
  if (types === undefined) return address;
  const policy = types.createPolicy("parley-worker", {
    createScriptURL(url: string) {
      if (url !== place) throw new TypeError("not the page's own worker");
      return url;
    },
  });
  return policy.createScriptURL(address) as string;
}

export const canBeNotified = (): boolean => "serviceWorker" in navigator && "PushManager" in window && window.isSecureContext;

const refused = (message: string): Refused => new Refused(0, "notifications_refused", message, null);

/** Throws Refused if the user, the browser or its push service refuses. */
export async function switchOn(tools: ToolCalls, wants: PushWants): Promise<PushState> {
  if ((await Notification.requestPermission()) !== "granted") throw refused("This browser blocks notifications from Parley.");
  const { publicKey } = await tools.push();
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription =
    (await pushManager.getSubscription()) ??
    (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }).catch((error: unknown) => {
      throw refused(`The browser's push service did not answer: ${String(error)}`);
    }));
  return await tools.subscribe(subscription.toJSON(), wants);
}

export async function switchOff(tools: ToolCalls): Promise<void> {
  await tools.unsubscribe();
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
}
