/** The panel in the side bar and optionally in an editor tab: a webview each, all sharing one backend. */
import { randomBytes } from "node:crypto";
import {
  commands,
  type Disposable,
  type ExtensionContext,
  Uri,
  ViewColumn,
  type Webview,
  type WebviewPanel,
  type WebviewView,
  window,
  workspace,
} from "vscode";
import type { LookedAt } from "../../../../src/ide/looked-at.ts";
import { errorMessage } from "../../../../src/lib/error-text.ts";
import { parse } from "../../../../src/lib/schema.ts";
import type { LinkState } from "../../../../src/sessions/link.ts";
import { Refused, type StreamEvent } from "../../../web/src/connection/connection.ts";
import type { Place } from "../../../web/src/state/router.ts";
import type { Backend } from "../host/backend.ts";
import type { Memory } from "../host/memory.ts";
import { type CallName, calls, type HostMessage, PanelMessage } from "../host/port.ts";
import { restrictedPage, trustCommand } from "../host/restricted-page.ts";

const viewId = "parley.panel";
const tabType = "parley.tab";
/** About one screen frame: events close together are sent in one batch. */
const batchMs = 16;

export interface PanelPorts {
  readonly backend: Backend;
  readonly memory: Memory;
  showChange(requestId: string): void;
  /** The file that the user is viewing now. */
  looking(): LookedAt | null;
  log(line: string): void;
}

export class Panels {
  readonly #context: ExtensionContext;
  readonly #ports: PanelPorts;
  readonly #open = new Set<Port>();
  #view: WebviewView | undefined;
  #waiting = 0;
  /** What a panel that is not rendered yet should do first. */
  #first: HostMessage[] = [];

