/** Model, effort and permission mode: always in sight, one click from being changed. */
import type { ReactElement } from "react";
import { useApp } from "../../app-context.tsx";
import { modeOf, type PermissionMode, permissionModes } from "../../state/modes.ts";
import { Picker } from "../../ui/overlays.tsx";

export interface ControlProps {
  readonly model: string | null;
  readonly effort: string | null;
  readonly mode: PermissionMode;
  readonly onModel: (model: string) => void;
  readonly onEffort: (effort: string) => void;
  readonly onMode: (mode: PermissionMode) => void;
  readonly disabled?: boolean;
  readonly prefer?: "above" | "below";
}

export function ControlPickers({
  model,
  effort,
  mode,
  onModel,
  onEffort,
  onMode,
  disabled = false,
  prefer = "above",
}: ControlProps): ReactElement {
  const { models } = useApp();
  const current = models.find((m) => m.model === model || m.id === model);
  const efforts = current?.supportedReasoningEfforts ?? [];
  const shown = models.filter((m) => !m.hidden || m.model === model);
  const known = permissionModes.some((m) => m.id === mode.id);
  return (
    <>
      <Picker
        label="Model"
        icon="spark"
        prefer={prefer}
        disabled={disabled || shown.length === 0}
        value={current?.model ?? model ?? ""}
        shown={current?.displayName ?? model ?? "Default model"}
        options={shown.map((m) => ({ value: m.model, label: m.displayName, help: m.description }))}
        onPick={onModel}
      />
      {efforts.length < 2 ? null : (
        <Picker
          label="Effort"
          icon="brain"
          prefer={prefer}
          disabled={disabled}
          value={effort ?? current?.defaultReasoningEffort ?? ""}
          options={efforts.map((e) => ({ value: e.reasoningEffort, label: word(e.reasoningEffort), help: e.description }))}
          onPick={onEffort}
        />
      )}
      <Picker
        label="Permissions"
        icon={mode.unguarded ? "warning" : "shield"}
        prefer={prefer}
        disabled={disabled}
        tone={mode.unguarded ? "danger" : undefined}
        value={mode.id}
        shown={mode.unguarded ? `${mode.label} · approvals off` : mode.label}
        options={[
          ...(known ? [] : [{ value: mode.id, label: mode.label, help: mode.help }]),
          ...permissionModes.map((m) => ({
            value: m.id,
            label: m.label,
            help: m.help,
            ...(m.unguarded ? { tone: "danger" as const } : {}),
          })),
        ]}
        onPick={(id) => {
          const picked = permissionModes.find((m) => m.id === id);
          if (picked !== undefined) onMode(modeOf(picked));
        }}
      />
    </>
  );
}

const word = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
