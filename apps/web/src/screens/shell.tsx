/** The frame: session list, the screen in the middle, keys, palette, help, and screen-reader announcements. */
import { lazy, type ReactElement, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { chordOf, createChords, isTyping, keymapWith } from "../state/keys.ts";
import { listRows } from "../state/list.ts";
import { addressOf, type Place } from "../state/router.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { Guard } from "../ui/guard.tsx";
import { Announcer } from "./announcer.tsx";
import { focusSoon } from "./focus.ts";
import { Home } from "./home.tsx";
import { watchForPeople } from "./notifications.ts";
import { SandboxBanner } from "./sandbox.tsx";
import { Sidebar } from "./sidebar.tsx";

const Help = lazy(() => import("./help.tsx").then((m) => ({ default: m.Help })));
const SettingsScreen = lazy(() => import("./settings/settings.tsx").then((m) => ({ default: m.SettingsScreen })));
const Inbox = lazy(() => import("./inbox.tsx").then((m) => ({ default: m.Inbox })));
const Palette = lazy(() => import("./palette.tsx").then((m) => ({ default: m.Palette })));
const sessionScreen = () => import("./session.tsx");
const SessionScreen = lazy(() => sessionScreen().then((m) => ({ default: m.SessionScreen })));
const SearchScreen = lazy(() => import("./search.tsx"));

const narrowScreen = "(max-width: 860px)";
const isNarrow = (): boolean => matchMedia(narrowScreen).matches;

/** What is loaded when it is used. */
const later = (screen: ReactElement): ReactElement => (
  <Suspense fallback={<p className="hint file-loading">Loading…</p>}>{screen}</Suspense>
);

/** Commands that only go somewhere. */
const commandPlaces: Readonly<Record<string, Place>> = { inbox: { name: "inbox" }, searchAll: { name: "search", query: "" } };

export function Shell({ onRunner }: { onRunner: (run: (command: string) => void) => void }): ReactElement {
  const app = useApp();
  const { controller, place, go, settings } = app;
  const [sidebar, setSidebar] = useState(!isNarrow());
  const [dialog, setDialog] = useState<"palette" | "help">();
  const sessionCommands = useRef<(command: string) => boolean>(() => false);
  const link = useAppState((s) => s.link);
  const engine = useAppState((s) => s.engine);
  const waiting = useAppState((s) => s.pending.size);

  const step = useCallback(
    (by: number): void => {
      const state = controller.store.get();
      const rows = listRows(state, { groupBy: settings.groupBy, filter: "all", search: "", folded: new Set() }, Date.now());
      const ids = rows.flatMap((r) => (r.kind === "session" ? [r.session.sessionId] : []));
      const at = place.name === "session" ? ids.indexOf(place.sessionId) : -1;
      const next = ids[at === -1 ? 0 : Math.max(0, Math.min(ids.length - 1, at + by))];
      if (next !== undefined) go({ name: "session", sessionId: next, requestId: null });
    },
    [controller, settings.groupBy, place, go],
  );

  const run = useCallback(
    (command: string): void => {
      if (sessionCommands.current(command)) return;
      const jump = /^session:(\d)$/.exec(command)?.[1];
      if (jump !== undefined) return jumpTo(Number(jump), controller, settings.groupBy, go);
      const goal = commandPlaces[command];
      if (goal !== undefined) return go(goal);
      switch (command) {
        case "palette":
        case "help":
          return setDialog(command);
        case "search":
          setSidebar(true);
          return focusSoon("#session-search");
        case "newSession":
          go({ name: "home" });
          return focusSoon("#composer");
        case "composer":
          return focusSoon("#composer");
        case "nextWaiting":
          return goToWaiting(controller, go);
        case "previousSession":
          return step(-1);
        case "nextSession":
          return step(1);
        case "sidebar":
          return setSidebar((s) => !s);
      }
    },
    [controller, settings.groupBy, go, step],
  );
  useEffect(() => onRunner(run), [onRunner, run]);
  useKeys(run);
  useEffect(() => watchForPeople(controller.store, () => settings.notify, go), [controller, settings.notify, go]);
  useEffect(() => {
    const narrow = matchMedia(narrowScreen);
    const onTurn = (): void => setSidebar(!narrow.matches);
    narrow.addEventListener("change", onTurn);
    return () => narrow.removeEventListener("change", onTurn);
  }, []);
  // On a phone every navigation closes the drawer
  useEffect(() => {
    if (isNarrow()) setSidebar(false);
  }, [place]);

  return (
    <div className={`shell ${sidebar ? "" : "shell-wide"}`}>
      <nav className="skip-links" aria-label="Skip to">
        {sidebar ? <a href="#session-search">Session list</a> : null}
        <a href="#main">Conversation</a>
        {place.name === "home" || place.name === "session" ? <a href="#composer">Composer</a> : null}
      </nav>
      {sidebar ? <Sidebar onClose={() => setSidebar(false)} onNew={() => run("newSession")} /> : null}
      {sidebar ? (
        <button type="button" className="sidebar-shade" aria-label="Close the session list" onClick={() => setSidebar(false)} />
      ) : null}
      <main id="main" className="main" tabIndex={-1}>
        <Banner link={link} engineDown={!engine.running} reason={engine.reason} />
        <SandboxBanner />
        <Guard resetKey={addressOf(place)} fallback={(again) => <BrokenScreen again={again} />}>
          <Screen
            onCommands={(handle) => (sessionCommands.current = handle)}
            menuButton={
              sidebar ? null : (
                <span className="menu-button">
                  <IconButton
                    icon="menu"
                    label={waiting > 0 ? `Session list, ${waiting} waiting` : "Session list"}
                    onClick={() => setSidebar(true)}
                  />
                  {waiting > 0 ? (
                    <span className="badge badge-corner" aria-hidden="true">
                      {waiting}
                    </span>
                  ) : null}
                </span>
              )
            }
          />
        </Guard>
      </main>
      <Suspense>{dialog === "palette" ? <Palette onClose={() => setDialog(undefined)} /> : null}</Suspense>
      {dialog === "help" ? later(<Help onClose={() => setDialog(undefined)} />) : null}
      <Announcer />
    </div>
  );
}

/** The list, the other screens and their open requests keep working. */
const BrokenScreen = ({ again }: { again: () => void }): ReactElement => (
  <Empty icon="warning" title="This screen cannot be shown">
    Something in it failed. <Button onClick={again}>Try again</Button>
  </Empty>
);

function Screen({
  menuButton,
  onCommands,
}: {
  menuButton: ReactElement | null;
  onCommands: (handle: (command: string) => boolean) => void;
}): ReactElement {
  const { place } = useApp();
  // What people open next is fetched once the first view is there.
  useEffect(() => void sessionScreen().catch(() => {}), []);
  // Another screen does not handle the last one's commands
  useEffect(() => {
    if (place.name !== "session") onCommands(() => false);
  }, [place.name]);
  // Without a default: a place that has no screen does not compile.
  switch (place.name) {
    case "home":
      return <Home menuButton={menuButton} />;
    case "inbox":
      return later(<Inbox menuButton={menuButton} />);
    case "search":
      return later(<SearchScreen query={place.query} menuButton={menuButton} />);
    case "session":
      return later(
        <SessionScreen
          key={place.sessionId}
          sessionId={place.sessionId}
          requestId={place.requestId}
          menuButton={menuButton}
          onCommands={onCommands}
        />,
      );
    case "settings":
      return later(<SettingsScreen tab={place.tab} menuButton={menuButton} />);
  }
}

function Banner({ link, engineDown, reason }: { link: string; engineDown: boolean; reason: string | null }): ReactElement | null {
  const { offlineTour, go, scope, controller } = useApp();
  const { offers } = controller.connection;
  const [late, setLate] = useState(false);
  // A short network interruption needs no banner.
  useEffect(() => {
    if (link === "online") return setLate(false);
    const timer = setTimeout(() => setLate(true), 1200);
    return () => clearTimeout(timer);
  }, [link]);
  if (late)
    return (
      <p className="banner banner-problem">
        The {offers.name} cannot be reached. Trying again… What you write is kept and sent when it is back.
      </p>
    );
  if (engineDown)
    return <p className="banner banner-problem">The engine cannot be reached{reason === null ? "" : `: ${reason}`}. Trying again…</p>;
  if (offlineTour)
    return (
      <div className="banner banner-info">
        <span>No model is set up yet, so the built-in offline tour answers. Everything else is real.</span>
        {offers.settings.includes("account") && allows(scope, "admin") ? (
          <Button size="small" tone="quiet" onClick={() => go({ name: "settings", tab: "account" })}>
            Set up a model
          </Button>
        ) : null}
      </div>
    );
  return null;
}

function useKeys(run: (command: string) => void): void {
  const { settings, isMac } = useApp();
  const keymap = useMemo(() => keymapWith(settings.keys), [settings.keys]);
  const live = useRef({ run, keymap });
  live.current = { run, keymap };
  useEffect(() => {
    const match = createChords(() => live.current.keymap);
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || ["Control", "Shift", "Alt", "Meta"].includes(event.key)) return;
      if (event.key === "Escape" && closesSomething(event.target)) return;
      const chord = chordOf(event, isMac);
      const number = /^Alt\+([1-9])$/.exec(chord)?.[1];
      const command = number === undefined ? match(chord, event.timeStamp) : `session:${number}`;
      if (command === undefined) return;
      const field =
        event.target instanceof HTMLElement &&
        (event.target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName));
      if (field && isTyping(chord) && command !== "stop") return;
      if (command !== "stop") event.preventDefault();
      live.current.run(command);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isMac]);
}

/** Whether Escape is meant for an open element or a text field, and not for the turn. In the composer it is meant for the turn. */
function closesSomething(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return true;
  return target instanceof HTMLElement && target.id !== "composer" && target.matches("input, textarea, select, [contenteditable]");
}

type Go = ReturnType<typeof useApp>["go"];
type Control = ReturnType<typeof useApp>["controller"];

function jumpTo(number: number, controller: Control, groupBy: "time" | "project", go: Go): void {
  const rows = listRows(controller.store.get(), { groupBy, filter: "all", search: "", folded: new Set() }, Date.now());
  const row = rows.find((r) => r.kind === "session" && r.number === number);
  if (row?.kind === "session") go({ name: "session", sessionId: row.session.sessionId, requestId: null });
}

function goToWaiting(controller: Control, go: Go): void {
  const all = [...controller.store.get().pending.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const here = document.activeElement?.closest<HTMLElement>("[data-request]")?.dataset["request"];
  const at = all.findIndex((p) => p.requestId === here);
  const next = all[(at + 1) % Math.max(1, all.length)];
  if (next === undefined) return;
  go({ name: "session", sessionId: next.threadId, requestId: next.requestId });
  focusSoon(`[data-request="${CSS.escape(next.requestId)}"]`);
}
