/** The fleet's engine for one command: found, reached within a limit, and closed. */
import { type Engine, EngineRefused, EngineUnreachable, engineAddress, openEngine } from "../../fleet/engine.ts";
import { reachEngine } from "../../fleet/reach.ts";
import { checkSchema } from "../../fleet/schema.ts";
import { hideSecretFile } from "../secret-file.ts";
import { StartError, toStderr } from "../usage.ts";

/** Long enough for an engine that restarts. With the time that one attempt takes it stays below ten seconds. */
const patienceMs = 4000;

/** The engine's address; agents' commands on this home cannot read the file that it is in. */
export function fleetAddress(file: string | undefined): string {
  const address = refusals(() => engineAddress(process.env, file));
  if (file !== undefined) hideSecretFile(file);
  return address;
}

/** `tables: false` for the command that makes them. */
export async function withEngine<T>(address: string, work: (engine: Engine) => Promise<T>, { tables = true } = {}): Promise<T> {
  const engine = await openEngine({ address, name: "parley fleet", connections: 2 }).catch(startErrors);
  try {
    await reachEngine<unknown>(() => (tables ? checkSchema(engine) : engine.query("select 1")), {
      limitMs: patienceMs,
      onWait: (reason) => toStderr(`the fleet's engine does not answer, trying again: ${reason}`),
    });
    return await work(engine);
  } catch (error) {
    return startErrors(error);
  } finally {
    await engine.close();
  }
}

function refusals<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return startErrors(error);
  }
}

/** What the engine refuses is for the person and no bug. */
export function startErrors(error: unknown): never {
  if (error instanceof EngineUnreachable) throw new StartError(`the fleet's engine cannot be reached: ${error.message}`);
  if (error instanceof EngineRefused) throw new StartError(error.message);
  throw error;
}
