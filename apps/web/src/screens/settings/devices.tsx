/** Who is signed in, and links that sign others in. */
import { type ReactElement, useCallback, useState } from "react";
import { useApp } from "../../app-context.tsx";
import type { Devices as DeviceList, Scope } from "../../connection/connection.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { QrCode } from "../../parts/qr-code.tsx";
import { Button } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
import { NameDialog } from "../dialogs.tsx";
import { Shown, useLoaded } from "./load.tsx";

const scopes: readonly { readonly value: Scope; readonly label: string; readonly help: string }[] = [
  { value: "read", label: "Look", help: "Sees sessions, changes nothing" },
  { value: "approve", label: "Answer", help: "Also decides approvals and answers questions" },
  { value: "drive", label: "Drive", help: "Also starts sessions and writes messages" },
  { value: "admin", label: "Everything", help: "Also devices, rules, settings and audit" },
];

export function Devices(): ReactElement {
  const { controller } = useApp();
  const { connection } = controller;
  const devices = useLoaded(useCallback(() => connection.devices(), [connection]));
  const [scope, setScope] = useState<Scope>("drive");
  const [name, setName] = useState("");
  const [link, setLink] = useState<{ readonly url: string; readonly urls?: readonly string[] }>();
  const [renamed, setRenamed] = useState<DeviceList[number]>();
  return (
    <>
      <section className="setting-box">
        <h3>Sign another device in</h3>
        <p className="hint">The link works once, within ten minutes, and gives what you choose here.</p>
        <div className="row">
          <Picker label="It may" value={scope} options={scopes} onPick={(s) => setScope(s as Scope)} prefer="below" />
          <label className="field">
            <span className="visually-hidden">Name of the device</span>
            <input type="text" maxLength={100} placeholder="Name, such as Phone" value={name} onChange={(e) => setName(e.target.value)} />
          </label>
          <Button tone="primary" onClick={() => void controller.try(connection.makeLink(scope, name.trim())).then(setLink)}>
            Make a link
          </Button>
        </div>
        {link === undefined ? null : <MadeLink key={link.url} urls={link.urls ?? [link.url]} />}
      </section>
      <Shown of={devices}>
        {(list) => (
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">May</th>
                <th scope="col">Last seen</th>
                <th scope="col">
                  <span className="visually-hidden">Sign out</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((d) => (
                <tr key={d.deviceId}>
                  <th scope="row">
                    {d.name} {d.current ? <span className="tag">this one</span> : null}
                  </th>
                  <td>{scopes.find((s) => s.value === d.scope)?.label ?? d.scope}</td>
                  <td>{new Date(d.lastSeenAt).toLocaleString()}</td>
                  <td className="row-end">
                    {connection.tools === undefined ? null : (
                      <Button size="small" onClick={() => setRenamed(d)} aria-label={`Rename ${d.name}`}>
                        Rename
                      </Button>
                    )}
                    <Button
                      size="small"
                      tone="danger"
                      onClick={() => void controller.try(connection.revoke(d.deviceId), "Signed out").then(devices.reload)}
                      aria-label={`Sign out ${d.name}`}
                    >
                      Sign out
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Shown>
      {renamed === undefined ? null : (
        <NameDialog
          title="Rename the device"
          label="Name"
          initial={renamed.name}
          max={100}
          onClose={() => setRenamed(undefined)}
          onSave={(next) =>
            void controller.try(connection.tools?.renameDevice(renamed.deviceId, next) ?? Promise.resolve()).then(devices.reload)
          }
        />
      )}
    </>
  );
}

/** The link as a text and as a code for a camera. A manager that listens on several addresses has one for each. */
function MadeLink({ urls }: { urls: readonly string[] }): ReactElement {
  const [url, setUrl] = useState(urls[0] ?? "");
  return (
    <div className="made-link">
      {urls.length < 2 ? null : (
        <Picker
          label="Address"
          prefer="below"
          value={url}
          shown={new URL(url).host}
          options={urls.map((one) => ({ value: one, label: new URL(one).host }))}
          onPick={setUrl}
        />
      )}
      <p className="link-made">
        <code>{url}</code> <CopyButton text={url} label="Copy link" />
      </p>
      <QrCode text={url} label="The sign-in link as a QR code" />
    </div>
  );
}
