/** Puts the focus on what is about to be drawn. */

/** What is there as soon as this key is dealt with takes the next one. */
export function focusSoon(selector: string): void {
  queueMicrotask(() => document.querySelector<HTMLElement>(selector)?.focus());
  focusOnceDrawn(selector);
}

/** Gives up after a second. Whoever went on into the element by then is left where they are. */
export function focusOnceDrawn(selector: string): void {
  let tries = 0;
  const attempt = (): void => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element === null && ++tries < 20) setTimeout(attempt, 50);
    if (element?.contains(document.activeElement) === false) element.focus();
  };
  setTimeout(attempt, 0);
}
