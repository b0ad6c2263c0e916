/** The splitter between two parts of a screen: dragged, or moved with the arrow keys; a double click resets it. */
import type { KeyboardEvent, PointerEvent, ReactElement } from "react";

export interface GripProps {
  readonly label: string;
  /** The share of the part on the right, in percent. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onMove: (percent: number) => void;
  readonly onReset: () => void;
}

const stepPercent = 4;

export function Grip({ label, value, min, max, onMove, onReset }: GripProps): ReactElement {
  const to = (percent: number): void => onMove(Math.round(Math.max(min, Math.min(max, percent))));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowLeft") to(value + stepPercent);
    else if (event.key === "ArrowRight") to(value - stepPercent);
    else if (event.key === "Home") to(max);
    else if (event.key === "End") to(min);
    else if (event.key === "Enter") onReset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onDrag = (event: PointerEvent<HTMLElement>): void => {
    const whole = event.currentTarget.closest("[data-grip-area]")?.getBoundingClientRect();
    if (whole === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    to(((whole.right - event.clientX) / whole.width) * 100);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved is a separator with a value, which <hr> cannot be
    <div
      className="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={onKey}
      onPointerDown={onDown}
      onPointerMove={onDrag}
      onDoubleClick={onReset}
    />
  );
}
