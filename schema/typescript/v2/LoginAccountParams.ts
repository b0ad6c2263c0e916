// Generated from the method tables of Parley's app-server. Do not edit.

import type { LoginAppBrand } from "./LoginAppBrand";

export type LoginAccountParams = { type: "apiKey", apiKey: string, check?: boolean, provider?: string, model?: string } | { type: "chatgpt", appBrand?: LoginAppBrand | null, codexStreamlinedLogin?: boolean, useHostedLoginSuccessPage?: boolean } | { type: "chatgptDeviceCode" } | { type: "chatgptAuthTokens", accessToken: string, chatgptAccountId: string, chatgptPlanType?: string | null } | { type: "amazonBedrock", apiKey: string, region: string } | { type: "amazonBedrockAccessKeys", accessKeyId: string, region: string, secretAccessKey: string, sessionToken?: string | null };
