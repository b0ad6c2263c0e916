/** Changes that were taken back here, until they are brought back or dismissed: the engine keeps what was there. */
import { type ReactElement, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { readJson, type Shelf, writeJson } from "../../state/settings.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";

interface TakenBack {
  readonly undoId: string;
  readonly what: string;
}

const maxKept = 10;

const isTakenBack = (value: unknown): value is TakenBack =>
  typeof value === "object" &&
  value !== null &&
  "undoId" in value &&
  typeof value.undoId === "string" &&
  "what" in value &&
  typeof value.what === "string";

function read(shelf: Shelf, sessionId: string): readonly TakenBack[] {
  const saved = readJson(shelf, `parley.reverts.${sessionId}`);
  return Array.isArray(saved) ? saved.filter(isTakenBack).slice(-maxKept) : [];
}

export function useTakenBack(sessionId: string): {
  readonly list: readonly TakenBack[];
  readonly add: (one: TakenBack) => void;
  readonly remove: (undoId: string) => void;
} {
  const { shelf } = useApp().controller;
  const [list, setList] = useState(() => read(shelf, sessionId));
  const keep = (next: readonly TakenBack[]): void => {
    setList(next);
    writeJson(shelf, `parley.reverts.${sessionId}`, next.length === 0 ? null : next);
  };
  return {
    list,
    add: (one) => keep([...read(shelf, sessionId), one].slice(-maxKept)),
    remove: (undoId) => keep(read(shelf, sessionId).filter((one) => one.undoId !== undoId)),
  };
}

export function TakenBackList({
  sessionId,
  taken,
  onChanged,
}: {
  sessionId: string;
  taken: ReturnType<typeof useTakenBack>;
  onChanged: () => void;
}): ReactElement | null {
  const { controller, toast } = useApp();
  if (taken.list.length === 0) return null;
  const bringBack = async ({ undoId, what }: TakenBack): Promise<void> => {
    const conflicts = await controller.try(controller.connection.git?.restore(sessionId, undoId) ?? Promise.resolve([]));
    if (conflicts === undefined) return;
    if (conflicts.length > 0) return toast(`${what} stays: ${conflicts.map((c) => `${c.path}: ${c.reason}`).join(", ")}`, "problem");
    taken.remove(undoId);
    onChanged();
  };
  return (
    <ul className="taken-back" aria-label="Taken back">
      {taken.list.map((one) => (
        <li key={one.undoId}>
          <Icon name="undo" size={14} />
          <span className="taken-back-name">{one.what}</span>
          <Button size="small" onClick={() => void bringBack(one)}>
            Bring back
          </Button>
          <IconButton icon="close" size={14} label={`Dismiss ${one.what}`} onClick={() => taken.remove(one.undoId)} />
        </li>
      ))}
    </ul>
  );
}
