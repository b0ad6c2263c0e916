/** Notifies users who look elsewhere: a browser notification, a sound, the tab's title and icon. */
import { announcement } from "../parts/requests/describe.ts";
import type { AppState } from "../state/model.ts";
import type { Place } from "../state/router.ts";
import type { Settings } from "../state/settings.ts";
import type { Store } from "../state/store.ts";

export function watchForPeople(store: Store, wants: () => Settings["notify"], go: (place: Place) => void): () => void {
  let before = store.get();
  let audio: AudioContext | undefined;
  showCount(before.pending.size);
  const tell = (text: string, body: string, place: Place, tag: string): void => {
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    const note = notification(text, { body, tag, icon: "/favicon.svg" });
    if (note !== undefined)
      note.onclick = () => {
        focus();
        go(place);
        note.close();
      };
    if (wants().sound) audio = chime(audio);
  };
  const stop = store.subscribe(() => {
    const now = store.get();
    if (now.pending !== before.pending) {
      showCount(now.pending.size);
      if (wants().needsYou)
        for (const [id, request] of now.pending)
          if (!before.pending.has(id))
            tell(
              request.sessionTitle ?? "Parley needs you",
              announcement(request),
              { name: "session", sessionId: request.threadId, requestId: id },
              id,
            );
    }
    if (now.sessions !== before.sessions)
      for (const change of endings(before, now))
        if (wants()[change.kind]) tell(change.title, change.text, change.place, change.place.sessionId);
    before = now;
  });
  return () => {
    stop();
    void audio?.close();
  };
}

/** Undefined if not allowed, and in browsers that have the class but refuse to construct it, as on Android. */
function notification(title: string, options: NotificationOptions): Notification | undefined {
  if (!("Notification" in window) || Notification.permission !== "granted") return undefined;
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}

interface Ending {
  readonly kind: "done" | "failed";
  readonly title: string;
  readonly text: string;
  readonly place: Extract<Place, { name: "session" }>;
}

function endings(before: AppState, now: AppState): readonly Ending[] {
  const found: Ending[] = [];
  for (const [id, session] of now.sessions) {
    const last = before.sessions.get(id);
    if (last === undefined || last === session) continue;
    const wasBusy = last.state === "working" || last.state === "waiting";
    // A turn can start and fail between two renders.
    const failed = session.state === "failed" && last.state !== "failed";
    if (!failed && !(wasBusy && session.state === "idle")) continue;
    found.push({
      kind: failed ? "failed" : "done",
      title: session.title,
      text: failed ? "The turn failed." : "Done.",
      place: { name: "session", sessionId: id, requestId: null },
    });
  }
  return found;
}

/** Two soft tones, synthesized so that no sound file has to be loaded. */
function chime(context = new AudioContext()): AudioContext {
  [660, 880].forEach((frequency, i) => {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const start = context.currentTime + i * 0.14;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.12, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.35);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.4);
  });
  return context;
}

function showCount(count: number): void {
  document.title = count === 0 ? "Parley" : `(${count}) Parley`;
  const icon = document.querySelector<HTMLLinkElement>("#favicon");
  if (icon === null) return;
  if (count === 0) {
    icon.type = "image/svg+xml";
    icon.href = "/favicon.svg";
    return;
  }
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const draw = canvas.getContext("2d");
  if (draw === null) return;
  draw.fillStyle = "#4b44c8";
  draw.beginPath();
  draw.roundRect(0, 0, 64, 64, 16);
  draw.fill();
  draw.fillStyle = "#f0a020";
  draw.beginPath();
  draw.arc(38, 38, 24, 0, Math.PI * 2);
  draw.fill();
  draw.fillStyle = "#1b1200";
  draw.font = "bold 32px sans-serif";
  draw.textAlign = "center";
  draw.textBaseline = "middle";
  draw.fillText(count > 9 ? "9+" : String(count), 38, 40);
  icon.type = "image/png";
  icon.href = canvas.toDataURL("image/png");
}
