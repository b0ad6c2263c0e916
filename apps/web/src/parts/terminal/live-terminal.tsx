/** A terminal to type in. Its emulator is loaded when the first one is opened. */
import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { type ReactElement, useEffect, useRef } from "react";

export interface LiveTerminalProps {
  readonly label: string;
  /** Opens the connection for a screen of this size. */
  readonly connect: (size: { readonly cols: number; readonly rows: number }) => WebSocket;
  /** Called with what the other side says besides output. */
  readonly onMessage: (message: unknown) => void;
  readonly onClosed: () => void;
}

export function LiveTerminal({ label, connect, onMessage, onClosed }: LiveTerminalProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const handlers = useRef({ onMessage, onClosed });
  handlers.current = { onMessage, onClosed };
  useEffect(() => {
    if (place.current === null) return;
    return show(place.current, connect, handlers);
  }, [connect]);
  return <section ref={place} className="live-terminal" aria-label={label} />;
}

function show(
  place: HTMLElement,
  connect: LiveTerminalProps["connect"],
  handlers: { readonly current: Pick<LiveTerminalProps, "onMessage" | "onClosed"> },
): () => void {
  const styles = new AdoptedStyles(place.ownerDocument);
  const terminal = new Terminal({
    documentOverride: styles.document,
    fontFamily: getComputedStyle(place).getPropertyValue("--mono") || "monospace",
    fontSize: 13,
    scrollback: 5000,
    screenReaderMode: true,
    theme: themeOf(place),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  styles.during(() => terminal.open(place));
  fit.fit();
  const socket = connect({ cols: terminal.cols, rows: terminal.rows });
  const encoder = new TextEncoder();
  const typed = terminal.onData((text) => socket.readyState === WebSocket.OPEN && socket.send(encoder.encode(text)));
  const resized = terminal.onResize(
    ({ cols, rows }) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ type: "resize", cols, rows })),
  );
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (typeof data !== "string") return terminal.write(new Uint8Array(data));
    handlers.current.onMessage(JSON.parse(data));
  };
  socket.onclose = () => handlers.current.onClosed();
  // Keys belong to the shell, except the one that leaves: a keyboard must get out again.
  terminal.attachCustomKeyEventHandler((event) => !(event.key === "Escape" && event.shiftKey));
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(place);
  terminal.focus();
  return () => {
    observer.disconnect();
    typed.dispose();
    resized.dispose();
    socket.onclose = null;
    socket.close();
    terminal.dispose();
    styles.remove();
  };
}

function themeOf(place: HTMLElement): { background: string; foreground: string; cursor: string } {
  const { backgroundColor, color } = getComputedStyle(place);
  return { background: backgroundColor, foreground: color, cursor: color };
}

/**
 * The emulator writes style elements and style attributes, which the page's content policy forbids. It gets a document whose style elements
 * carry their text into constructed style sheets, and a style attribute that it sets on a span is set as a property. The policy allows both.
 */
class AdoptedStyles {
  readonly document: Document;
  readonly #real: Document;
  readonly #sheets = new Set<CSSStyleSheet>();

  constructor(real: Document) {
    this.#real = real;
    HTMLSpanElement.prototype.setAttribute = function (this: HTMLSpanElement, name: string, value: string): void {
      if (name === "style") this.style.cssText = value;
      else Element.prototype.setAttribute.call(this, name, value);
    };
    this.document = new Proxy(real, {
      get: (target, name) => {
        if (name === "createElement") return (tag: string) => this.#create(tag);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** One part of the emulator asks the page's own document, but only while it opens. */
  during(open: () => void): void {
    const real = this.#real as { createElement?: unknown };
    real.createElement = (tag: string) => this.#create(tag);
    try {
      open();
    } finally {
      delete real.createElement;
    }
  }

  remove(): void {
    this.#real.adoptedStyleSheets = this.#real.adoptedStyleSheets.filter((sheet) => !this.#sheets.has(sheet));
  }

  #create(tag: string): HTMLElement {
    const element = Document.prototype.createElement.call(this.#real, tag === "style" ? "span" : tag);
    if (tag === "style") this.#carry(element);
    return element;
  }

  #carry(element: HTMLElement): void {
    const sheet = new CSSStyleSheet();
    this.#sheets.add(sheet);
    this.#real.adoptedStyleSheets = [...this.#real.adoptedStyleSheets, sheet];
    element.hidden = true;
    Object.defineProperty(element, "textContent", { set: (text: string) => sheet.replaceSync(text), get: () => "" });
  }
}
