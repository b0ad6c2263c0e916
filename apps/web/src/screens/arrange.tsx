/** Arranging sessions: pin, sections, snooze, read marks; in the menu of a session, and for several at once. */
import { type ReactElement, useId, useState } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import type { Controller } from "../state/controller.ts";
import { clock, plural } from "../state/format.ts";
import type { SessionSummary } from "../state/model.ts";
import { snoozeChoices } from "../state/snooze.ts";
import { Button, focusIt } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Dialog, type MenuItem } from "../ui/overlays.tsx";
import type { ListDialog } from "./list-dialogs.tsx";

export type ArrangeDialog = { readonly kind: "snooze" | "section"; readonly session: SessionSummary };

/** Only what the backend can do; sub-agents stay with their parent. */
export function useArrangeItems(session: SessionSummary, onDialog: (dialog: ListDialog) => void): readonly MenuItem[] {
  const { controller } = useApp();
  const pinned = useAppState((s) => s.sections.find((section) => section.isPinned)?.sectionId);
  const { lists, markRead } = controller.connection;
  const id = session.sessionId;
  if (session.archived || !session.materialized || session.parentSessionId != null) return [];
  const isPinned = pinned !== undefined && session.sectionId === pinned;
  return [
    ...(lists === undefined || pinned === undefined
      ? []
      : ([
          {
            id: "pin",
            label: isPinned ? "Unpin" : "Pin",
            icon: "pin",
            run: () => void togglePin(controller, session),
          },
          { id: "section", label: "Put into a section…", icon: "list", run: () => onDialog({ kind: "section", session }) },
        ] as const)),
    ...(lists?.snooze === undefined
      ? []
      : [
          session.snoozedUntil == null
            ? ({ id: "snooze", label: "Snooze…", icon: "moon", run: () => onDialog({ kind: "snooze", session }) } as const)
            : ({
                id: "unsnooze",
                label: "End the snooze",
                icon: "moon",
                run: () => void controller.try(lists.snooze?.(id, null) ?? Promise.resolve(), "Back in the list"),
              } as const),
        ]),
    ...(markRead === undefined
      ? []
      : [
          {
            id: "read",
            label: session.unread ? "Mark as read" : "Mark as unread",
            icon: "dot",
            run: () => void controller.try(markRead(id, session.unread)),
          } as const,
        ]),
  ];
}

/** Pinned sessions are those in the built-in section. */
export async function togglePin(controller: Controller, { sessionId, sectionId }: SessionSummary): Promise<void> {
  const pinned = controller.store.get().sections.find((section) => section.isPinned)?.sectionId;
  if (pinned !== undefined) await controller.arrange((lists) => lists.move(sessionId, sectionId === pinned ? null : pinned));
}

export function SnoozeDialog({ session, onClose }: { session: SessionSummary; onClose: () => void }): ReactElement {
  const { controller } = useApp();
  const snooze = (until: number): void => {
    onClose();
    const { lists } = controller.connection;
    void controller.try(lists?.snooze?.(session.sessionId, until) ?? Promise.resolve(), `Snoozed until ${clock(until * 1000)}`);
  };
  return (
    <Dialog title="Snooze this session" onClose={onClose}>
      <p>It leaves the list until then. If it needs you before, it comes back at once.</p>
      <div className="choice-list">
        {snoozeChoices(new Date()).map(({ label, until }, i) => (
          <button key={label} type="button" className="choice" ref={i === 0 ? focusIt : undefined} onClick={() => snooze(until)}>
            <Icon name="moon" size={16} />
            <span>{label}</span>
            <span className="hint">{clock(until * 1000)}</span>
          </button>
        ))}
      </div>
    </Dialog>
  );
}

export function SectionDialog({ session, onClose }: { session: SessionSummary; onClose: () => void }): ReactElement {
  const { controller } = useApp();
  const sections = useAppState((s) => s.sections);
  const [name, setName] = useState("");
  const id = useId();
  const put = (sectionId: string | null): void => {
    onClose();
    void controller.arrange((lists) => lists.move(session.sessionId, sectionId));
  };
  const create = (): void => {
    onClose();
    void controller.arrange(async (lists) => {
      const known = new Set(sections.map((s) => s.sectionId));
      const made = (await lists.makeSection(name.trim())).find((s) => !known.has(s.sectionId));
      return await lists.move(session.sessionId, made?.sectionId ?? null);
    });
  };
  return (
    <Dialog title="Put into a section" onClose={onClose}>
      <div className="choice-list">
        {sections.map((section, i) => (
          <button
            key={section.sectionId}
            type="button"
            className="choice"
            ref={i === 0 ? focusIt : undefined}
            aria-pressed={section.sectionId === session.sectionId}
            onClick={() => put(section.sectionId)}
          >
            <Icon name={section.isPinned ? "pin" : "list"} size={16} />
            <span dir="auto">{section.name}</span>
            <span className="hint">{plural(section.sessionIds.length, "session")}</span>
          </button>
        ))}
        {session.sectionId == null ? null : (
          <button type="button" className="choice" onClick={() => put(null)}>
            <Icon name="close" size={16} />
            <span>Out of its section</span>
          </button>
        )}
      </div>
      <form
        className="inline-form"
        onSubmit={(e) => {
          e.preventDefault();
          if (name.trim() !== "") create();
        }}
      >
        <label htmlFor={id}>New section</label>
        <input id={id} type="text" maxLength={120} value={name} onChange={(e) => setName(e.target.value)} />
        <Button type="submit" disabled={name.trim() === ""}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}

/** What can be done with all selected sessions at once. */
export function BulkBar({ selected, onDone }: { selected: readonly SessionSummary[]; onDone: () => void }): ReactElement {
  const { controller, scope } = useApp();
  const { markRead, lists } = controller.connection;
  const unread = selected.filter((s) => s.unread);
  const ids = selected.filter((s) => s.materialized && !s.archived).map((s) => s.sessionId);
  const readAll = async (): Promise<void> => {
    for (const session of unread) await markRead?.(session.sessionId, true);
  };
  return (
    <div className="bulk-bar" role="toolbar" aria-label="Selected sessions">
      <span role="status">{plural(selected.length, "session")} selected</span>
      <span className="spacer" />
      {markRead === undefined || !allows(scope, "approve") ? null : (
        <Button size="small" tone="quiet" disabled={unread.length === 0} onClick={() => void controller.try(readAll()).then(onDone)}>
          Mark as read
        </Button>
      )}
      {lists === undefined || !allows(scope, "drive") ? null : (
        <Button
          size="small"
          icon="archive"
          disabled={ids.length === 0}
          onClick={() => {
            onDone();
            void controller.archiveMany(ids);
          }}
        >
          Archive
        </Button>
      )}
      <Button size="small" tone="quiet" onClick={onDone}>
        Cancel
      </Button>
    </div>
  );
}

/** Lines that a session has added and removed; the numbers have signs, so that colour is not needed to read them. */
export function ChangeCount({ session }: { session: SessionSummary }): ReactElement | null {
  const { changes } = session;
  if (changes == null || changes.added + changes.removed === 0) return null;
  return (
    <span className="change-count" title={`${plural(changes.files, "file")} changed`}>
      <span className="visually-hidden">Edits: </span>
      <span className="count-added">+{changes.added}</span> <span className="count-removed">−{changes.removed}</span>
    </span>
  );
}
