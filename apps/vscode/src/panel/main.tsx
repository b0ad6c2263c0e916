/** The panel's entry: the page's own screens over the editor's message port. */
import { createRoot } from "react-dom/client";
import { Root } from "../../../web/src/screens/root.tsx";
import { Controller } from "../../../web/src/state/controller.ts";
import { createStore, pacedFrames } from "../../../web/src/state/store.ts";
import "../../../web/src/styles.ts";
import "./panel.css";
import type { HostMessage } from "../host/port.ts";
import { focusComposer, insertText } from "./composer-text.ts";
import { connectPort } from "./connection.ts";
import { type Editor, surroundingsOf } from "./surroundings.ts";

declare function acquireVsCodeApi(): Editor;

function run(element: HTMLElement): void {
  const editor = acquireVsCodeApi();
  const { shelf, address, move } = surroundingsOf(editor, element.dataset["kept"]);
  const port = connectPort(editor);
  const controller = new Controller(port.connection, createStore(pacedFrames()), shelf);
  addEventListener("message", (event: MessageEvent<HostMessage>) => {
    const message = event.data;
    if (message.type === "go") {
      move(message.place);
      if (message.focus) focusComposer();
    } else if (message.type === "compose") insertText(message.text);
    else port.receive(message);
  });
  createRoot(element).render(<Root controller={controller} address={address} />);
}

const element = document.getElementById("root");
if (element !== null) run(element);
