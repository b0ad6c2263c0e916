/** The routes for plugins and their marketplaces. */
import { array, literals, maybe, named, nullable, object, optional, string } from "../../lib/schema.ts";
import { Empty } from "../../protocol/define.ts";
import { MarketplaceAddResponse, MarketplaceRemoveResponse, MarketplaceUpgradeResponse } from "../../protocol/marketplace.ts";
import { PluginInstallResponse, PluginMarketplaceEntry, PluginReadResponse, PluginUninstallResponse } from "../../protocol/plugin.ts";
import { PluginTrust } from "../../protocol/plugin-trust.ts";
import { bounded, route } from "./define.ts";
import { Failure, InvalidRequest } from "./records.ts";

const text = () => bounded(string(), { minLength: 1, maxLength: 4096 });

export const pluginRoutes = {
  "GET /api/plugins": route({
    summary: "Plugins by marketplace; the installed ones with what they run and whether that was accepted",
    scope: "read",
    answers: {
      200: named("PluginFacts", () =>
        object({
          marketplaces: array(PluginMarketplaceEntry()),
          /** The marketplaces that the user has added. */
          added: array(object({ name: string(), sourceType: literals("local", "git"), source: string() })),
          /** Null if the engine does not report it. */
          trust: nullable(array(PluginTrust())),
          /** Marketplaces that cannot be read, with the reason. */
          problems: array(string()),
        }),
      ),
      501: Failure,
    },
  }),
  "GET /api/plugins/:pluginId": route({
    summary: "What a plugin contains",
    scope: "read",
    answers: { 200: PluginReadResponse, 404: Failure, 409: Failure, 501: Failure },
  }),
  "POST /api/plugins/:pluginId/install": route({
    summary: "Install a plugin, which enables it and accepts its content",
    scope: "admin",
    answers: { 200: PluginInstallResponse, 404: Failure, 409: Failure, 501: Failure },
  }),
  "POST /api/plugins/:pluginId/accept": route({
    summary: "Accept an installed plugin as it was reviewed",
    scope: "admin",
    body: named("PluginAgreement", () => object({ content: text() })),
    answers: { 200: Empty, 400: InvalidRequest, 409: Failure, 501: Failure },
  }),
  "DELETE /api/plugins/:pluginId": route({
    summary: "Uninstall a plugin",
    scope: "admin",
    answers: { 200: PluginUninstallResponse, 409: Failure, 501: Failure },
  }),
  "POST /api/marketplaces": route({
    summary: "Add a marketplace from a folder or a git repository",
    scope: "admin",
    body: named("NewMarketplace", () => object({ source: text(), refName: maybe(string()) })),
    answers: { 200: MarketplaceAddResponse, 400: InvalidRequest, 409: Failure, 501: Failure },
  }),
  "POST /api/marketplaces/upgrade": route({
    summary: "Fetch the marketplaces that come from repositories again, or one of them",
    scope: "admin",
    body: named("MarketplaceChoice", () => object({ name: optional(string()) })),
    answers: { 200: MarketplaceUpgradeResponse, 400: InvalidRequest, 409: Failure, 501: Failure },
  }),
  "DELETE /api/marketplaces/:name": route({
    summary: "Remove a marketplace; installed plugins stay",
    scope: "admin",
    answers: { 200: MarketplaceRemoveResponse, 409: Failure, 501: Failure },
  }),
} as const;
