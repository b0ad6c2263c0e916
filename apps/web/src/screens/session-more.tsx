/** What a session's screen offers beside the conversation itself: commands, files, jumps, and the contexts of its transcript. */
import {
  type ComponentProps,
  type Dispatch,
  lazy,
  type ReactElement,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  Suspense,
  useCallback,
  useMemo,
  useState,
} from "react";
import { allows, useApp } from "../app-context.tsx";
import { FileLinksContext } from "../parts/transcript/file-links.tsx";
import { SessionLinksContext } from "../parts/transcript/links.ts";
import type { TranscriptHandle } from "../parts/transcript/transcript.tsx";
import { WaitingItems } from "../parts/transcript/waiting.ts";
import type { PlanView, SessionSummary, ThreadView } from "../state/model.ts";
import { togglePin } from "./arrange.tsx";
import type { OpenedFile, PanelTab } from "./panel-tabs.ts";
import type { SessionDialog } from "./session.tsx";

type SetPanel = Dispatch<SetStateAction<PanelTab | undefined>>;

interface Commanded {
  readonly sessionId: string;
  readonly session: SessionSummary | undefined;
  readonly setPanel: SetPanel;
  readonly setDialog: (dialog: SessionDialog) => void;
}

/** Arranging, goals, and the panels. Returns whether it knows the command. */
export function useMoreCommands({ sessionId, session, setPanel, setDialog }: Commanded): (command: string) => boolean {
  const { controller, scope, go } = useApp();
  return useCallback(
    (command) => {
      const { connection } = controller;
      const drive = allows(scope, "drive");
      const toggle = (tab: PanelTab): void => setPanel((panel) => (panel === tab ? undefined : tab));
      switch (command) {
        case "goal":
          if (drive && connection.goals !== undefined) setDialog({ kind: "goal" });
          return true;
        case "snooze":
          if (drive && session !== undefined && connection.lists?.snooze !== undefined) setDialog({ kind: "snooze", session });
          return true;
        case "pin":
          if (drive && session !== undefined) void togglePin(controller, session);
          return true;
        case "unread":
          if (connection.markRead === undefined) return true;
          // Leaving comes first: what is open counts as read.
          go({ name: "home" });
          void controller.try(connection.markRead(sessionId, false), "Marked as unread");
          return true;
        case "history":
          if (connection.search !== undefined) toggle("history");
          return true;
        case "agents":
          toggle("agents");
          return true;
        case "programs":
          if (connection.tools !== undefined) toggle("programs");
          return true;
        case "share":
          if (connection.tools !== undefined) setDialog({ kind: "share" });
          return true;
        default:
          return false;
      }
    },
    [controller, scope, go, sessionId, session, setPanel, setDialog],
  );
}

const isNarrow = (): boolean => matchMedia("(max-width: 860px)").matches;

/** The open file, and the way to a place of the conversation, which may have to be loaded first. */
export function useFileAndJump(
  sessionId: string,
  setPanel: SetPanel,
  transcript: RefObject<TranscriptHandle | null>,
): {
  readonly file: OpenedFile | undefined;
  readonly openFile: ((path: string, line: number | null) => void) | undefined;
  readonly jump: (turnId: string, itemId: string | null) => void;
} {
  const { controller } = useApp();
  const [file, setFile] = useState<OpenedFile>();
  const isOffered = controller.connection.fileView !== undefined;
  const openFile = useMemo(() => {
    if (!isOffered) return undefined;
    return (path: string, line: number | null): void => {
      setFile({ path, line });
      setPanel("file");
    };
  }, [isOffered, setPanel]);
  const jump = useCallback(
    (turnId: string, itemId: string | null): void => {
      // There the panel covers the conversation.
      if (isNarrow()) setPanel(undefined);
      const show = (isLoaded: boolean): void => void (isLoaded && setTimeout(() => transcript.current?.toItem(turnId, itemId), 0));
      controller.loadTurn(sessionId, turnId).then(show, controller.report);
    },
    [controller, sessionId, setPanel, transcript],
  );
  return { file, openFile, jump };
}

/** What items of the transcript need to know of their session. */
export function Contexts({
  waiting,
  openFile,
  children,
}: {
  waiting: ComponentProps<typeof WaitingItems>["value"];
  openFile: ComponentProps<typeof FileLinksContext>["value"];
  children: ReactNode;
}): ReactElement {
  const { controller, go } = useApp();
  const links = useMemo(
    () => ({
      titleOf: (id: string) => controller.store.get().sessions.get(id)?.title,
      open: (id: string) => go({ name: "session", sessionId: id, requestId: null }),
    }),
    [controller, go],
  );
  return (
    <WaitingItems value={waiting}>
      <FileLinksContext value={openFile}>
        <SessionLinksContext value={links}>{children}</SessionLinksContext>
      </FileLinksContext>
    </WaitingItems>
  );
}

const SidePanel = lazy(() => import("./side-panel.tsx").then((m) => ({ default: m.SidePanel })));

/** The panel is loaded when it is first opened. */
export const PanelOnDemand = (props: ComponentProps<typeof SidePanel>): ReactElement => (
  <Suspense fallback={null}>
    <SidePanel {...props} />
  </Suspense>
);

/** What the header and the composer get of a session: the same objects while text streams in, so that they are not drawn again with each word. */
export function useSteady(
  thread: ThreadView | undefined,
  setPanel: SetPanel,
  run: (command: string) => boolean,
): { onPanel: (tab: PanelTab) => void; onCommand: (name: string) => void; plan: PlanView | null } {
  const app = useApp();
  const onPanel = useCallback((tab: PanelTab) => setPanel((open) => (open === tab ? undefined : tab)), [setPanel]);
  const onCommand = useCallback(
    (name: string): void => (name === "new" ? app.run("newSession") : name === "help" ? app.run("help") : void run(name)),
    [app.run, run],
  );
  const plan = useMemo(() => thread?.turns.findLast((turn) => turn.plan !== null)?.plan ?? null, [thread?.turns]);
  return { onPanel, onCommand, plan };
}
