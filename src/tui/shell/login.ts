/** `/login`: which model provider new sessions use, with its key. */
import type { Client } from "../../client/client.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { AccountLoginCompletedNotification as LoginCompleted, ProviderChoice } from "../../protocol/account.ts";
import { createForm, type Field } from "../ask/form.ts";
import { createPicker, type PickerItem } from "../ask/picker.ts";
import type { Shell } from "./shell.ts";
import { startThread } from "./threads.ts";

/** Rows of the list that are not providers. */
const byBrowser = "chatgpt";
const byCode = "chatgptDeviceCode";
type SignInType = typeof byBrowser | typeof byCode;

export async function logIn(shell: Shell, argument: string): Promise<void> {
  const { data } = await shell.client().call("account/provider/list", {});
  const id = argument === "" ? await shell.pick(listOf(data)) : argument;
  if (id === undefined) return;
  if (id === byBrowser || id === byCode) return signIn(shell, id);
  const provider = data.find((choice) => choice.id === id);
  if (provider === undefined) return shell.store.note("error", `There is no provider ${cleanLine(id)}; /login lists them`);
  const given = provider.needsKey ? await shell.fill(formFor(provider)) : {};
  if (given === undefined) return;
  await setUp(shell, provider, given["key"]?.[0] ?? "", given["model"]?.[0]);
}

function listOf(providers: readonly ProviderChoice[]): ReturnType<typeof createPicker> {
  const items: PickerItem[] = [
    { id: byBrowser, label: "ChatGPT account", detail: "sign in to OpenAI in the browser" },
    { id: byCode, label: "ChatGPT account, elsewhere", detail: "sign in on another device, with a code" },
    ...providers.map((provider) => ({
      id: provider.id,
      label: cleanLine(provider.name),
      detail: detailOf(provider),
      isCurrent: provider.isCurrent,
    })),
  ];
  return createPicker({ title: "Which models shall new sessions use?", items, canFilter: true });
}

function detailOf({ isSetUp, needsKey, isLocal, model }: ProviderChoice): string {
  const what = isSetUp ? "set up" : isLocal ? "on this machine, no key" : needsKey ? "asks for a key" : "no key";
  return model === null ? what : `${what}  ${cleanLine(model)}`;
}

function formFor({ name, model, keyVariable }: ProviderChoice): ReturnType<typeof createForm> {
  const usual = { type: "text", options: [], allowOther: false } as const;
  const key: Field = {
    ...usual,
    id: "key",
    header: "Key",
    question: `The API key of ${cleanLine(name)}`,
    detail: keyVariable === null ? "" : `it is tried, then kept; ${keyVariable} in the environment counts before it`,
    isSecret: true,
    isRequired: true,
    check: (text) => (/\s/.test(text.trim()) ? "A key has no spaces in it" : undefined),
  };
  const named: Field = { ...usual, id: "model", header: "Model", question: "The model", detail: "", isSecret: false, isRequired: true };
  return createForm(`Set up ${cleanLine(name)}`, [key, named], model === null ? {} : { model: [model] });
}

async function setUp(shell: Shell, provider: ProviderChoice, apiKey: string, model: string | undefined): Promise<void> {
  const name = cleanLine(provider.name);
  shell.store.setUi({ busy: `Trying ${name}` });
  try {
    const answer = await shell.client().call("account/login/start", {
      type: "apiKey",
      apiKey,
      provider: provider.id,
      check: true,
      ...(model === undefined ? {} : { model: model.trim() }),
    });
    const chosen = answer.type === "apiKey" ? answer.model : undefined;
    shell.store.note("success", `${name} is set up${chosen === undefined ? "" : ` with ${cleanLine(chosen)}`}`);
  } finally {
    shell.store.setUi({ busy: undefined });
  }
  await restartIfEmpty(shell);
}

async function signIn(shell: Shell, type: SignInType): Promise<void> {
  const problem = await signInByAccount(shell.client(), type, (text) => shell.store.note("info", text));
  if (problem !== undefined) return shell.store.note("error", `Not signed in: ${cleanLine(problem)}`);
  shell.store.note("success", "Signed in to OpenAI");
  await restartIfEmpty(shell);
}

/** Returns what went wrong, if anything. Rejects when the connection ends. Other clients of the server may sign in meanwhile: only the end of this login counts. */
export async function signInByAccount(
  client: Pick<Client, "call" | "on" | "ended">,
  type: SignInType,
  show: (text: string) => void,
): Promise<string | undefined> {
  const completed: LoginCompleted[] = [];
  let onCompleted = (): void => {};
  const stopListening = client.on("account/login/completed", (params) => {
    completed.push(params);
    onCompleted();
  });
  const lost = new AbortController();
  try {
    const answer = await client.call("account/login/start", { type });
    if (answer.type === "chatgpt") show(`Open this address in your browser to sign in: ${cleanLine(answer.authUrl)}`);
    if (answer.type === "chatgptDeviceCode")
      show(`Open ${cleanLine(answer.verificationUrl)} in a browser and enter the code ${cleanLine(answer.userCode)}`);
    const loginId = "loginId" in answer ? answer.loginId : undefined;
    const end = await new Promise<LoginCompleted>((resolve, reject) => {
      onCompleted = () => {
        const own = completed.find((params) => params.loginId == null || params.loginId === loginId);
        if (own !== undefined) resolve(own);
      };
      client.ended.addEventListener("abort", () => reject(client.ended.reason), { once: true, signal: lost.signal });
      onCompleted();
    });
    return end.success ? undefined : (end.error ?? "unknown reason");
  } finally {
    stopListening();
    lost.abort();
  }
}

/** An empty session starts over with the new model; one with a history keeps its own. */
async function restartIfEmpty(shell: Shell): Promise<void> {
  const { conversation } = shell.store;
  if (conversation.turn === undefined && (conversation.settings?.provider === "scripted" || conversation.usage === undefined))
    await startThread(shell, "fresh");
  else shell.store.note("info", "This session goes on with its own model; /new starts one with the new model");
}
