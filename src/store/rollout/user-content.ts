/** Converts what a user typed, attached or mentioned between the wire's spelling and that of rollouts. */
import { isObject, isString, type Json, listOf, objectOf, stringsOf, textOf } from "./shapes.ts";

const elementFromDisk = (element: unknown): Json => {
  const { byte_range: range, ...rest } = objectOf(element);
  return { byteRange: range, ...rest };
};
const elementToDisk = (element: unknown): Json => {
  const { byteRange: range, ...rest } = objectOf(element);
  return { byte_range: range, ...rest };
};

/** One part of a stored UserMessage as clients see it. */
export function inputFromDisk(part: unknown): Json {
  const { type, ...rest } = objectOf(part);
  switch (type) {
    case "text":
      return { type, text: textOf(rest["text"]), text_elements: listOf(rest["text_elements"]).map(elementFromDisk) };
    case "image":
      return { type, ...("image_url" in rest ? { url: rest["image_url"] } : { fileId: rest["file_id"] }), detail: rest["detail"] ?? null };
    case "local_image":
      return { type: "localImage", detail: rest["detail"] ?? null, path: textOf(rest["path"]) };
    case "audio":
      return { type, url: rest["audio_url"] ?? rest["url"] };
    case "local_audio":
      return { type: "localAudio", ...rest };
    default:
      return { type, ...rest };
  }
}

/** The stored form of one part. */
export function inputToDisk(part: unknown): Json {
  const { type, ...rest } = objectOf(part);
  const detail = rest["detail"] == null ? {} : { detail: rest["detail"] };
  switch (type) {
    case "text":
      return { type, text: rest["text"], text_elements: listOf(rest["text_elements"]).map(elementToDisk) };
    case "image":
      return { type, ...("url" in rest ? { image_url: rest["url"] } : { file_id: rest["fileId"] }), ...detail };
    case "localImage":
      return { type: "local_image", path: rest["path"], ...detail };
    case "audio":
      return { type, audio_url: rest["url"] };
    case "localAudio":
      return { type: "local_audio", ...rest };
    default:
      return { type, ...rest };
  }
}

/** The fields of a `user_message` event: text in one string, attachments in separate lists. */
export function userMessageFields(content: readonly Json[]): Json {
  const texts = content.filter((part) => part["type"] === "text");
  let offset = 0;
  const elements: Json[] = [];
  for (const part of texts) {
    for (const element of listOf(part["text_elements"]).filter(isObject)) {
      const range = objectOf(element["byteRange"]);
      const moved = { start: Number(range["start"]) + offset, end: Number(range["end"]) + offset };
      elements.push(elementToDisk({ ...element, byteRange: moved }));
    }
    offset += Buffer.byteLength(textOf(part["text"]));
  }
  const pick = (type: string, key: string): string[] =>
    content
      .filter((part) => part["type"] === type)
      .map((part) => part[key])
      .filter(isString);
  return {
    message: texts.map((part) => textOf(part["text"])).join(""),
    images: pick("image", "url"),
    local_images: pick("localImage", "path"),
    audio: pick("audio", "url"),
    local_audio: pick("localAudio", "path"),
    text_elements: elements,
  };
}

/** The parts contained in a `user_message` event, which does not preserve their order. */
export function contentOfUserMessage(payload: Json): Json[] {
  const message = textOf(payload["message"]);
  const elements = listOf(payload["text_elements"]).map(elementFromDisk);
  return [
    ...(message === "" && elements.length === 0 ? [] : [{ type: "text", text: message, text_elements: elements }]),
    ...stringsOf(payload["images"]).map((url) => ({ type: "image", url, detail: null })),
    ...stringsOf(payload["local_images"]).map((path) => ({ type: "localImage", detail: null, path })),
    ...stringsOf(payload["audio"]).map((url) => ({ type: "audio", url })),
    ...stringsOf(payload["local_audio"]).map((path) => ({ type: "localAudio", path })),
  ];
}

/** Keeps a large data URL from being written twice on one line: a part that repeats a listed image refers to its index in the list. */
export function shareImages(content: unknown, images: readonly string[]): unknown {
  return listOf(content).map((part) => {
    const { url, ...rest } = objectOf(part);
    const at = rest["type"] === "image" && isString(url) ? images.indexOf(url) : -1;
    return at < 0 ? part : { ...rest, listed: at };
  });
}
export function unshareImages(content: unknown, images: readonly string[]): unknown {
  return listOf(content).map((part) => {
    const { listed, ...rest } = objectOf(part);
    return typeof listed === "number" ? { ...rest, url: images[listed] } : part;
  });
}
