/** Model, effort and permission mode: always visible, one click to change. */
import type { ReactElement } from "react";
import { useApp } from "../../app-context.tsx";
import { modeOf, type PermissionMode, permissionModes } from "../../state/modes.ts";
import { Icon } from "../../ui/icons.tsx";
import { Picker } from "../../ui/overlays.tsx";

export interface ControlProps {
  readonly model: string | null;
  readonly effort: string | null;
  readonly mode: PermissionMode;
  readonly onModel: (model: string) => void;
  readonly onEffort: (effort: string) => void;
  readonly onMode: (mode: PermissionMode) => void;
  /** Whether the agent plans before it works. */
  readonly isPlanning: boolean;
  readonly onPlan: (on: boolean) => void;
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
  isPlanning,
  onPlan,
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
          options={efforts.map((e) => ({ value: e.reasoningEffort, label: capitalized(e.reasoningEffort), help: e.description }))}
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
      <button
        type="button"
        className="picker plan-switch"
        aria-pressed={isPlanning}
        disabled={disabled}
        title={isPlanning ? "It makes a plan and asks before it works" : "Let it make a plan before it works"}
        onClick={() => onPlan(!isPlanning)}
      >
        <Icon name="plan" size={14} />
        <span className="picker-text">Plan first</span>
      </button>
    </>
  );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
