/** The dialogs of the session list, which a session's own header opens too. */
import type { ReactElement } from "react";
import { useApp } from "../app-context.tsx";
import type { SessionSummary } from "../state/model.ts";
import { type ArrangeDialog, SectionDialog, SnoozeDialog } from "./arrange.tsx";
import { ConfirmDelete, NameDialog } from "./dialogs.tsx";

export type ListDialog =
  | { readonly kind: "rename" | "delete"; readonly session: SessionSummary }
  | ArrangeDialog
  | { readonly kind: "newProject" }
  | { readonly kind: "renameSection"; readonly sectionId: string; readonly name: string }
  | { readonly kind: "renameProject" | "deleteProject"; readonly projectId: string; readonly name: string };

export function ListDialogs({ dialog, onClose }: { dialog: ListDialog; onClose: () => void }): ReactElement {
  const { controller, place, go } = useApp();
  const { connection } = controller;
  switch (dialog.kind) {
    case "rename":
      return (
        <NameDialog
          title="Rename session"
          label="Title"
          initial={dialog.session.title}
          max={200}
          onClose={onClose}
          onSave={(title) => void controller.try(connection.rename(dialog.session.sessionId, title))}
        />
      );
    case "delete":
      return (
        <ConfirmDelete
          title={dialog.session.title}
          onClose={onClose}
          onConfirm={() =>
            void controller
              .try(
                connection.remove(dialog.session.sessionId).then(() => true),
                "Deleted",
              )
              .then((done) => {
                if (done === true && place.name === "session" && place.sessionId === dialog.session.sessionId) go({ name: "home" });
              })
          }
        />
      );
    case "snooze":
    case "section":
    case "renameSection":
      return <ArrangeDialogs dialog={dialog} onClose={onClose} />;
    case "newProject":
    case "renameProject":
    case "deleteProject":
      return <ProjectDialogs dialog={dialog} onClose={onClose} />;
  }
}

function ArrangeDialogs({
  dialog,
  onClose,
}: {
  dialog: Extract<ListDialog, { kind: "snooze" | "section" | "renameSection" }>;
  onClose: () => void;
}): ReactElement {
  const { controller } = useApp();
  switch (dialog.kind) {
    case "snooze":
      return <SnoozeDialog session={dialog.session} onClose={onClose} />;
    case "section":
      return <SectionDialog session={dialog.session} onClose={onClose} />;
    case "renameSection":
      return (
        <NameDialog
          title="Rename section"
          label="Name"
          initial={dialog.name}
          max={120}
          onClose={onClose}
          onSave={(name) => void controller.arrange((lists) => lists.renameSection(dialog.sectionId, name))}
        />
      );
  }
}

function ProjectDialogs({
  dialog,
  onClose,
}: {
  dialog: Extract<ListDialog, { kind: "newProject" | "renameProject" | "deleteProject" }>;
  onClose: () => void;
}): ReactElement {
  const { controller } = useApp();
  const { connection } = controller;
  switch (dialog.kind) {
    case "newProject":
      return (
        <NameDialog
          title="New project"
          label="Name"
          initial=""
          max={120}
          folder=""
          onClose={onClose}
          onSave={(name, folder) => void controller.try(connection.makeProject(name, folder === "" ? null : folder))}
        />
      );
    case "renameProject":
      return (
        <NameDialog
          title="Rename project"
          label="Name"
          initial={dialog.name}
          max={120}
          onClose={onClose}
          onSave={(name) => void controller.try(connection.renameProject(dialog.projectId, name, null))}
        />
      );
    case "deleteProject":
      return (
        <ConfirmDelete
          title={dialog.name}
          what="project"
          onClose={onClose}
          onConfirm={() => void controller.try(connection.removeProject(dialog.projectId), "Project removed")}
        />
      );
  }
}
