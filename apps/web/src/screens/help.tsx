/** Every key, by group; opened with `?`. */
import type { ReactElement } from "react";
import { useApp } from "../app-context.tsx";
import { commands, keymapWith, showKeys } from "../state/keys.ts";
import { Button, Keys } from "../ui/controls.tsx";
import { Dialog } from "../ui/overlays.tsx";

const fixed = [
  ["Go to session 1 … 9", "Alt+1…9"],
  ["In a card: allow once", "Enter, Y"],
  ["In a card: allow for the session", "S"],
  ["In a card: always allow (rule)", "R"],
  ["In a card: decline", "N"],
  ["In a card: leave it, decides nothing", "Esc"],
  ["In a question: pick an option", "1…9"],
  ["In the composer: files, skills, commands", "@  $  /"],
] as const;

export function Help({ onClose }: { onClose: () => void }): ReactElement {
  const { settings, isMac, go, controller } = useApp();
  const keymap = keymapWith(settings.keys);
  const groups = [...new Set(commands.map((c) => c.group))];
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div className="help-grid">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl className="key-list">
              {commands
                .filter((c) => c.group === group)
                .map((c) => (
                  <div key={c.id}>
                    <dt>{c.label}</dt>
                    <dd>
                      <Keys keys={showKeys(keymap[c.id] ?? "", isMac)} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>Answering</h3>
          <dl className="key-list">
            {fixed.map(([label, keys]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <div className="row-end">
        {controller.connection.offers.settings.includes("keys") ? (
          <Button
            onClick={() => {
              onClose();
              go({ name: "settings", tab: "keys" });
            }}
          >
            Change keys
          </Button>
        ) : null}
      </div>
    </Dialog>
  );
}
