/** Labels for plugins, shared by every interface of the product. */
export type { PluginDetail } from "../../../../src/protocol/plugin.ts";
export {
  broughtAlong,
  isFound,
  isInUse,
  mayInstall,
  mustBeAccepted,
  type PluginFacts,
  type PluginGroup,
  type PluginRow,
  pluginEdit,
  pluginGroups,
  pluginState,
  programKind,
  sourceText,
} from "../../../../src/sessions/plugins.ts";
