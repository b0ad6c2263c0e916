/** The file or selection that is sent with a message, visible and one click to leave out. */
import { type ReactElement, useState, useSyncExternalStore } from "react";
import { useApp } from "../../app-context.tsx";
import { spelledLine } from "../../parts/requests/spelled.ts";
import { type LookedAt, type Looking, lookedAtLabel } from "../../state/looked-at.ts";
import { Chip, IconButton } from "../../ui/controls.tsx";

const nothing: Looking = { get: () => undefined, subscribe: () => () => {} };

/** Left out until another file is viewed. */
export function useLookedAt(): { readonly seen: LookedAt | undefined; readonly leaveOut: () => void } {
  const looking = useApp().controller.connection.looking ?? nothing;
  const seen = useSyncExternalStore(looking.subscribe, looking.get);
  const [leftOut, setLeftOut] = useState<string>();
  if (leftOut !== undefined && seen !== undefined && seen.file !== leftOut) setLeftOut(undefined);
  return { seen: seen?.file === leftOut ? undefined : seen, leaveOut: () => setLeftOut(seen?.file) };
}

export function LookedAtRow({ seen, onLeaveOut }: { seen: LookedAt; onLeaveOut: () => void }): ReactElement {
  const label = spelledLine(lookedAtLabel(seen));
  return (
    <ul className="attachments" aria-label="From the editor">
      <li className="attachment">
        <Chip icon={seen.selection === undefined ? "file" : "edit"}>{label}</Chip>
        <IconButton icon="close" size={12} label={`Leave out ${label}`} onClick={onLeaveOut} />
      </li>
    </ul>
  );
}
