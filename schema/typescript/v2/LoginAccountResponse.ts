// Generated from the method tables of Parley's app-server. Do not edit.

export type LoginAccountResponse = { type: "apiKey", checked?: boolean, model?: string } | { type: "chatgpt", authUrl: string, loginId: string } | { type: "chatgptDeviceCode", loginId: string, userCode: string, verificationUrl: string } | { type: "chatgptAuthTokens" } | { type: "amazonBedrock" };
