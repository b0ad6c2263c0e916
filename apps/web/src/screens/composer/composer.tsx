/** The message field: a native text field with drafts, attachments, completion, and a clear choice between steering and queueing. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useApp } from "../../app-context.tsx";
import type { Controller } from "../../state/controller.ts";
import { lookedAtInput } from "../../state/looked-at.ts";
import type { Attachment, UserInput } from "../../state/model.ts";
import { readDraft, writeDraft } from "../../state/settings.ts";
import { filledIn } from "../../state/template.ts";
import { Button, Chip, IconButton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { attach, inputOf } from "./attachments.ts";
import { complete, isSlashCommand, mentioned, type Named, type Trigger, triggerAt } from "./complete.ts";
import { LookedAtRow, useLookedAt } from "./looked-at.tsx";
import { type Suggestion, useSuggestions } from "./suggestions.ts";

const mostAttachments = 20;

export interface ComposerProps {
  /** Drafts are kept under this name. */
  readonly draftKey: string;
  readonly sessionId: string | null;
  readonly cwd: string;
  readonly running: boolean;
  readonly disabled: boolean;
  readonly placeholder: string;
  /** Resolves to true once the message is sent; the draft is then cleared. */
  readonly onSend: (input: readonly UserInput[], delivery: "auto" | "steer" | "queue") => boolean | Promise<boolean>;
  readonly onStop?: () => void;
  readonly onCommand?: (name: string) => void;
  readonly footer: ReactNode;
  readonly meter?: ReactNode;
}

/** Lets styles know that there is a composer: a selector with `:has` would make the browser look through the whole page for it at every change. */
function useNoted(): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset["composer"] = "";
    return () => {
      delete dataset["composer"];
    };
  }, []);
}

