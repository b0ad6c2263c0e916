// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";

export type MarketplaceRemoveResponse = { marketplaceName: string, installedRoot?: AbsolutePathBuf | null };
