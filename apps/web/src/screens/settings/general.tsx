/** Look, sending, notifications. */
import { type ReactElement, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { Button, Switch } from "../../ui/controls.tsx";
import { SandboxLine } from "../sandbox.tsx";
import { PushSettings } from "./push.tsx";

function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}): ReactElement {
  return (
    <fieldset className="setting">
      <legend>{label}</legend>
      <div className="segmented">
        {options.map(([id, text]) => (
          <label key={id} className={value === id ? "segment-on" : ""}>
            <input type="radio" className="visually-hidden" name={label} checked={value === id} onChange={() => onChange(id)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function General(): ReactElement {
  const { settings, change, isMac, controller } = useApp();
  const { tools } = controller.connection;
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "unsupported"));
  const mod = isMac ? "⌘ Enter" : "Ctrl+Enter";
  const notify = (part: Partial<typeof settings.notify>): void => change({ notify: { ...settings.notify, ...part } });
  return (
    <>
      <Choice
        label="Theme"
        value={settings.theme}
        options={[
          ["system", "System"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={(theme) => change({ theme })}
      />
      <Choice
        label="Send with"
        value={settings.sendWith}
        options={[
          ["Enter", "Enter"],
          ["Mod+Enter", mod],
        ]}
        onChange={(sendWith) => change({ sendWith })}
      />
      <Choice
        label="A message during a turn"
        value={settings.whileRunning}
        options={[
          ["steer", "Steers it"],
          ["queue", "Waits its turn"],
        ]}
        onChange={(whileRunning) => change({ whileRunning })}
      />
      <Choice
        label="Changes"
        value={settings.diffView}
        options={[
          ["unified", "Unified"],
          ["split", "Side by side"],
        ]}
        onChange={(diffView) => change({ diffView })}
      />
      <Switch label="Fold the agent's reasoning" checked={settings.foldReasoning} onChange={(foldReasoning) => change({ foldReasoning })} />
      <Switch
        label="Letters answer a focused card"
        help="Y, S, R and N act while a card has the focus."
        checked={settings.cardKeys}
        onChange={(cardKeys) => change({ cardKeys })}
      />
      <h3>Notifications</h3>
      {permission === "granted" ? null : (
        <div className="setting">
          <p className="hint">
            {permission === "denied"
              ? "This browser blocks notifications from Parley."
              : permission === "unsupported"
                ? "This browser has no notifications."
                : "Your browser asks once whether Parley may notify you."}
          </p>
          {permission === "default" ? (
            <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Allow notifications</Button>
          ) : null}
        </div>
      )}
      <Switch label="Something needs me" checked={settings.notify.needsYou} onChange={(needsYou) => notify({ needsYou })} />
      <Switch label="A turn is done" checked={settings.notify.done} onChange={(done) => notify({ done })} />
      <Switch label="A turn failed" checked={settings.notify.failed} onChange={(failed) => notify({ failed })} />
      <Switch label="With a sound" checked={settings.notify.sound} onChange={(sound) => notify({ sound })} />
      {tools === undefined ? null : <PushSettings tools={tools} />}
      <SandboxLine />
    </>
  );
}
