/** A client tool answered by hand: its arguments, and text or picture parts for the result. */
import { type ReactElement, useState } from "react";
import type { PendingView } from "../../state/model.ts";
import { Button, IconButton, Switch } from "../../ui/controls.tsx";
import type { Reply } from "./card.tsx";
import { isRecord } from "./choices.ts";
import { useAnswerDraft } from "./drafts.ts";
import { spelledOut } from "./spelled.ts";

type Part =
  | { readonly id: number; readonly type: "inputText"; readonly text: string }
  | { readonly id: number; readonly type: "inputImage"; readonly imageUrl: string; readonly name: string };

const firstPart: readonly Part[] = [{ id: 0, type: "inputText", text: "" }];
const areParts = (value: unknown): value is readonly Part[] =>
  Array.isArray(value) && value.length > 0 && value.every((part) => isRecord(part) && typeof part["id"] === "number");

export function ToolCallForm({
  request,
  busy,
  onAnswer,
}: {
  request: PendingView;
  busy: boolean;
  onAnswer: (reply: Reply) => void;
}): ReactElement {
  const [parts, setParts] = useAnswerDraft<readonly Part[]>({
    requestId: request.requestId,
    part: "parts",
    initial: firstPart,
    fits: areParts,
  });
  const [success, setSuccess] = useState(true);
  const change = (id: number, text: string): void =>
    setParts(parts.map((p) => (p.id === id && p.type === "inputText" ? { ...p, text } : p)));
  const nextId = Math.max(-1, ...parts.map((p) => p.id)) + 1;
  const addImage = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) setParts([...parts, { id: nextId, type: "inputImage", imageUrl: await dataUrl(file), name: file.name }]);
  };
  const contentItems = parts
    .filter((p) => p.type !== "inputText" || p.text !== "")
    .map((p) => (p.type === "inputText" ? { type: p.type, text: p.text } : { type: p.type, imageUrl: p.imageUrl }));
  return (
    <form
      className="card-answer"
      onSubmit={(e) => {
        e.preventDefault();
        onAnswer({ response: { contentItems, success } });
      }}
    >
      <div className="card-fields">
        {request.toolSpec === undefined ? null : (
          <div className="field">
            <p className="hint">{spelledOut(request.toolSpec.description)}</p>
            <details className="card-schema">
              <summary>What it takes</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls and must be reachable by keyboard */}
              <pre className="card-command" tabIndex={0}>
                <code>{spelledOut(JSON.stringify(request.toolSpec.inputSchema, null, 2))}</code>
              </pre>
            </details>
          </div>
        )}
        <div className="field">
          <span className="field-name">Arguments</span>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls and must be reachable by keyboard */}
          <pre className="card-command" tabIndex={0}>
            <code>{spelledOut(JSON.stringify(request.arguments ?? {}, null, 2))}</code>
          </pre>
        </div>
        {parts.map((part, index) => (
          <div key={part.id} className="field part">
            {part.type === "inputText" ? (
              <label>
                <span>Result{parts.length > 1 ? ` ${index + 1}` : ""}, as text</span>
                <textarea rows={3} value={part.text} onChange={(e) => change(part.id, e.target.value)} />
              </label>
            ) : (
              <span className="part-image">
                <img src={part.imageUrl} alt={part.name} /> {part.name}
              </span>
            )}
            {parts.length > 1 ? (
              <IconButton icon="close" size={14} label="Remove this part" onClick={() => setParts(parts.filter((p) => p.id !== part.id))} />
            ) : null}
          </div>
        ))}
        <div className="row">
          <Button size="small" tone="quiet" icon="plus" onClick={() => setParts([...parts, { id: nextId, type: "inputText", text: "" }])}>
            Text
          </Button>
          <label className="button button-quiet button-small file-button">
            Picture
            <input type="file" accept="image/*" className="visually-hidden" onChange={(e) => void addImage(e.target.files?.[0])} />
          </label>
        </div>
        <Switch label="The tool succeeded" checked={success} onChange={setSuccess} />
      </div>
      <div className="card-buttons">
        <Button type="submit" tone="primary" disabled={busy}>
          Send result
        </Button>
        <Button
          disabled={busy}
          onClick={() =>
            onAnswer({ response: { contentItems: [{ type: "inputText", text: "The user declined to answer." }], success: false } })
          }
        >
          Decline
        </Button>
      </div>
    </form>
  );
}

export const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => (typeof reader.result === "string" ? resolve(reader.result) : reject(new Error("unreadable file")));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable file"));
    reader.readAsDataURL(file);
  });
