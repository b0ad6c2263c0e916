/** Notifications on this device while its page is closed. */
import { type ReactElement, useCallback } from "react";
import { useApp } from "../../app-context.tsx";
import type { PushWants, ToolCalls } from "../../connection/tools.ts";
import { canBeNotified, switchOff, switchOn } from "../../connection/worker.ts";
import { Button, Switch } from "../../ui/controls.tsx";
import { useBusy } from "./busy.ts";
import { Shown, useLoaded } from "./load.tsx";

const all: PushWants = { needsYou: true, done: true, failed: true };

export function PushSettings({ tools }: { tools: ToolCalls }): ReactElement {
  const { controller } = useApp();
  const state = useLoaded(useCallback(() => tools.push(), [tools]));
  const { busy, run } = useBusy();
  const change = (work: () => Promise<unknown>): Promise<void> =>
    run(async () => {
      await controller.try(work());
      await state.reload();
    });
  if (!canBeNotified())
    return (
      <p className="hint">
        This browser cannot be notified while the page is closed. It needs an https address, or this machine itself; on an iPhone the page
        must be on the home screen.
      </p>
    );
  return (
    <Shown of={state}>
      {({ wants }) => (
        <>
          <Switch
            label="Also while the page is closed"
            help="Through the browser's push service, which cannot read the messages. Approvals can be answered in the notification."
            checked={wants !== null}
            onChange={(on) => void change(() => (on ? switchOn(tools, all) : switchOff(tools)))}
          />
          {wants === null ? null : (
            <div className="push-kinds">
              <Switch
                label="Push: something needs me"
                checked={wants.needsYou}
                onChange={(needsYou) => void change(() => switchOn(tools, { ...wants, needsYou }))}
              />
              <Switch
                label="Push: a turn is done"
                checked={wants.done}
                onChange={(isDone) => void change(() => switchOn(tools, { ...wants, done: isDone }))}
              />
              <Switch
                label="Push: a turn failed"
                checked={wants.failed}
                onChange={(failed) => void change(() => switchOn(tools, { ...wants, failed }))}
              />
              <Button size="small" busy={busy} disabled={busy} onClick={() => void change(() => tools.testPush())}>
                Send a test notification
              </Button>
            </div>
          )}
        </>
      )}
    </Shown>
  );
}
