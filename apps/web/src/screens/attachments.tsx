/** What is attached to a session, such as an issue or a pull request: kept by the engine, shown to every client. */
import { type ReactElement, useEffect, useId, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import type { SessionAttachment } from "../connection/more-calls.ts";
import { attachmentLink, linkAttachment } from "../state/attachment-link.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export default function Attachments({ sessionId }: { sessionId: string }): ReactElement | null {
  const { controller, scope } = useApp();
  const { attachments } = controller.connection;
  const [list, setList] = useState<readonly SessionAttachment[]>();
  useEffect(() => {
    // An engine without attachments shows none.
    attachments?.list(sessionId).then(setList, () => {});
  }, [attachments, sessionId]);
  if (attachments === undefined || list === undefined) return null;
  const change = (work: Promise<readonly SessionAttachment[]>): void =>
    void controller.try(work).then((next) => next !== undefined && setList(next));
  const can = allows(scope, "drive");
  return (
    <section className="attached" aria-label="Attached">
      <h3>Attached</h3>
      {list.length === 0 ? <p className="hint">Nothing yet. Attach the issue or the pull request that this is about.</p> : null}
      <ul>
        {list.map((one) => (
          <li key={`${one.attachmentType} ${one.identityKey}`}>
            <Icon name="link" size={14} />
            <AttachmentName attachment={one} />
            {can ? (
              <IconButton
                icon="close"
                size={14}
                label={`Remove ${one.identityKey}`}
                onClick={() => change(attachments.remove(sessionId, one))}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {can ? <AddLink onAdd={(attachment) => change(attachments.add(sessionId, attachment))} /> : null}
    </section>
  );
}

function AttachmentName({ attachment }: { attachment: SessionAttachment }): ReactElement {
  const { href, title } = attachmentLink(attachment);
  return href === undefined ? (
    <span className="attached-name" dir="auto">
      {title} <span className="hint">{attachment.attachmentType}</span>
    </span>
  ) : (
    <a className="attached-name" href={href} target="_blank" rel="noopener noreferrer nofollow" title={href} dir="auto">
      {title}
    </a>
  );
}

function AddLink({ onAdd }: { onAdd: (attachment: ReturnType<typeof linkAttachment> & object) => void }): ReactElement {
  const [address, setAddress] = useState("");
  const id = useId();
  const attachment = linkAttachment(address);
  return (
    <form
      className="inline-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (attachment === undefined) return;
        onAdd(attachment);
        setAddress("");
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        Address to attach
      </label>
      <input id={id} type="url" placeholder="https://…" value={address} maxLength={1000} onChange={(e) => setAddress(e.target.value)} />
      <Button type="submit" size="small" disabled={attachment === undefined}>
        Attach
      </Button>
    </form>
  );
}