  constructor(context: ExtensionContext, ports: PanelPorts) {
    this.#context = context;
    this.#ports = ports;
    context.subscriptions.push(
      window.registerWebviewViewProvider(
        viewId,
        { resolveWebviewView: (view) => this.#show(view) },
        { webviewOptions: { retainContextWhenHidden: true } },
      ),
      window.registerWebviewPanelSerializer(tabType, { deserializeWebviewPanel: async (panel) => this.#attach(panel.webview, panel) }),
    );
  }

  /** Whether a panel is visible now. */
  get visible(): boolean {
    return this.#view?.visible === true || [...this.#open].some((port) => port.isVisible());
  }

  /** The session shown in the panel, if any. */
  get sessionId(): string | undefined {
    const place = [...this.#open].at(-1)?.place;
    return place?.name === "session" ? place.sessionId : undefined;
  }

  /** Shows the side bar's panel and runs an action in it, even if it is not rendered yet. */
  async tell(...messages: readonly HostMessage[]): Promise<void> {
    const port = [...this.#open].find((open) => open.owner === this.#view);
    // Before revealing the view, which may take a while: later, it could undo what the user has done meanwhile.
    if (port === undefined || !port.listening) this.#first.push(...messages);
    else for (const message of messages) port.post(message);
    await commands.executeCommand(`${viewId}.focus`);
  }
  go(place: Place, focus = false): Promise<void> {
    return this.tell({ type: "go", place, focus });
  }

  openTab(): void {
    const panel = window.createWebviewPanel(tabType, "Parley", ViewColumn.Beside, { retainContextWhenHidden: true });
    panel.iconPath = Uri.joinPath(this.#context.extensionUri, "media", "icon.png");
    this.#attach(panel.webview, panel);
  }

  /** Sends the viewed file to every composer. */
  look(seen: LookedAt | null): void {
    for (const port of this.#open) if (port.listening) port.post({ type: "looking", seen });
  }

  /** The number on the view's icon. */
  badge(count: number): void {
    this.#waiting = count;
    if (this.#view !== undefined) this.#view.badge = count === 0 ? undefined : { value: count, tooltip: `${count} waiting for you` };
  }

  #show(view: WebviewView): void {
    this.#view = view;
    this.#attach(view.webview, view);
    this.badge(this.#waiting);
  }

  /** In a folder that is not trusted the panel says so, and becomes itself when it is. */
  #attach(webview: Webview, owner: WebviewView | WebviewPanel): void {
    if (!workspace.isTrusted) {
      webview.options = { enableCommandUris: [trustCommand] };
      webview.html = restrictedPage;
      const granted = workspace.onDidGrantWorkspaceTrust(() => this.#attach(webview, owner));
      owner.onDidDispose(() => granted.dispose());
      return;
    }
    const root = Uri.joinPath(this.#context.extensionUri, "panel");
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const key = owner === this.#view ? "view" : "tab";
    const port = new Port(webview, { owner, key }, this.#ports, () => this.#first.splice(0));
    this.#open.add(port);
    owner.onDidDispose(() => {
      this.#open.delete(port);
      port.dispose();
      if (this.#view === owner) this.#view = undefined;
    });
    webview.html = html(webview, root, { key, kept: JSON.stringify(this.#ports.memory.get(key) ?? {}) });
  }
}

/** One webview's connection to the backend. */
class Port {
  readonly owner: WebviewView | WebviewPanel;
  /** The key under which the panel's own state is stored. */
  readonly key: "view" | "tab";
  place: Place | undefined;
  listening = false;
  readonly #webview: Webview;
  readonly #ports: PanelPorts;
  readonly #first: () => readonly HostMessage[];
  readonly #stops: Disposable[] = [];
  #events: StreamEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(webview: Webview, { owner, key }: Pick<Port, "owner" | "key">, ports: PanelPorts, first: () => readonly HostMessage[]) {
    this.#webview = webview;
    this.owner = owner;
    this.key = key;
    this.#ports = ports;
    this.#first = first;
    const stop = ports.backend.listen({ event: (event) => this.#queue(event), state: (state) => this.#state(state) });
    this.#stops.push(
      webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      { dispose: stop },
    );
  }

  isVisible(): boolean {
    return this.owner.visible;
  }
  post(message: HostMessage): void {
    this.#flush();
    void this.#webview.postMessage(message);
  }
  dispose(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop.dispose();
  }

  #receive(given: unknown): void {
    const message = parse(PanelMessage, given);
    switch (message?.type) {
      case "call":
        void this.#serve(message.id, message.name, message.params);
        return;
      case "listening":
        this.listening = true;
        void this.#ports.backend.link.start().catch((error: unknown) => this.#ports.log(errorMessage(error)));
        this.#state(this.#ports.backend.link.state);
        this.post({ type: "looking", seen: this.#ports.looking() });
        for (const first of this.#first()) this.post(first);
        return;
      case "keep":
        this.place = message.place as Place; // only compared and returned
        this.#ports.memory.set(this.key, { place: message.place, shelf: message.shelf });
        return;
      case "showChange":
        return this.#ports.showChange(message.requestId);
      default:
        this.#ports.log(`the panel sent something unknown: ${String(JSON.stringify(given)).slice(0, 200)}`);
    }
  }

  async #serve(id: string, name: string, params: unknown): Promise<void> {
    try {
      if (!isCall(name)) throw new Refused(501, "unknown_call", `There is no call ${name}.`, null);
      const fitting = parse(calls[name], params);
      if (fitting === undefined) throw new Refused(400, "invalid_params", `The call ${name} does not fit its schema.`, null);
      const result = await this.#ports.backend.call(name, fitting);
      this.post({ type: "answer", id, result });
    } catch (error) {
      if (error instanceof Refused) this.post({ type: "refused", id, status: error.status, code: error.code, message: error.message });
      else {
        const message = errorMessage(error);
        this.#ports.log(`${name}: ${message}`);
        this.post({ type: "lost", id, message });
      }
    }
  }

  #queue(event: StreamEvent): void {
    if (!this.listening) return;
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#flush(), batchMs);
  }
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) void this.#webview.postMessage({ type: "events", events } satisfies HostMessage);
  }

  #wasDown = false;
  #state({ kind }: LinkState): void {
    if (!this.listening) return;
    this.post({ type: "link", link: kind === "running" ? "online" : kind === "starting" ? "connecting" : "offline" });
    // A new server knows nothing about earlier streams.
    if (kind === "running" && this.#wasDown) this.post({ type: "resync" });
    this.#wasDown = kind !== "running" && (this.#wasDown || kind !== "starting");
  }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const isCall = (name: string): name is CallName => Object.hasOwn(calls, name);

function html(webview: Webview, root: Uri, { key, kept }: { readonly key: string; readonly kept: string }): string {
  const asset = (name: string): string => webview.asWebviewUri(Uri.joinPath(root, name)).toString();
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src ${webview.cspSource} 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    `font-src ${webview.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Parley</title>
    <link rel="stylesheet" href="${asset("panel.css")}" />
  </head>
  <body>
    <div id="root" data-panel="${key}" data-kept="${escaped(kept)}"></div>
    <script type="module" nonce="${nonce}" src="${asset("panel.js")}"></script>
  </body>
</html>`;
}
