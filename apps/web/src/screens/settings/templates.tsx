/** Prompt templates: texts that are used again, by their name after `/` in the composer. */
import { type ReactElement, useCallback, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { Template, ToolCalls } from "../../connection/tools.ts";
import { templateCommand } from "../../state/template.ts";
import { Button, Empty } from "../../ui/controls.tsx";
import { useBusy } from "./busy.ts";
import { FormEnd } from "./form-end.tsx";
import { Shown, useLoaded } from "./load.tsx";

export function TemplatesTab({ tools }: { tools: ToolCalls }): ReactElement {
  const { controller, scope } = useApp();
  const templates = useLoaded(useCallback(() => tools.templates(), [tools]));
  const [edited, setEdited] = useState<Template | "new">();
  const mayWrite = allows(scope, "drive");
  return (
    <>
      <p>
        Type <code>/</code> and a template's name in the composer. <code>{"{{name}}"}</code> in its text is a place to fill in.
      </p>
      {mayWrite && edited === undefined ? (
        <div className="row">
          <Button tone="primary" icon="plus" onClick={() => setEdited("new")}>
            New template
          </Button>
        </div>
      ) : null}
      {edited === undefined ? null : (
        <TemplateForm
          key={edited === "new" ? "new" : edited.templateId}
          tools={tools}
          template={edited === "new" ? undefined : edited}
          onDone={() => {
            setEdited(undefined);
            void templates.reload();
          }}
        />
      )}
      <Shown of={templates}>
        {(list) =>
          list.length === 0 && edited === undefined ? (
            <Empty icon="form" title="No templates yet" />
          ) : (
            <ul className="server-list">
              {list.map((template) => (
                <li key={template.templateId} className="setting-box">
                  <div className="row">
                    <h3 dir="auto">{template.name}</h3>
                    <code className="hint">/{templateCommand(template.name)}</code>
                    <span className="spacer" />
                    {mayWrite ? (
                      <>
                        <Button size="small" onClick={() => setEdited(template)} aria-label={`Edit ${template.name}`}>
                          Edit
                        </Button>
                        <Button
                          size="small"
                          tone="danger"
                          aria-label={`Remove ${template.name}`}
                          onClick={() =>
                            void controller.try(tools.removeTemplate(template.templateId), "Template removed").then(templates.reload)
                          }
                        >
                          Remove
                        </Button>
                      </>
                    ) : null}
                  </div>
                  <p className="template-text" dir="auto">
                    {template.text}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function TemplateForm({ tools, template, onDone }: { tools: ToolCalls; template: Template | undefined; onDone: () => void }): ReactElement {
  const { controller } = useApp();
  const [name, setName] = useState(template?.name ?? "");
  const [text, setText] = useState(template?.text ?? "");
  const { busy, run } = useBusy();
  const isReady = name.trim() !== "" && text.trim() !== "";
  return (
    <form
      className="setting-box"
      aria-label={template === undefined ? "New template" : `Edit ${template.name}`}
      onSubmit={(e) => {
        e.preventDefault();
        if (!isReady || busy) return;
        void run(async () => {
          const saved = await controller.try(tools.saveTemplate(template?.templateId ?? null, name.trim(), text), "Template saved");
          if (saved !== undefined) onDone();
        });
      }}
    >
      <label className="field">
        <span>Name</span>
        <input type="text" maxLength={100} value={name} onChange={(e) => setName(e.target.value)} />
      </label>
      <label className="field">
        <span>Text</span>
        <textarea rows={6} maxLength={100_000} value={text} onChange={(e) => setText(e.target.value)} />
      </label>
      <FormEnd label="Save" busy={busy} isReady={isReady} onCancel={onDone} />
    </form>
  );
}
