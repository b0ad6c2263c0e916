/** The permission modes to choose from, and the policies behind each. */
import type { SessionSummary } from "./model.ts";

type Policy = "untrusted" | "on-failure" | "on-request" | "never";
type Sandbox = "read-only" | "workspace-write" | "danger-full-access";
type Network = "restricted" | "enabled";

export interface PermissionMode {
  readonly id: string;
  readonly label: string;
  readonly help: string;
  readonly approvalPolicy: Policy;
  readonly filesystemSandbox: Sandbox;
  readonly networkAccess: Network;
  /** Actions need no approval. */
  readonly unguarded: boolean;
}

export const permissionModes: readonly PermissionMode[] = [
  {
    id: "read",
    label: "Read only",
    help: "Looks and answers. Anything that writes is asked about first.",
    approvalPolicy: "on-request",
    filesystemSandbox: "read-only",
    networkAccess: "restricted",
    unguarded: false,
  },
  {
    id: "ask",
    label: "Ask first",
    help: "Works in the project folder. Commands that are not known to be harmless are asked about.",
    approvalPolicy: "untrusted",
    filesystemSandbox: "workspace-write",
    networkAccess: "restricted",
    unguarded: false,
  },
  {
    id: "auto",
    label: "Auto",
    help: "Works in the project folder on its own. Asks before leaving it or using the network.",
    approvalPolicy: "on-request",
    filesystemSandbox: "workspace-write",
    networkAccess: "restricted",
    unguarded: false,
  },
  {
    id: "full",
    label: "Full access",
    help: "No questions, no sandbox. Only for machines you can afford to lose.",
    approvalPolicy: "never",
    filesystemSandbox: "danger-full-access",
    networkAccess: "enabled",
    unguarded: true,
  },
];

export interface ModeChoice {
  readonly approvalPolicy: Policy;
  readonly filesystemSandbox: Sandbox;
  readonly networkAccess: Network;
  /** A permission profile of the user's own settings, which decides in place of the sandbox. */
  readonly permissions?: string | undefined;
}

/** The named mode that these policies make up, or a plain description of them. */
export function modeOf({ permissions, ...choice }: ModeChoice): PermissionMode {
  if (permissions !== undefined)
    return {
      ...{
        id: "custom",
        label: `Profile: ${permissions}`,
        help: "a permission profile of your settings says what may be read and written",
      },
      ...{ ...choice, unguarded: choice.approvalPolicy === "never" || choice.filesystemSandbox === "danger-full-access" },
    };
  const known = permissionModes.find((m) => m.approvalPolicy === choice.approvalPolicy && m.filesystemSandbox === choice.filesystemSandbox);
  if (known !== undefined) return { ...known, networkAccess: choice.networkAccess };
  const [readOnly] = permissionModes;
  // Read-only with approval for everything else is one mode to users, whichever of the careful policies is used.
  if (readOnly !== undefined && choice.filesystemSandbox === "read-only" && choice.approvalPolicy !== "never")
    return { ...readOnly, ...choice };
  const sandbox = { "read-only": "read only", "workspace-write": "project folder", "danger-full-access": "no sandbox" }[
    choice.filesystemSandbox
  ];
  const policy = { untrusted: "asks first", "on-failure": "asks on failure", "on-request": "asks when needed", never: "never asks" }[
    choice.approvalPolicy
  ];
  const unguarded = choice.approvalPolicy === "never" || choice.filesystemSandbox === "danger-full-access";
  return { id: "custom", label: `Custom: ${policy}`, help: `${sandbox}, ${policy}`, ...choice, unguarded };
}

export function modeOfSession(session: SessionSummary | undefined): PermissionMode | undefined {
  const controls = session?.sessionControls;
  return controls == null ? undefined : modeOf(controls);
}
