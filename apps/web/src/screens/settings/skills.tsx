/** Skills: which there are, switching them off, and adding one. */
import { type ReactElement, useCallback, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { ToolCalls } from "../../connection/tools.ts";
import { Button, Empty, Switch } from "../../ui/controls.tsx";
import { useBusy } from "./busy.ts";
import { FormEnd } from "./form-end.tsx";
import { Shown, useLoaded } from "./load.tsx";

export function SkillsTab({ tools }: { tools: ToolCalls }): ReactElement {
  const { controller, scope, defaultFolder } = useApp();
  const { connection } = controller;
  const skills = useLoaded(useCallback(() => connection.skills(defaultFolder), [connection, defaultFolder]));
  const [adding, setAdding] = useState(false);
  const admin = allows(scope, "admin");
  return (
    <>
      <p>
        Instructions that the agent reads when it needs them, or when you type <code>$</code> and a name.
      </p>
      {admin && !adding ? (
        <div className="row">
          <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
            New skill
          </Button>
        </div>
      ) : null}
      {adding ? (
        <SkillForm
          tools={tools}
          onDone={() => {
            setAdding(false);
            void skills.reload();
          }}
        />
      ) : null}
      <Shown of={skills}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="spark" title="No skills here" />
          ) : (
            <ul className="server-list">
              {list.map((skill) => (
                <li key={skill.path} className="setting-box" data-skill={skill.name}>
                  <div className="row">
                    <h3>{skill.name}</h3>
                    <span className="tag">{skill.scope}</span>
                  </div>
                  <p>{skill.shortDescription ?? skill.description}</p>
                  <p className="hint mono">{skill.path}</p>
                  {admin ? (
                    <Switch
                      label={`Use ${skill.name}`}
                      checked={skill.enabled}
                      onChange={(on) => void controller.try(tools.switchSkill(skill.path, on)).then(skills.reload)}
                    />
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function SkillForm({ tools, onDone }: { tools: ToolCalls; onDone: () => void }): ReactElement {
  const { controller } = useApp();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [instructions, setInstructions] = useState("");
  const { busy, run } = useBusy();
  const isReady = [name, description, instructions].every((text) => text.trim() !== "");
  const save = async (): Promise<void> => {
    const work = tools.addSkill(name.trim(), description.trim(), instructions).then(() => true);
    if ((await controller.try(work, "Skill added")) === true) onDone();
  };
  return (
    <form
      className="setting-box"
      aria-label="New skill"
      onSubmit={(e) => {
        e.preventDefault();
        if (isReady && !busy) void run(save);
      }}
    >
      <label className="field">
        <span>
          Name <span className="hint">(lower-case letters, digits, hyphens)</span>
        </span>
        <input type="text" className="mono" maxLength={64} spellCheck={false} value={name} onChange={(e) => setName(e.target.value)} />
      </label>
      <label className="field">
        <span>When the agent should use it</span>
        <input type="text" maxLength={1024} value={description} onChange={(e) => setDescription(e.target.value)} />
      </label>
      <label className="field">
        <span>Instructions</span>
        <textarea rows={8} maxLength={200_000} value={instructions} onChange={(e) => setInstructions(e.target.value)} />
      </label>
      <FormEnd label="Add" busy={busy} isReady={isReady} onCancel={onDone} />
    </form>
  );
}
