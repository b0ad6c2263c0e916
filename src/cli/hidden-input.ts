/** Prompts on the terminal for a line that is not echoed, for keys. */
import { StartError } from "./usage.ts";

/** Far longer than any key. */
const maxLength = 16 * 1024;

/** Rejects with StartError when the person cancels with Ctrl+C or Ctrl+D. The terminal's mode is restored. */
export function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  const wasRaw = stdin.isRaw;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  return new Promise<string>((resolve, reject) => {
    let line = "";
    const end = (finish: () => void): void => {
      stdin.off("data", read);
      stdin.setRawMode(wasRaw);
      stdin.pause();
      stderr.write("\n");
      finish();
    };
    const read = (text: string): void => {
      for (const letter of withoutEscapes(text)) {
        if (letter === "\r" || letter === "\n") return end(() => resolve(line));
        if (letter === "\u0003" || letter === "\u0004") return end(() => reject(new StartError("nothing was changed")));
        if (letter === "\u0015") line = "";
        else if (letter === "\u007f" || letter === "\b") line = line.slice(0, -1);
        else if (letter >= " ") line = `${line}${letter}`.slice(0, maxLength);
      }
    };
    stdin.on("data", read);
    stdin.resume();
  });
}

/** Arrow keys and bracketed-paste markers are not part of a key. */
const withoutEscapes = (text: string): string => text.replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.)?/g, "");
