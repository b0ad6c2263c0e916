/** Setting up a model: which provider, its key, and the model that new sessions use. The engine tests it before storing anything. */
import { type ReactElement, useId, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { type ModelSetUp, type Provider, Refused } from "../../connection/connection.ts";
import { spelledLine } from "../../parts/requests/spelled.ts";
import { plural } from "../../state/format.ts";
import { Button } from "../../ui/controls.tsx";
import { Picker } from "../../ui/overlays.tsx";
import { useBusy } from "./busy.ts";

/** The only provider of engines that list none. */
const openai: Omit<Provider, "id"> & { readonly id: undefined } = {
  ...{ id: undefined, name: "OpenAI", isLocal: false, needsKey: true, keyVariable: "OPENAI_API_KEY", model: null },
  ...{ isSetUp: false, hasStoredKey: false, isCurrent: false },
};
type Choice = Provider | typeof openai;

export function SetUpModel({ providers, onDone }: { providers: readonly Provider[]; onDone: () => void }): ReactElement {
  const [picked, setPicked] = useState<string>();
  const choices: readonly Choice[] = providers.length === 0 ? [openai] : providers;
  const provider = choices.find(({ id }) => id === picked) ?? choices.find(({ isCurrent }) => isCurrent) ?? choices[0] ?? openai;
  return (
    <>
      {choices.length < 2 ? null : (
        <Picker
          label="Provider"
          icon="spark"
          prefer="below"
          value={provider.id ?? ""}
          shown={spelledLine(provider.name)}
          options={choices.map((choice) => ({ value: choice.id ?? "", label: spelledLine(choice.name), help: standing(choice) }))}
          onPick={setPicked}
        />
      )}
      <ProviderForm key={provider.id} provider={provider} onDone={onDone} />
    </>
  );
}

function standing({ isCurrent, isSetUp, isLocal, needsKey, runningModels }: Choice): string {
  if (isCurrent && isSetUp) return "In use";
  if (runningModels != null) return `Running on the engine's machine, ${plural(runningModels.length, "model")}`;
  if (isLocal) return runningModels === null ? "Not running on the engine's machine" : "On the engine's machine, no key";
  return isSetUp ? "Set up" : needsKey ? "Needs a key" : "No key";
}

/** The key is sent to the engine, which stores it as `parley login` does; the page does not keep it. */
function ProviderForm({ provider, onDone }: { provider: Choice; onDone: () => void }): ReactElement {
  const { controller, toast } = useApp();
  const [key, setKey] = useState("");
  const [model, setModel] = useState(provider.model ?? provider.runningModels?.[0] ?? "");
  const [problem, setProblem] = useState<string>();
  const { busy, run } = useBusy();
  const id = useId();
  const name = spelledLine(provider.name);
  const isReady = !provider.needsKey || key.trim() !== "";
  const save = (check: boolean): Promise<void> =>
    run(async () => {
      setProblem(undefined);
      try {
        const named = model.trim() === "" ? {} : { model: model.trim() };
        const target = provider.id === undefined ? {} : { provider: provider.id, ...named };
        const done = await controller.connection.setUpModel?.({ apiKey: key.trim(), check, ...target });
        toast(...resultOf(done, check));
        setKey("");
        onDone();
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) setProblem(error.message);
        else controller.report(error);
      }
    });
  const change = (set: (text: string) => void, text: string): void => {
    set(text);
    setProblem(undefined);
  };
  return (
    <form
      className="key-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (isReady && !busy) void save(true);
      }}
    >
      {provider.needsKey ? (
        <label className="field">
          <span>{name} API key</span>
          <input
            type="password"
            className="mono"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(e) => change(setKey, e.target.value)}
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-problem`}
          />
        </label>
      ) : null}
      {provider.id === undefined ? null : (
        <label className="field">
          <span>Model {provider.model === null ? <span className="hint">(empty: the first that it lists)</span> : null}</span>
          <input
            type="text"
            className="mono"
            spellCheck={false}
            list={`${id}-models`}
            value={model}
            onChange={(e) => change(setModel, e.target.value)}
          />
          <datalist id={`${id}-models`}>
            {(provider.runningModels ?? []).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
      <Button type="submit" tone="primary" busy={busy} disabled={busy || !isReady}>
        {busy ? `Asking ${name}…` : provider.needsKey ? "Use this key" : `Use ${name}`}
      </Button>
      <div id={`${id}-problem`} className="key-problem" role="status">
        {problem === undefined ? null : (
          <>
            <p className="problem">{spelledLine(problem)}</p>
            {provider.needsKey ? (
              <Button size="small" onClick={() => void save(false)}>
                Keep it anyway
              </Button>
            ) : null}
          </>
        )}
      </div>
      {provider.keyVariable === null || !provider.needsKey ? null : (
        <p className="hint key-problem">
          <code>{spelledLine(provider.keyVariable)}</code> in the engine's environment counts before it.
        </p>
      )}
    </form>
  );
}

function resultOf(done: ModelSetUp | undefined, wasChecked: boolean): [text: string, tone?: "problem"] {
  if (wasChecked && done?.checked !== true)
    return ["The key is kept, but this engine could not check it: a first message shows whether it works.", "problem"];
  const used = done?.model === undefined ? "it" : spelledLine(done.model);
  return [`${wasChecked ? "It works and is kept." : "The key is kept."} New sessions use ${used}.`];
}
