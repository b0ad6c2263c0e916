/** Who is signed in, and links that sign others in. */
import { type ReactElement, useCallback, useState } from "react";
import { useApp } from "../../app-context.tsx";
import type { Scope } from "../../connection/connection.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Button } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
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
  const [link, setLink] = useState<{ url: string; expiresAt: string }>();
  return (
    <>
      <section className="setting-box">
        <h3>Sign another device in</h3>
        <p className="hint">The link works once, within ten minutes, and gives what you choose here.</p>
        <div className="row">
          <Picker label="It may" value={scope} options={scopes} onPick={(s) => setScope(s as Scope)} prefer="below" />
          <Button tone="primary" onClick={() => void controller.try(connection.makeLink(scope, "")).then(setLink)}>
            Make a link
          </Button>
        </div>
        {link === undefined ? null : (
          <p className="link-made">
            <code>{link.url}</code> <CopyButton text={link.url} label="Copy link" />
          </p>
        )}
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
    </>
  );
}
