/** `command/exec`: the client's own commands, sandboxed, without a thread. */
import path from "node:path";
import type { Confinement } from "../core/ports/command-runner.ts";
import type { Config } from "../core/ports/config.ts";
import { resolvedFiles } from "../core/ports/file-access.ts";
import type { CommandNetwork, NetworkRules } from "../core/ports/network-access.ts";
import { networkRulesOf, withoutNetwork } from "../core/ports/network-rules.ts";
import { refuseForbidden } from "../core/settings/requirements.ts";
import { type Sandbox, sandboxFrom, sandboxOf } from "../core/settings/settings.ts";
import type { CommandExecParams, commandRequests } from "../protocol/command.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { HandlersFor, Session } from "./app.ts";
import {
  defaultCap,
  defaultTimeoutMs,
  limitCommands,
  Output,
  requireTerminal,
  runningCommand,
  spawnError,
  startCommand,
  streamsOutput,
  takesInput,
} from "./client-command.ts";
import { applyPatchCommand, patchIn } from "./command-patch.ts";

export const commandHandlers: HandlersFor<typeof commandRequests> = {
  async "command/exec"(params, call) {
    if (params.command.length === 0) throw invalidRequest("command must not be empty");
    if ((takesInput(params) || streamsOutput(params)) && !params.processId)
      throw invalidRequest("processId is required for tty and streaming");
    const { session } = call;
    const { processes } = session;
    if (params.processId && processes.has(params.processId))
      throw invalidRequest(`duplicate active command/exec process id: ${JSON.stringify(params.processId)}`);
    limitCommands(session);
    const cwd = path.resolve(params.cwd ?? process.cwd());
    const config = call.app.config.effective(cwd);
    const sandbox = sandboxFor(params, config, cwd);
    const patch = patchIn(params);
    if (patch !== undefined) return await applyPatchCommand(patch, { cwd, sandbox, app: call.app });
    const output = outputOf(params, session);
    const timeoutMs = params.disableTimeout === true ? undefined : (params.timeoutMs ?? defaultTimeoutMs);
    const starting = startCommand(params, { cwd, config, ...confinedBy(sandbox, cwd, config), timeoutMs }, call).then((running) =>
      output.of(running),
    );
    // Registered from now on: the client's next message may already be for it.
    if (params.processId) processes.set(params.processId, { starting, takesInput: takesInput(params), tty: params.tty === true });
    session.commands++;
    try {
      const exit = await (await starting).exit;
      return { exitCode: exit.exitCode, ...output.texts() };
    } catch (error) {
      throw spawnError("command", error);
    } finally {
      session.commands--;
      if (params.processId) processes.delete(params.processId);
    }
  },
  async "command/exec/write"(params, { session }) {
    const running = await runningCommand(session.processes.get(params.processId), noCommand(params.processId), ({ takesInput }) => {
      if (!takesInput) throw invalidRequest("stdin streaming is not enabled for this command/exec");
    });
    if (params.deltaBase64) running.write(Buffer.from(params.deltaBase64, "base64"));
    if (params.closeStdin === true) running.closeStdin();
    return {};
  },
  async "command/exec/resize"(params, { session }) {
    const running = await runningCommand(session.processes.get(params.processId), noCommand(params.processId), requireTerminal);
    running.resize(params.size.cols, params.size.rows);
    return {};
  },
  async "command/exec/terminate"(params, { session }) {
    await (await runningCommand(session.processes.get(params.processId), noCommand(params.processId))).kill();
    return {};
  },
};

const noCommand = (processId: string): Error => invalidRequest(`no active command/exec for process id ${JSON.stringify(processId)}`);

function sandboxFor({ sandboxPolicy, permissionProfile: permissions }: CommandExecParams, config: Config, cwd: string): Sandbox {
  if (permissions && sandboxPolicy) throw invalidRequest("`permissionProfile` cannot be combined with `sandboxPolicy`");
  refuseForbidden({ sandboxPolicy, permissions }, config, "permissionProfile");
  const usual = sandboxPolicy || permissions ? undefined : config.defaultProfile;
  return sandboxFrom({ ...sandboxOf(config, usual, cwd), cwd }, config, { sandboxPolicy, permissions });
}

function confinedBy(sandbox: Sandbox, cwd: string, config: Config): Pick<Confinement, "policy" | "files" | "network"> {
  const { sandboxPolicy, fileRules = null } = sandbox;
  const rules = networkRulesOf(sandbox, config);
  const files = resolvedFiles({ sandboxPolicy, fileRules, workspaceRoots: [cwd] });
  if (rules === undefined) return { policy: sandboxPolicy, files };
  return { policy: withoutNetwork(sandboxPolicy), files, network: unaskedNetwork(rules) };
}

/** A client's own command belongs to no thread whose people could be asked. */
const unaskedNetwork = (rules: NetworkRules): CommandNetwork => ({
  rules: { ...rules, isClosed: true },
  ask: async () => "nobody is asked about it",
  decided: () => undefined,
  unavailable: () => undefined,
});

function outputOf(params: CommandExecParams, session: Session): Output {
  const { processId } = params;
  return new Output(
    {
      cap: params.disableOutputCap === true ? undefined : (params.outputBytesCap ?? defaultCap),
      isStreamed: streamsOutput(params),
      name: `command/exec ${processId ?? params.command[0]}`,
      delta(stream, deltaBase64, capReached) {
        if (processId) session.notify("command/exec/outputDelta", { processId, stream, deltaBase64, capReached });
      },
    },
    session,
  );
}
