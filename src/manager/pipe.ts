/** Joins two transports so that each hears what the other says, at the pace of the slower one. */
import type { Transport } from "../rpc/transport.ts";

const highWater = 4 * 1024 * 1024;

export function pipe(a: Transport, b: Transport): void {
  const oneWay = (from: Transport, to: Transport): void => {
    from.onMessage = (text) => {
      to.send(text);
      if (to.backlog > highWater) from.pause();
    };
    to.onDrain = () => from.resume();
    from.onClose = () => to.close();
  };
  oneWay(a, b);
  oneWay(b, a);
}
