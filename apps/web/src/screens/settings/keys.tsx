/** Keys, each of which can be changed. */
import { type ReactElement, useEffect, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { chordOf, commands, keymapWith, showKeys } from "../../state/keys.ts";
import { Button, Keys } from "../../ui/controls.tsx";

export function KeysTab(): ReactElement {
  const { settings, change, isMac } = useApp();
  const [recording, setRecording] = useState<string>();
  const keymap = keymapWith(settings.keys);
  useEffect(() => {
    if (recording === undefined) return;
    const onKey = (event: KeyboardEvent): void => {
      if (["Control", "Shift", "Alt", "Meta"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== "Escape") change({ keys: { ...settings.keys, [recording]: chordOf(event, isMac) } });
      setRecording(undefined);
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [recording, settings.keys, change, isMac]);
  const taken = (id: string): string | undefined => commands.find((c) => c.id !== id && keymap[c.id] === keymap[id])?.label;
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Action</th>
            <th scope="col">Key</th>
            <th scope="col">
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {commands.map((c) => (
            <tr key={c.id}>
              <th scope="row">{c.label}</th>
              <td>
                {recording === c.id ? <em>Press a key, Esc to keep</em> : <Keys keys={showKeys(keymap[c.id] ?? "", isMac)} />}
                {taken(c.id) === undefined ? null : <span className="problem"> also: {taken(c.id)}</span>}
              </td>
              <td className="row-end">
                <Button size="small" tone="quiet" onClick={() => setRecording(c.id)} aria-label={`Change the key for ${c.label}`}>
                  Change
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button onClick={() => change({ keys: {} })} disabled={Object.keys(settings.keys).length === 0}>
        Back to the usual keys
      </Button>
    </>
  );
}