export function Composer(props: ComposerProps): ReactElement {
  const { draftKey, running, disabled, placeholder, onStop, footer, meter } = props;
  const { settings, isMac, toast, controller } = useApp();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(controller, draftKey, field);
  const { text, setText } = draft;
  const [attachments, setAttachments] = useAttachments(draftKey);
  const [names, setNames] = useState<{ files: readonly Named[]; skills: readonly Named[] }>({ files: [], skills: [] });
  const [cursor, setCursor] = useState(0);
  const [sending, setSending] = useState(false);
  const completion = useCompletion(props, text, cursor);
  const { seen, leaveOut } = useLookedAt();
  const id = useId();
  const empty = text.trim() === "" && attachments.length === 0;
  const other = settings.whileRunning === "steer" ? "queue" : "steer";
  useNoted();

  const select = useSelection(field);
  const put = (next: string, start: number, end = start): void => {
    setText(next);
    setCursor(end);
    select(start, end);
  };
  const choose = (suggestion: Suggestion): void => {
    const { trigger } = completion;
    if (trigger === undefined) return;
    if (suggestion.template !== undefined) return put(...filledIn(suggestion.template));
    if (suggestion.kind === "command") {
      put("", 0);
      props.onCommand?.(suggestion.insert);
      return;
    }
    const sign = suggestion.kind === "file" ? "@" : "$";
    const next = complete(text, cursor, trigger, `${sign}${suggestion.insert}`);
    const named = { name: suggestion.insert, path: suggestion.path };
    setNames(suggestion.kind === "file" ? { ...names, files: [...names.files, named] } : { ...names, skills: [...names.skills, named] });
    put(next.text, next.cursor);
  };
  const add = useCallback(
    async (files: Iterable<File>): Promise<void> => {
      for (const file of files) {
        const result = await attach(file);
        if (typeof result === "string") toast(result, "problem");
        else setAttachments((list) => [...list, result].slice(0, mostAttachments));
      }
    },
    [toast, setAttachments],
  );
  useDropAnywhere(disabled ? undefined : add);
  const send = async (delivery: "auto" | "steer" | "queue"): Promise<void> => {
    if (empty || disabled || sending) return;
    const slash = /^\/([\w-]+)$/.exec(text.trim())?.[1];
    // An unknown command is sent as an ordinary message.
    if (slash !== undefined && isSlashCommand(slash) && props.onCommand !== undefined && attachments.length === 0) {
      put("", 0);
      return props.onCommand(slash);
    }
    const input: UserInput[] = [
      ...attachments.filter((a) => a.kind === "text").map(inputOf),
      ...(text.trim() === "" ? [] : [{ type: "text", text: text.trim() } as const]),
      ...(seen === undefined ? [] : [lookedAtInput(seen)]),
      ...attachments.filter((a) => a.kind === "image").map(inputOf),
      ...mentioned(text, "@", names.files).map((m) => ({ type: "mention", ...m }) as const),
      ...mentioned(text, "$", names.skills).map((m) => ({ type: "skill", ...m }) as const),
    ];
    setSending(true);
    const gone = await props.onSend(input, delivery);
    setSending(false);
    if (!gone) return;
    draft.clear();
    setAttachments(() => []);
    setNames({ files: [], skills: [] });
  };
  const now = (): "auto" | "steer" | "queue" => (running ? settings.whileRunning : "auto");
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (completion.onKey(event, choose)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    const mod = isMac ? event.metaKey : event.ctrlKey;
    if (event.altKey && running) {
      event.preventDefault();
      return void send(other);
    }
    // A soft keyboard has no Shift+Enter: there Enter inserts a new line, and the button sends.
    if (mod || (settings.sendWith === "Enter" && !hasSoftKeyboard())) {
      event.preventDefault();
      void send(now());
    }
  };
  useGrow(field, text);

  return (
    <div className="composer">
      {completion.list.length === 0 ? null : (
        <SuggestionList
          id={`${id}-list`}
          list={completion.list}
          active={completion.active}
          onPick={choose}
          onActive={completion.setActive}
        />
      )}
      <AttachmentRow list={attachments} onRemove={(gone) => setAttachments((list) => list.filter((a) => a.id !== gone))} />
      {seen === undefined ? null : <LookedAtRow seen={seen} onLeaveOut={leaveOut} />}
      <textarea
        ref={field}
        id="composer"
        aria-label="Message"
        dir="auto"
        rows={1}
        value={text}
        placeholder={placeholder}
        disabled={disabled}
        aria-autocomplete="list"
        aria-controls={completion.list.length === 0 ? undefined : `${id}-list`}
        aria-activedescendant={completion.list.length === 0 ? undefined : `${id}-list-${completion.active}`}
        onChange={(e) => {
          setText(e.target.value);
          setCursor(e.target.selectionStart);
        }}
        onSelect={(e) => setCursor(e.currentTarget.selectionStart)}
        onKeyDown={onKey}
        onPaste={(e: ClipboardEvent) => {
          const files = [...e.clipboardData.files];
          if (files.length === 0) return;
          e.preventDefault();
          void add(files);
        }}
      />
      <div className="composer-bar">
        <label className="icon-button" title="Attach pictures or files">
          <Icon name="paperclip" size={18} label="Attach pictures or files" />
          <input
            type="file"
            multiple
            className="visually-hidden"
            disabled={disabled}
            onChange={(e) => {
              void add([...(e.target.files ?? [])]);
              e.target.value = "";
            }}
          />
        </label>
        <div className="composer-controls">{footer}</div>
        {meter}
        {running && !empty ? (
          <Button size="small" tone="quiet" title={`Alt+Enter: ${other}`} onClick={() => void send(other)}>
            {other === "queue" ? "Queue" : "Steer"}
          </Button>
        ) : null}
        {running && onStop !== undefined ? (
          <IconButton icon="stop" label="Stop the turn" keys="Esc Esc" className="stop-button" onClick={onStop} />
        ) : null}
        {running && empty ? null : (
          <IconButton
            icon="send"
            label={running ? (settings.whileRunning === "queue" ? "Queue this message" : "Steer the running turn") : "Send"}
            className="send-button"
            disabled={empty || disabled || sending}
            onClick={() => void send(now())}
          />
        )}
      </div>
    </div>
  );
}

const hasSoftKeyboard = (): boolean => matchMedia("(pointer: coarse) and (hover: none)").matches;

