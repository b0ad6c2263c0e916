/** `process/*`: the client's own programs, without a sandbox and without a thread. */
import path from "node:path";
import { refuseForbidden } from "../core/settings/requirements.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { ProcessSpawnParams, processRequests } from "../protocol/process.ts";
import type { Call, HandlersFor } from "./app.ts";
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

const sandboxPolicy = { type: "dangerFullAccess" } as const;

export const processHandlers: HandlersFor<typeof processRequests> = {
  async "process/spawn"(params, call) {
    const { session } = call;
    const { processHandle } = params;
    if (session.spawned.has(processHandle)) throw invalidRequest(`duplicate active process handle: ${JSON.stringify(processHandle)}`);
    limitCommands(session);
    const cwd = path.resolve(params.cwd);
    const config = call.app.config.effective(cwd);
    // An administrator who forbids full access forbids programs without a sandbox.
    refuseForbidden({ sandboxPolicy }, config, "process/spawn");
    const output = outputOf(params, call);
    // Absent and null differ: the default limit, and none.
    const timeoutMs = params.timeoutMs === undefined ? defaultTimeoutMs : (params.timeoutMs ?? undefined);
    const starting = startCommand(params, { cwd, config, policy: sandboxPolicy, timeoutMs }, call).then((running) => output.of(running));
    session.spawned.set(processHandle, { starting, takesInput: takesInput(params), tty: params.tty === true });
    session.commands++;
    const ended = (): void => {
      session.commands--;
      session.spawned.delete(processHandle);
    };
    try {
      const { exit } = await starting;
      call.after(() => {
        void exit.then(({ exitCode }) => {
          ended();
          session.notify("process/exited", {
            processHandle,
            exitCode,
            outputDrainTimedOut: false, // everything that could hold the output open was ended
            ...output.texts(),
            stdoutCapReached: output.reachedCap("stdout"),
            stderrCapReached: output.reachedCap("stderr"),
          });
        });
      });
      return {};
    } catch (error) {
      ended();
      throw spawnError("process", error);
    }
  },
  async "process/writeStdin"(params, { session }) {
    const running = await runningCommand(
      session.spawned.get(params.processHandle),
      noProcess(params.processHandle),
      ({ takesInput: isOpen }) => {
        if (!isOpen) throw invalidRequest("stdin streaming is not enabled for this process");
      },
    );
    if (params.deltaBase64) running.write(Buffer.from(params.deltaBase64, "base64"));
    if (params.closeStdin === true) running.closeStdin();
    return {};
  },
  async "process/resizePty"(params, { session }) {
    const running = await runningCommand(session.spawned.get(params.processHandle), noProcess(params.processHandle), requireTerminal);
    running.resize(params.size.cols, params.size.rows);
    return {};
  },
  async "process/kill"(params, { session }) {
    await (await runningCommand(session.spawned.get(params.processHandle), noProcess(params.processHandle))).kill();
    return {};
  },
};

const noProcess = (handle: string): Error => invalidRequest(`no active process for process handle ${JSON.stringify(handle)}`);

/** Output that arrives before the response was sent waits for it. */
function outputOf(params: ProcessSpawnParams, { session, after }: Call): Output {
  const { processHandle } = params;
  let waiting: (() => void)[] | undefined = [];
  after(() => {
    for (const send of waiting ?? []) send();
    waiting = undefined;
  });
  return new Output(
    {
      cap: params.outputBytesCap === undefined ? defaultCap : (params.outputBytesCap ?? undefined),
      isStreamed: streamsOutput(params),
      name: `process/spawn ${processHandle}`,
      delta(stream, deltaBase64, capReached) {
        const send = (): void => session.notify("process/outputDelta", { processHandle, stream, deltaBase64, capReached });
        if (waiting === undefined) send();
        else waiting.push(send);
      },
    },
    session,
  );
}
