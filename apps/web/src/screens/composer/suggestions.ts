/** Completion candidates: commands at once, skills from a list loaded once per folder, files from the server while typing. */
import { useEffect, useState } from "react";
import { useApp, useAppState } from "../../app-context.tsx";
import type { Skills } from "../../connection/connection.ts";
import type { Template } from "../../connection/tools.ts";
import { templateCommand } from "../../state/template.ts";
import type { IconName } from "../../ui/icons.tsx";
import { slashCommands, type Trigger } from "./complete.ts";

export interface Suggestion {
  readonly kind: Trigger["kind"];
  readonly insert: string;
  readonly path: string;
  readonly label: string;
  readonly help: string;
  readonly icon: IconName;
  /** The text of a prompt template, which replaces what was typed. */
  readonly template?: string;
}

const none: readonly Suggestion[] = [];

export function useSuggestions(trigger: Trigger | undefined, sessionId: string | null, cwd: string): readonly Suggestion[] {
  const { connection } = useApp().controller;
  const [skills, setSkills] = useState<{ cwd: string; list: Skills }>();
  const [files, setFiles] = useState<{ query: string; list: readonly Suggestion[] }>();
  const templates = useTemplates(trigger?.kind === "command");
  const kind = trigger?.kind;
  const query = trigger?.query ?? "";
  useEffect(() => {
    if (kind !== "skill" || skills?.cwd === cwd) return;
    connection.skills(cwd).then(
      (list) => setSkills({ cwd, list }),
      () => setSkills({ cwd, list: [] }),
    );
  }, [kind, cwd, skills, connection]);
  useEffect(() => {
    if (kind !== "file" || sessionId === null) return;
    let wanted = true;
    const timer = setTimeout(() => {
      connection.files(sessionId, query).then(
        (found) =>
          wanted &&
          setFiles({
            query,
            list: found.slice(0, 12).map((f) => ({
              kind: "file",
              insert: f.path,
              path: `${f.root}/${f.path}`,
              label: f.path,
              help: f.isDirectory ? "folder" : "",
              icon: f.isDirectory ? "folder" : "file",
            })),
          }),
        () => wanted && setFiles({ query, list: [] }),
      );
    }, 80);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [kind, query, sessionId, connection]);
  if (kind === "command")
    return [
      ...slashCommands
        .filter((c) => c.name.startsWith(query))
        .map((c) => ({ kind, insert: c.name, path: "", label: `/${c.name}`, help: c.help, icon: "bolt" as const })),
      ...templates
        .map((t) => ({ ...t, command: templateCommand(t.name) }))
        .filter((t) => t.command.includes(query.toLowerCase()))
        .slice(0, 12)
        .map((t) => ({
          ...{ kind, insert: t.command, path: t.templateId, label: `/${t.command}`, icon: "form" as const },
          ...{ help: t.text.split("\n")[0]?.slice(0, 80) ?? "", template: t.text },
        })),
    ];
  if (kind === "skill")
    return (skills?.list ?? [])
      .filter((s) => s.enabled && s.name.toLowerCase().includes(query.toLowerCase()))
      .slice(0, 12)
      .map((s) => ({ kind, insert: s.name, path: s.path, label: s.name, help: s.shortDescription ?? s.description, icon: "spark" }));
  return kind === "file" ? (files?.list ?? none) : none;
}

/** Read when the user types a `/`, and again after they have changed. */
function useTemplates(isWanted: boolean): readonly Template[] {
  const { tools } = useApp().controller.connection;
  const changes = useAppState((s) => s.templateChanges);
  const [templates, setTemplates] = useState<{ changes: number; list: readonly Template[] }>();
  useEffect(() => {
    if (!isWanted || tools === undefined || templates?.changes === changes) return;
    tools.templates().then(
      (list) => setTemplates({ changes, list }),
      () => setTemplates({ changes, list: [] }),
    );
  }, [isWanted, tools, changes, templates]);
  return templates?.list ?? [];
}
