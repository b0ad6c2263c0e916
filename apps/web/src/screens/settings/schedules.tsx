/** Schedules: messages that the manager sends to a new session at certain times. */
import { type ReactElement, useCallback, useEffect, useState } from "react";
import { allows, useApp, useAppState } from "../../app-context.tsx";
import type { Schedule, ScheduleDraft, ToolCalls } from "../../connection/tools.ts";
import { cronOf, dayTimeOf, inWords, week } from "../../state/schedule.ts";
import { Button, Empty, Switch } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
import { useBusy } from "./busy.ts";
import { FormEnd } from "./form-end.tsx";
import { Shown, useLoaded } from "./load.tsx";

export function SchedulesTab({ tools }: { tools: ToolCalls }): ReactElement {
  const { scope } = useApp();
  const schedules = useLoaded(useCallback(() => tools.schedules(), [tools]));
  const [edited, setEdited] = useState<Schedule | "new">();
  const changes = useAppState((s) => s.scheduleChanges);
  const { reload } = schedules;
  // A run may start while the list is shown.
  useEffect(() => void (changes > 0 && reload()), [changes, reload]);
  return (
    <>
      <p>At its times the manager starts a session and sends it the message. What needs you comes to the inbox, as always.</p>
      {allows(scope, "drive") && edited === undefined ? (
        <div className="row">
          <Button tone="primary" icon="plus" onClick={() => setEdited("new")}>
            New schedule
          </Button>
        </div>
      ) : null}
      {edited === undefined ? null : (
        <ScheduleForm
          key={edited === "new" ? "new" : edited.scheduleId}
          tools={tools}
          schedule={edited === "new" ? undefined : edited}
          onDone={() => {
            setEdited(undefined);
            void reload();
          }}
        />
      )}
      <Shown of={schedules}>
        {(list) =>
          list.length === 0 && edited === undefined ? (
            <Empty icon="clock" title="No schedules yet">
              <p>For example: every weekday at 9, look through the new issues.</p>
            </Empty>
          ) : (
            <ul className="server-list">
              {list.map((schedule) => (
                <ScheduleBox
                  key={schedule.scheduleId}
                  tools={tools}
                  schedule={schedule}
                  onEdit={() => setEdited(schedule)}
                  onChanged={() => void reload()}
                />
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

const outcomes: Readonly<Record<Schedule["runs"][number]["outcome"], string>> = {
  started: "Started",
  failed: "Failed",
  missed: "Missed",
  still_running: "Skipped",
};

function ScheduleBox({
  tools,
  schedule,
  onEdit,
  onChanged,
}: {
  tools: ToolCalls;
  schedule: Schedule;
  onEdit: () => void;
  onChanged: () => void;
}): ReactElement {
  const { controller, scope, go } = useApp();
  const { busy, run } = useBusy();
  const { scheduleId, name, nextRunAt } = schedule;
  const mayWrite = allows(scope, "drive");
  return (
    <li className="setting-box" data-schedule={name}>
      <div className="row">
        <h3 dir="auto">{name}</h3>
        <span className="spacer" />
        {mayWrite ? (
          <>
            <Button
              size="small"
              busy={busy}
              disabled={busy}
              aria-label={`Run now: ${name}`}
              onClick={() => void run(() => controller.try(tools.runSchedule(scheduleId)).then(onChanged))}
            >
              Run now
            </Button>
            <Button size="small" onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
            <Button
              size="small"
              tone="danger"
              aria-label={`Remove ${name}`}
              onClick={() => void controller.try(tools.removeSchedule(scheduleId), "Schedule removed").then(onChanged)}
            >
              Remove
            </Button>
          </>
        ) : null}
      </div>
      <p>
        {inWords(schedule.cron, schedule.timeZone)}
        {nextRunAt === null ? null : <span className="hint"> Next: {new Date(nextRunAt).toLocaleString()}</span>}
      </p>
      <p className="template-text" dir="auto">
        {schedule.prompt}
      </p>
      {mayWrite ? (
        <Switch
          label="Switched on"
          checked={schedule.enabled}
          onChange={(on) => void controller.try(tools.switchSchedule(scheduleId, on)).then(onChanged)}
        />
      ) : null}
      {schedule.runs.length === 0 ? null : (
        <ul className="schedule-runs">
          {schedule.runs.slice(0, 5).map((one) => (
            <li key={one.at}>
              <span className={`tag tag-${one.outcome === "failed" ? "failed" : "ready"}`}>{outcomes[one.outcome]}</span>{" "}
              {new Date(one.at).toLocaleString()}{" "}
              {one.sessionId === null ? null : (
                <button
                  type="button"
                  className="link-button"
                  onClick={() => go({ name: "session", sessionId: one.sessionId ?? "", requestId: null })}
                >
                  Open the session
                </button>
              )}
              {one.message === null ? null : <span className="hint">{one.message}</span>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function ScheduleForm({ tools, schedule, onDone }: { tools: ToolCalls; schedule: Schedule | undefined; onDone: () => void }): ReactElement {
  const { controller } = useApp();
  const projects = useAppState((s) => s.projects);
  const [draft, setDraft] = useState<ScheduleDraft>({
    name: schedule?.name ?? "",
    prompt: schedule?.prompt ?? "",
    cron: schedule?.cron ?? "0 9 * * 1,2,3,4,5",
    timeZone: schedule?.timeZone ?? localZone,
    cwd: schedule?.cwd ?? null,
    projectId: schedule?.projectId ?? null,
    runMissed: schedule?.runMissed ?? true,
  });
  const { busy, run } = useBusy();
  const set = (part: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...part });
  const isReady = draft.name.trim() !== "" && draft.prompt.trim() !== "";
  return (
    <form
      className="setting-box"
      aria-label={schedule === undefined ? "New schedule" : `Edit ${schedule.name}`}
      onSubmit={(e) => {
        e.preventDefault();
        if (!isReady || busy) return;
        void run(async () => {
          const saved = await controller.try(tools.saveSchedule(schedule?.scheduleId ?? null, draft), "Schedule saved");
          if (saved !== undefined) onDone();
        });
      }}
    >
      <label className="field">
        <span>Name</span>
        <input type="text" maxLength={100} value={draft.name} onChange={(e) => set({ name: e.target.value })} />
      </label>
      <label className="field">
        <span>Message</span>
        <textarea rows={4} maxLength={100_000} value={draft.prompt} onChange={(e) => set({ prompt: e.target.value })} />
      </label>
      <WhenFields cron={draft.cron} onChange={(cron) => set({ cron })} />
      <label className="field">
        <span>Time zone</span>
        <input type="text" spellCheck={false} value={draft.timeZone} onChange={(e) => set({ timeZone: e.target.value })} />
      </label>
      <div className="row">
        <Picker
          label="Project"
          icon="folder"
          prefer="below"
          value={draft.projectId ?? ""}
          options={[{ value: "", label: "No project" }, ...projects.map((p) => ({ value: p.projectId, label: p.name }))]}
          onPick={(id) => set({ projectId: id === "" ? null : id })}
        />
        <label className="field schedule-folder">
          <span>
            Folder <span className="hint">(empty: the project's, or the default)</span>
          </span>
          <input
            type="text"
            className="mono"
            spellCheck={false}
            value={draft.cwd ?? ""}
            onChange={(e) => set({ cwd: e.target.value.trim() === "" ? null : e.target.value })}
          />
        </label>
      </div>
      <Switch
        label="Make up for a missed run"
        help="Once, when the manager starts again within a day."
        checked={draft.runMissed}
        onChange={(runMissed) => set({ runMissed })}
      />
      <FormEnd label="Save" busy={busy} isReady={isReady} onCancel={onDone} />
    </form>
  );
}

/** Days and a time, or a cron expression for everything else. */
function WhenFields({ cron, onChange }: { cron: string; onChange: (cron: string) => void }): ReactElement {
  const dayTime = dayTimeOf(cron);
  const [asCron, setAsCron] = useState(dayTime === undefined);
  return (
    <>
      {asCron || dayTime === undefined ? (
        <label className="field">
          <span>
            When <span className="hint">(cron: minute, hour, day, month, weekday)</span>
          </span>
          <input type="text" className="mono" spellCheck={false} value={cron} onChange={(e) => onChange(e.target.value)} />
        </label>
      ) : (
        <fieldset className="setting">
          <legend>When</legend>
          <div className="row days">
            {week.map(([day, label]) => (
              <label key={day} className="day">
                <input
                  type="checkbox"
                  checked={dayTime.days.includes(day)}
                  onChange={(e) => {
                    const days = e.target.checked ? [...dayTime.days, day] : dayTime.days.filter((other) => other !== day);
                    // At least one day stays: without any, the expression would mean something else.
                    if (days.length > 0) onChange(cronOf({ ...dayTime, days }));
                  }}
                />
                <abbr title={label}>{label.slice(0, 2)}</abbr>
              </label>
            ))}
            <label className="day-time">
              <span className="visually-hidden">Time</span>
              <input
                type="time"
                required
                value={dayTime.time}
                onChange={(e) => e.target.value !== "" && onChange(cronOf({ ...dayTime, time: e.target.value }))}
              />
            </label>
          </div>
        </fieldset>
      )}
      <Switch label="As a cron expression" checked={asCron || dayTime === undefined} onChange={setAsCron} />
    </>
  );
}
