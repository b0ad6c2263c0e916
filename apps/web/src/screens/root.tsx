/** Shows the sign-in screen or the page itself, and provides the shared context. */
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { type App, AppContext } from "../app-context.tsx";
import type { Capabilities, Me, Models } from "../connection/connection.ts";
import { AnswerDraftsContext } from "../parts/requests/drafts.ts";
import type { Controller } from "../state/controller.ts";
import { type Address, browserAddress, type Place, placeOf } from "../state/router.ts";
import { readSettings, type Settings, writeJson } from "../state/settings.ts";
import { Button, Empty } from "../ui/controls.tsx";
import { Guard } from "../ui/guard.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { type Message, Toasts } from "./toasts.tsx";

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Root({ controller, address = browserAddress }: { controller: Controller; address?: Address }): ReactElement {
  const phase = useSyncExternalStore(controller.store.subscribe, () => controller.store.get().phase);
  const [settings, setSettings] = useState<Settings>(() => readSettings(controller.shelf));
  const [place, setPlace] = useState<Place>(address.read);
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const shared = useShared(controller, phase === "ready");
  const runner = useRef<(command: string) => void>(() => {});

  const toast = useCallback((text: string, tone: "info" | "problem" = "info", undo?: () => void): void => {
    setMessages((list) => [...list.filter((m) => m.text !== text), { id: crypto.randomUUID(), text, tone, undo }].slice(-4));
  }, []);
  const go = useCallback(
    (next: Place): void => {
      address.write(next);
      setPlace(next);
    },
    [address],
  );
  const change = useCallback(
    (part: Partial<Settings>): void => {
      setSettings((before) => {
        const next = { ...before, ...part };
        writeJson(controller.shelf, "parley.settings", next);
        return next;
      });
    },
    [controller],
  );

  useEffect(() => controller.onToast(toast), [controller, toast]);
  useEffect(() => address.onMove(setPlace), [address]);
  useEffect(() => tellFailures(toast), [toast]);
  useEffect(() => {
    // A page without it works all the same; it only cannot be notified while it is closed.
    if (phase === "ready") controller.connection.tools?.startWorker((path) => go(placeOf(...split(path)))).catch(() => {});
  }, [phase, controller, go]);
  useEffect(() => {
    if (settings.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = settings.theme;
  }, [settings.theme]);
  // Read once: the sign-in screen removes the code from the address before this effect runs.
  const [viaLink] = useState(() => location.hash.startsWith("#sign-in="));
  const started = useRef(false);
  useEffect(() => {
    if (started.current || viaLink) return;
    started.current = true;
    void controller.start();
  }, [controller, viaLink]);

  const app = useMemo<App>(
    () => ({ controller, settings, change, place, go, toast, isMac, run: (command) => runner.current(command), ...shared }),
    [controller, settings, change, place, go, toast, shared],
  );
  return (
    <AppContext value={app}>
      {phase === "ready" ? (
        <AnswerDraftsContext value={controller.answers}>
          <Guard fallback={(again) => <BrokenPage again={again} />}>
            <Shell onRunner={(run) => (runner.current = run)} />
          </Guard>
        </AnswerDraftsContext>
      ) : null}
      {phase === "signedOut" || (phase === "starting" && viaLink) ? <SignIn /> : null}
      <Toasts messages={messages} onGone={(id) => setMessages((list) => list.filter((m) => m.id !== id))} />
    </AppContext>
  );
}

/** A place's path and hash. */
function split(address: string): [path: string, hash: string] {
  const at = address.indexOf("#");
  return at === -1 ? [address, ""] : [address.slice(0, at), address.slice(at)];
}

const BrokenPage = ({ again }: { again: () => void }): ReactElement => (
  <Empty icon="warning" title="The page cannot be shown">
    Something in it failed. Your sessions go on. <Button onClick={again}>Try again</Button>
  </Empty>
);

/** Uncaught errors: shown to the user, and the page keeps working. */
function tellFailures(toast: App["toast"]): () => void {
  const tell = (event: ErrorEvent | PromiseRejectionEvent): void => {
    const why: unknown = "reason" in event ? event.reason : event.message;
    if (typeof why === "string" && why.includes("ResizeObserver loop")) return; // not an error, although browsers report it as one
    toast("Something in this page failed. If it happens again, reload the page.", "problem");
  };
  addEventListener("error", tell);
  addEventListener("unhandledrejection", tell);
  return () => {
    removeEventListener("error", tell);
    removeEventListener("unhandledrejection", tell);
  };
}

/** Lists that are loaded after signing in, and again when the account has changed. */
function useShared(
  controller: Controller,
  ready: boolean,
): Pick<App, "models" | "scope" | "offlineTour" | "defaultFolder" | "defaultModel" | "sandbox" | "fleet" | "reload"> {
  const [models, setModels] = useState<Models>([]);
  const [me, setMe] = useState<Me>();
  const [runtime, setRuntime] = useState<Pick<Capabilities["runtime"], "offlineTour" | "cwd" | "sandbox" | "model"> & { fleet?: boolean }>({
    offlineTour: false,
    cwd: "",
  });
  const reload = useCallback((): void => {
    const { connection } = controller;
    // Each may be missing on an older engine; the page works without it.
    connection.models().then(setModels, () => {});
    connection.me().then(setMe, () => {});
    connection.capabilities().then(
      (c) => setRuntime({ ...c.runtime, fleet: c.runtime.fleet === true }),
      () => {},
    );
  }, [controller]);
  useEffect(() => {
    if (ready) reload();
  }, [ready, reload]);
  const scope = me?.scope ?? "admin";
  return useMemo(
    () => ({
      ...{ models, scope, reload },
      ...{
        offlineTour: runtime.offlineTour,
        defaultFolder: runtime.cwd,
        defaultModel: runtime.model ?? undefined,
        sandbox: runtime.sandbox ?? undefined,
        fleet: runtime.fleet,
      },
    }),
    [models, scope, runtime, reload],
  );
}
