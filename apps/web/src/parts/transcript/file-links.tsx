/** Places in files, such as `src/app.ts:12`, in messages and outputs: shown as buttons that open the file, where files can be opened. */
import { createContext, type ReactElement, type ReactNode, useContext } from "react";
import { type FilePlace, splitAtFiles } from "../../state/file-place.ts";

/** Opens a file of the session at a line; undefined where files cannot be opened. */
export const FileLinksContext = createContext<((path: string, line: number | null) => void) | undefined>(undefined);

export function FileLink({ path, line, children }: FilePlace & { readonly children: ReactNode }): ReactElement {
  const open = useContext(FileLinksContext);
  if (open === undefined) return <>{children}</>;
  return (
    <button type="button" className="file-link" title={`Open ${path}`} onClick={() => open(path, line)}>
      {children}
    </button>
  );
}

/** A line of output with its places as links. */
export function WithFileLinks({ text }: { text: string }): ReactElement {
  const open = useContext(FileLinksContext);
  if (open === undefined) return <>{text}</>;
  return (
    <>
      {splitAtFiles(text).map((part, i) =>
        typeof part === "string" ? (
          part
        ) : (
          <FileLink key={i} path={part.path} line={part.line}>
            {part.text}
          </FileLink>
        ),
      )}
    </>
  );
}
