/** Plugins in the words of people, as every face of the product says them. */
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
