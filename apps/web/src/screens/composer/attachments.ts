/** Pictures and text files attached to a message. */
import { dataUrl } from "../../parts/requests/tool-call-form.tsx";
import { fenced } from "../../state/looked-at.ts";
import type { Attachment, UserInput } from "../../state/model.ts";

const maxImage = 8 * 1024 * 1024;
const maxText = 256 * 1024;

/** Reads a file for sending; returns an error message if it cannot be sent. */
export async function attach(file: File): Promise<Attachment | string> {
  const id = crypto.randomUUID();
  if (file.type.startsWith("image/")) {
    if (file.size > maxImage) return `${file.name} is larger than 8 MB.`;
    return { id, kind: "image", name: file.name || "Picture", url: await dataUrl(file) };
  }
  if (file.size > maxText) return `${file.name} is larger than 256 kB. Put it into the project folder and mention it with @.`;
  const text = await file.text();
  return text.includes("\0") ? `${file.name} is not a text file or picture.` : { id, kind: "text", name: file.name, text };
}

export const inputOf = (attachment: Attachment): UserInput =>
  attachment.kind === "image"
    ? { type: "image", url: attachment.url }
    : { type: "text", text: `Attached file ${attachment.name}:\n\n${fenced(attachment.text)}` };
