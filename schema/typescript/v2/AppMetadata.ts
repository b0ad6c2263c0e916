// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppReview } from "./AppReview";
import type { AppScreenshot } from "./AppScreenshot";

export type AppMetadata = { categories?: Array<string> | null, developer?: string | null, firstPartyRequiresInstall?: boolean | null, review?: AppReview | null, screenshots?: Array<AppScreenshot> | null, seoDescription?: string | null, showInComposerWhenUnlinked?: boolean | null, subCategories?: Array<string> | null, version?: string | null, versionId?: string | null, versionNotes?: string | null };
