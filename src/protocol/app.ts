/** Connectors, of which Parley has none. Implemented in server/app-list.ts. */
import { array, boolean, type Infer, maybe, named, natural, object, optional, record, string } from "../lib/schema.ts";
import { notification, request } from "./define.ts";

export const AppsListParams = named("AppsListParams", () =>
  object({ cursor: maybe(string()), forceRefetch: optional(boolean()), limit: maybe(natural()), threadId: maybe(string()) }),
);
export type AppsListParams = Infer<typeof AppsListParams>;

export const AppsListResponse = named("AppsListResponse", () => object({ data: array(AppInfo()), nextCursor: maybe(string()) }));
export type AppsListResponse = Infer<typeof AppsListResponse>;

export const AppListUpdatedNotification = named("AppListUpdatedNotification", () => object({ data: array(AppInfo()) }));
export type AppListUpdatedNotification = Infer<typeof AppListUpdatedNotification>;

export const AppInfo = named("AppInfo", () =>
  object({
    id: string(),
    name: string(),
    appMetadata: maybe(AppMetadata()),
    branding: maybe(AppBranding()),
    description: maybe(string()),
    distributionChannel: maybe(string()),
    iconAssets: maybe(record(string())),
    iconDarkAssets: maybe(record(string())),
    installUrl: maybe(string()),
    isAccessible: optional(boolean()),
    isEnabled: optional(boolean()),
    labels: maybe(record(string())),
    logoUrl: maybe(string()),
    logoUrlDark: maybe(string()),
    pluginDisplayNames: optional(array(string())),
  }),
);
export type AppInfo = Infer<typeof AppInfo>;

export const AppMetadata = named("AppMetadata", () =>
  object({
    categories: maybe(array(string())),
    developer: maybe(string()),
    firstPartyRequiresInstall: maybe(boolean()),
    review: maybe(AppReview()),
    screenshots: maybe(array(AppScreenshot())),
    seoDescription: maybe(string()),
    showInComposerWhenUnlinked: maybe(boolean()),
    subCategories: maybe(array(string())),
    version: maybe(string()),
    versionId: maybe(string()),
    versionNotes: maybe(string()),
  }),
);
export type AppMetadata = Infer<typeof AppMetadata>;

export const AppBranding = named("AppBranding", () =>
  object({
    isDiscoverableApp: boolean(),
    category: maybe(string()),
    developer: maybe(string()),
    privacyPolicy: maybe(string()),
    termsOfService: maybe(string()),
    website: maybe(string()),
  }),
);
export type AppBranding = Infer<typeof AppBranding>;

export const AppReview = named("AppReview", () => object({ status: string() }));
export type AppReview = Infer<typeof AppReview>;

export const AppScreenshot = named("AppScreenshot", () => object({ userPrompt: string(), fileId: maybe(string()), url: maybe(string()) }));
export type AppScreenshot = Infer<typeof AppScreenshot>;

export const appRequests = {
  /** Lists the available connectors. */
  "app/list": request({ params: AppsListParams, result: AppsListResponse }),
};

export const appNotifications = {
  /** Never sent: the vendor's connectors are not here, so their list does not change. */
  "app/list/updated": notification(AppListUpdatedNotification),
};
