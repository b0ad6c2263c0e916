/** Focuses an element that is about to be rendered. */

/** Focuses the element as soon as this key event is handled, so that it gets the next key. */
export function focusSoon(selector: string): void {
  queueMicrotask(() => document.querySelector<HTMLElement>(selector)?.focus());
  focusOnceDrawn(selector);
}

/** Gives up after a second. If the focus is already inside the element by then, it stays there. */
export function focusOnceDrawn(selector: string): void {
  let tries = 0;
  const attempt = (): void => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element === null && ++tries < 20) setTimeout(attempt, 50);
    if (element?.contains(document.activeElement) === false) element.focus();
  };
  setTimeout(attempt, 0);
}
