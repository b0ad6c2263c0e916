/** The last row of a form in the settings: leave it, or save what it says. */
import type { ReactElement } from "react";
import { Button } from "../../ui/controls.tsx";

export interface FormEndProps {
  /** What saving is called. */
  readonly label: string;
  readonly busy: boolean;
  readonly isReady: boolean;
  readonly onCancel: () => void;
}

export function FormEnd({ label, busy, isReady, onCancel }: FormEndProps): ReactElement {
  return (
    <div className="row-end">
      <Button tone="quiet" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" tone="primary" busy={busy} disabled={!isReady || busy}>
        {label}
      </Button>
    </div>
  );
}
