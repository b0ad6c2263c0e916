// Generated from the method tables of Parley's app-server. Do not edit.

import type { InputModality } from "../InputModality";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ModelAccessPrograms } from "./ModelAccessPrograms";
import type { ModelAvailabilityNux } from "./ModelAvailabilityNux";
import type { ModelServiceTier } from "./ModelServiceTier";
import type { ModelUpgradeInfo } from "./ModelUpgradeInfo";
import type { MultiAgentVersion } from "./MultiAgentVersion";
import type { ReasoningEffortOption } from "./ReasoningEffortOption";

export type Model = { defaultReasoningEffort: ReasoningEffort, description: string, displayName: string, hidden: boolean, id: string, isDefault: boolean, model: string, supportedReasoningEfforts: Array<ReasoningEffortOption>, additionalSpeedTiers?: Array<string>, availabilityNux?: ModelAvailabilityNux | null, availableAccessPrograms?: ModelAccessPrograms | null, defaultServiceTier?: string | null, inputModalities?: Array<InputModality>, modelSpecialty?: string | null, multiAgentVersion?: MultiAgentVersion | null, serviceTiers?: Array<ModelServiceTier>, supportsPersonality?: boolean, upgrade?: string | null, upgradeInfo?: ModelUpgradeInfo | null };
