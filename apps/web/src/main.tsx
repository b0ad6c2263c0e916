/** Starts the page. */
import { createRoot } from "react-dom/client";
import { connectManager } from "./connection/manager.ts";
import { Root } from "./screens/root.tsx";
import { Controller } from "./state/controller.ts";
import { createStore, pacedFrames } from "./state/store.ts";
import "./styles.ts";

const element = document.getElementById("root");
if (element !== null) {
  const controller = new Controller(connectManager(), createStore(pacedFrames()), localStorage);
  createRoot(element).render(<Root controller={controller} />);
}
