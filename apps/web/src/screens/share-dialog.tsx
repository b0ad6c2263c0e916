/** Shows a session to others: one HTML file, or a read-only link to a snapshot. */
import { type ReactElement, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { ToolCalls } from "../connection/tools.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import type { SessionSummary } from "../state/model.ts";
import { Button, Switch } from "../ui/controls.tsx";
import { Dialog, Picker } from "../ui/overlays.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useBusy } from "./settings/busy.ts";

const spans = [
  { value: "1", label: "For a day" },
  { value: "7", label: "For a week" },
  { value: "30", label: "For a month" },
  { value: "90", label: "For three months" },
];

export function ShareDialog({ tools, session, onClose }: { tools: ToolCalls; session: SessionSummary; onClose: () => void }): ReactElement {
  const { controller, scope } = useApp();
  const [outputs, setOutputs] = useState(true);
  const [days, setDays] = useState("7");
  const [url, setUrl] = useState<string>();
  const { busy, run } = useBusy();
  const download = async (): Promise<void> => {
    const file = await controller.try(tools.exportSession(session.sessionId, outputs));
    if (file !== undefined) saveFile(file, `${session.title.replaceAll(/[^\p{L}\p{N} _-]/gu, "").slice(0, 60) || "session"}.html`);
  };
  return (
    <Dialog title="Share this session" onClose={onClose}>
      <p>Both show the conversation, commands and changes as they are now. Look for secrets first: others will read them.</p>
      <Switch label="With the output of commands and tools" checked={outputs} onChange={setOutputs} />
      <div className="row">
        <Button icon="download" busy={busy} disabled={busy} onClick={() => void run(download)}>
          Save as an HTML file
        </Button>
      </div>
      {allows(scope, "admin") ? (
        <div className="setting-box">
          <div className="row">
            <Picker label="The link works" value={days} options={spans} prefer="below" onPick={setDays} />
            <Button
              tone="primary"
              busy={busy}
              disabled={busy}
              onClick={() =>
                void run(async () => setUrl((await controller.try(tools.share(session.sessionId, Number(days), outputs)))?.url))
              }
            >
              Make a read-only link
            </Button>
          </div>
          {url === undefined ? null : (
            <>
              <p className="link-made">
                <code>{url}</code> <CopyButton text={url} label="Copy link" />
              </p>
              <p className="hint">Whoever has it needs no sign-in. Settings, Shared links, ends it.</p>
            </>
          )}
        </div>
      ) : null}
    </Dialog>
  );
}
