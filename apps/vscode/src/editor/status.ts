/** The status bar entry: the server's state, running sessions, and open requests. */
import { type Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window } from "vscode";
import type { Backend } from "../host/backend.ts";
import { type StatusFace, statusFace } from "../host/status-face.ts";

export function statusBar(backend: Backend): Disposable {
  const item = window.createStatusBarItem("parley.status", StatusBarAlignment.Right, 90);
  item.name = "Parley";
  const draw = (): void => {
    const face: StatusFace = statusFace(backend.link.state, backend.requests.list().length, backend.sessions.working());
    item.text = face.text;
    item.tooltip = new MarkdownString(face.tooltip);
    item.accessibilityInformation = { label: face.spoken };
    item.command = face.command;
    item.backgroundColor = face.alarm === undefined ? undefined : new ThemeColor(`statusBarItem.${face.alarm}Background`);
  };
  const stop = backend.listen({ state: draw, added: draw, ended: draw, session: draw });
  draw();
  item.show();
  return {
    dispose() {
      stop();
      item.dispose();
    },
  };
}
