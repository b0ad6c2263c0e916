/** The settings of MCP servers: adding one, switching it off, removing it. */
import { type ReactElement, useState } from "react";
import { useApp } from "../../app-context.tsx";
import type { ToolCalls } from "../../connection/tools.ts";
import { mcpSettingOf } from "../../state/mcp-setting.ts";
import { useBusy } from "./busy.ts";
import { FormEnd } from "./form-end.tsx";

export function McpForm({ tools, taken, onDone }: { tools: ToolCalls; taken: readonly string[]; onDone: () => void }): ReactElement {
  const { controller } = useApp();
  const [name, setName] = useState("");
  const [source, setSource] = useState("");
  const [variables, setVariables] = useState("");
  const { busy, run } = useBusy();
  const made = mcpSettingOf({ name: name.trim(), source, variables }, taken);
  const problem = typeof made === "string" ? made : undefined;
  const isStarted = name.trim() !== "" && source.trim() !== "";
  const save = async (): Promise<void> => {
    if (typeof made === "string") return;
    const work = tools.setMcpServer(name.trim(), made).then(() => true);
    if ((await controller.try(work, "Server added")) === true) onDone();
  };
  return (
    <form
      className="setting-box"
      aria-label="Add a server"
      onSubmit={(e) => {
        e.preventDefault();
        if (problem === undefined && isStarted && !busy) void run(save);
      }}
    >
      <label className="field">
        <span>Name</span>
        <input type="text" className="mono" spellCheck={false} value={name} onChange={(e) => setName(e.target.value)} />
      </label>
      <label className="field">
        <span>Command, or the address of a server</span>
        <input
          type="text"
          className="mono"
          spellCheck={false}
          placeholder="npx -y @some/mcp-server, or https://mcp.example.com"
          value={source}
          onChange={(e) => setSource(e.target.value)}
        />
      </label>
      <label className="field">
        <span>
          Environment <span className="hint">(one NAME=value a line; for a command only)</span>
        </span>
        <textarea rows={2} className="mono" spellCheck={false} value={variables} onChange={(e) => setVariables(e.target.value)} />
      </label>
      {problem === undefined || !isStarted ? null : <p className="problem">{problem}</p>}
      <FormEnd label="Add" busy={busy} isReady={isStarted && problem === undefined} onCancel={onDone} />
    </form>
  );
}
