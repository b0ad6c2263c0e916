/** Starts the page. */
import { createRoot } from "react-dom/client";
import { connectManager } from "./connection/manager.ts";
import { Root } from "./screens/root.tsx";
import { Controller } from "./state/controller.ts";
import { createStore, nextFrame } from "./state/store.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/transcript.css";
import "./styles/requests.css";
import "./styles/diff.css";
import "./styles/composer.css";
import "./styles/pages.css";
import "./styles/touch.css";

const element = document.getElementById("root");
if (element !== null) {
  const controller = new Controller(connectManager(), createStore(nextFrame), localStorage);
  createRoot(element).render(<Root controller={controller} />);
}