function useDraft(
  { shelf, drafts }: Controller,
  key: string,
  field: React.RefObject<HTMLTextAreaElement | null>,
): { text: string; setText: (text: string) => void; clear: () => void } {
  const [text, setLocal] = useState(() => readDraft(shelf, key));
  const latest = useRef(text);
  latest.current = text;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const setText = useCallback(
    (next: string): void => {
      setLocal(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => writeDraft(shelf, key, next), 250);
    },
    [shelf, key],
  );
  // A draft is saved when its composer or the whole page closes, even before the debounce delay is over.
  useEffect(() => {
    const keep = (): void => {
      clearTimeout(timer.current);
      writeDraft(shelf, key, latest.current);
    };
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, [shelf, key]);
  const clear = useCallback((): void => {
    clearTimeout(timer.current);
    latest.current = "";
    setLocal("");
    writeDraft(shelf, key, "");
  }, [shelf, key]);
  // A prompt that comes back; what is written already stays below it.
  useEffect(
    () =>
      drafts.take(key, (given) => {
        setText(latest.current === "" ? given : `${given}\n\n${latest.current}`);
        field.current?.focus();
      }),
    [drafts, key, setText, field],
  );
  return { text, setText, clear };
}

function useGrow(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // The height follows the text
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
}

/** Kept for each draft, so that navigating away and back, or reloading the page, loses none. */
function useAttachments(
  draftKey: string,
): [readonly Attachment[], (change: (list: readonly Attachment[]) => readonly Attachment[]) => void] {
  const { attachments: kept } = useApp().controller;
  const [list, setList] = useState(() => kept.now(draftKey));
  useEffect(() => {
    void kept.fromBefore(draftKey).then((stored) => stored !== undefined && setList(stored));
    return kept.follow(draftKey, setList);
  }, [kept, draftKey]);
  const change = useCallback(
    (how: (list: readonly Attachment[]) => readonly Attachment[]): void => {
      kept.set(draftKey, how(kept.now(draftKey)));
      setList(kept.now(draftKey));
    },
    [kept, draftKey],
  );
  return [list, change];
}

/** A file dropped anywhere on the page is attached to the message; the browser would otherwise navigate to it. */
function useDropAnywhere(add: ((files: Iterable<File>) => Promise<void>) | undefined): void {
  useEffect(() => {
    const onDragOver = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void add?.(files);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("drop", onDrop);
    };
  }, [add]);
}

/** Selects text together with setting it: a key pressed right after must find the cursor in the right place. */
function useSelection(field: React.RefObject<HTMLTextAreaElement | null>): (start: number, end: number) => void {
  const wanted = useRef<{ readonly start: number; readonly end: number }>(undefined);
  useLayoutEffect(() => {
    const at = wanted.current;
    wanted.current = undefined;
    if (at !== undefined) field.current?.setSelectionRange(at.start, at.end);
  });
  return (start, end) => {
    wanted.current = { start, end };
  };
}

interface Completion {
  readonly trigger: Trigger | undefined;
  readonly list: readonly Suggestion[];
  readonly active: number;
  setActive(index: number): void;
  /** True if the list handled the key. */
  onKey(event: KeyboardEvent, choose: (suggestion: Suggestion) => void): boolean;
}

function useCompletion({ sessionId, cwd, onCommand }: ComposerProps, text: string, cursor: number): Completion {
  const [dismissed, setDismissed] = useState<string>();
  const [active, setActive] = useState(0);
  const found = triggerAt(text, cursor);
  const trigger = found === undefined || dismissed === text ? undefined : found;
  const suggested = useSuggestions(trigger, sessionId, cwd);
  // Where there is no session yet, templates are all that a slash can mean.
  const list = onCommand === undefined ? suggested.filter(({ kind, template }) => kind !== "command" || template !== undefined) : suggested;
  const at = Math.min(active, Math.max(0, list.length - 1));
  return {
    trigger,
    list,
    active: at,
    setActive,
    onKey(event, choose) {
      if (list.length === 0) return false;
      const chosen = list[at];
      if (event.key === "ArrowDown") setActive((at + 1) % list.length);
      else if (event.key === "ArrowUp") setActive((at - 1 + list.length) % list.length);
      else if (event.key === "Escape") setDismissed(text);
      else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && chosen !== undefined) choose(chosen);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

function SuggestionList({
  id,
  list,
  active,
  onPick,
  onActive,
}: {
  id: string;
  list: readonly Suggestion[];
  active: number;
  onPick: (s: Suggestion) => void;
  onActive: (index: number) => void;
}): ReactElement {
  return (
    <div id={id} role="listbox" aria-label="Suggestions" className="suggestions">
      {list.map((suggestion, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field that owns the focus
        // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
        <div
          key={suggestion.insert + suggestion.path}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          className="suggestion"
          onPointerMove={() => onActive(i)}
          onPointerDown={(e) => e.preventDefault()}
          onClick={() => onPick(suggestion)}
        >
          <Icon name={suggestion.icon} size={15} />
          <span className="suggestion-label">{suggestion.label}</span>
          <span className="hint">{suggestion.help}</span>
        </div>
      ))}
    </div>
  );
}

function AttachmentRow({ list, onRemove }: { list: readonly Attachment[]; onRemove: (id: string) => void }): ReactElement | null {
  if (list.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attached">
      {list.map((a) => (
        <li key={a.id} className="attachment">
          {a.kind === "image" ? <img src={a.url} alt={a.name} /> : <Chip icon="file">{a.name}</Chip>}
          <IconButton icon="close" size={12} label={`Remove ${a.name}`} onClick={() => onRemove(a.id)} />
        </li>
      ))}
    </ul>
  );
}
