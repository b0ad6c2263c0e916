/** The read-only links that still work. */
import { type ReactElement, useCallback } from "react";
import { useApp } from "../../app-context.tsx";
import type { ToolCalls } from "../../connection/tools.ts";
import { Button, Empty } from "../../ui/controls.tsx";
import { Shown, useLoaded } from "./load.tsx";

export function SharingTab({ tools }: { tools: ToolCalls }): ReactElement {
  const { controller } = useApp();
  const shares = useLoaded(useCallback(() => tools.shares(), [tools]));
  return (
    <>
      <p>Whoever has such a link reads the session as it was when the link was made. Links are made in a session's menu.</p>
      <Shown of={shares}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="external" title="Nothing is shared" />
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Session</th>
                  <th scope="col">By</th>
                  <th scope="col">Until</th>
                  <th scope="col">
                    <span className="visually-hidden">End</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((share) => (
                  <tr key={share.shareId}>
                    <th scope="row" dir="auto">
                      {share.title}
                    </th>
                    <td>{share.by}</td>
                    <td>{new Date(share.expiresAt).toLocaleDateString()}</td>
                    <td className="row-end">
                      <Button
                        size="small"
                        tone="danger"
                        aria-label={`End the link to ${share.title}`}
                        onClick={() => void controller.try(tools.endShare(share.shareId), "The link has ended").then(shares.reload)}
                      >
                        End
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
    </>
  );
}
