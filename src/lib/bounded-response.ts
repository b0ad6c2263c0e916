/** Answers of servers that others choose: a body ends with an error once it holds more than it may. */

const [lineFeed, carriageReturn] = [10, 13];

/** Ends a body that holds more than one message may have: a stream of events counts anew with each event, anything else is one message. */
export function boundedResponse(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let length = 0;
  let line = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      // An event ends with an empty line; its lines are gathered until then, however short they are.
      if (isStream)
        for (let at = 0; at < chunk.length; at++) {
          if (chunk[at] === lineFeed && line === 0) length = chunk.length - at - 1;
          line = chunk[at] === lineFeed ? 0 : chunk[at] === carriageReturn ? line : line + 1;
        }
      if (length > maxBytes) controller.error(new Error("the server sent a message over the size limit"));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
