// Generated from the method tables of Parley's app-server. Do not edit.

import type { ForcedLoginMethod } from "../ForcedLoginMethod";
import type { WebSearchMode } from "../WebSearchMode";
import type { JsonValue } from "../serde_json/JsonValue";
import type { ApplicationRequirements } from "./ApplicationRequirements";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AskForApproval } from "./AskForApproval";
import type { AutoReviewRequirements } from "./AutoReviewRequirements";
import type { BrowserUseRequirements } from "./BrowserUseRequirements";
import type { CliAuthCredentialsStoreMode } from "./CliAuthCredentialsStoreMode";
import type { ComputerUseRequirements } from "./ComputerUseRequirements";
import type { FeedbackRequirements } from "./FeedbackRequirements";
import type { InAppBrowserRequirements } from "./InAppBrowserRequirements";
import type { ManagedHooksRequirements } from "./ManagedHooksRequirements";
import type { ModelsRequirements } from "./ModelsRequirements";
import type { NetworkRequirements } from "./NetworkRequirements";
import type { OtelRequirements } from "./OtelRequirements";
import type { ResidencyRequirement } from "./ResidencyRequirement";
import type { SandboxMode } from "./SandboxMode";
import type { WindowsSandboxImplementation } from "./WindowsSandboxImplementation";

export type ConfigRequirements = { additionalDeveloperInstructions?: string | null, allowAppshots?: boolean | null, allowBrowserAndComputerUse?: boolean | null, allowLoginShell?: boolean | null, allowManagedHooksOnly?: boolean | null, allowRemoteControl?: boolean | null, allowedApprovalPolicies?: Array<AskForApproval> | null, allowedApprovalsReviewers?: Array<ApprovalsReviewer> | null, allowedLoginMethods?: Array<ForcedLoginMethod> | null, allowedPermissionProfiles?: { [key in string]?: boolean } | null, allowedSandboxModes?: Array<SandboxMode> | null, allowedWebSearchModes?: Array<WebSearchMode> | null, allowedWindowsSandboxImplementations?: Array<WindowsSandboxImplementation> | null, application?: ApplicationRequirements | null, autoReview?: AutoReviewRequirements | null, browserUse?: BrowserUseRequirements | null, chatgptBaseUrl?: string | null, checkForUpdateOnStartup?: boolean | null, cliAuthCredentialsStore?: CliAuthCredentialsStoreMode | null, computerUse?: ComputerUseRequirements | null, defaultPermissions?: string | null, enforceResidency?: ResidencyRequirement | null, featureRequirements?: { [key in string]?: boolean } | null, feedback?: FeedbackRequirements | null, hooks?: ManagedHooksRequirements | null, inAppBrowser?: InAppBrowserRequirements | null, logDir?: string | null, modelCatalogJson?: string | null, modelProvider?: string | null, modelProviders?: { [key in string]?: JsonValue } | null, models?: ModelsRequirements | null, network?: NetworkRequirements | null, otel?: OtelRequirements | null, sqliteHome?: string | null };
