/** Connects two transports: each receives what the other sends, at the pace of the slower one. */
import { type Transport, tooFarBehind } from "./transport.ts";

const highWater = 4 * 1024 * 1024;
/** At most 123 bytes, the limit for a close frame's reason. */
const lost = "the connection behind this one was lost; connect again and resume";

/** Resolves when both have ended; with the reason if one was disconnected or broke, which is passed to the other. */
export async function pipe(a: Transport, b: Transport): Promise<Error | undefined> {
  const [first, second] = await Promise.all([oneWay(a, b), oneWay(b, a)]);
  return first ?? second;
}

function oneWay(from: Transport, to: Transport): Promise<Error | undefined> {
  from.onMessage = (text) => {
    if (text.trim() !== "") to.send(text);
    if (to.backlog > highWater) from.pause();
  };
  to.onDrain = () => from.resume();
  return new Promise((resolve) => {
    from.onClose = (error) => {
      if (error === undefined) to.close();
      else to.cutOff(error.message === tooFarBehind ? tooFarBehind : lost);
      resolve(error);
    };
  });
}
