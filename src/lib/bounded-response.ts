/** Responses of servers that others choose: reading a body fails once it exceeds its limit. */

const [lineFeed, carriageReturn] = [10, 13];

/** Fails a body that exceeds the limit of one message: an event stream is counted per event, anything else as one message. */
export function boundedResponse(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let length = 0;
  let line = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length;
      // An event ends with an empty line; until then its lines are buffered, however short they are.
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
