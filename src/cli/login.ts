/** `parley login`, `parley login PROVIDER`, `parley login status` and `parley logout`. */
import { nearest } from "../lib/nearest.ts";
import { loginHelp, logoutHelp } from "./help/small-helps.ts";
import { readHidden } from "./hidden-input.ts";
import { type App, withApp } from "./own-app.ts";
import { type Globals, readFlags, refuseMore, StartError, toStderr, UsageError } from "./usage.ts";

/** Independent of the configured model: these commands are about the account that the built-in provider uses. */
const aboutTheAccount = ['model_provider="openai"'];

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, loginHelp);
  const [target] = positionals;
  refuseMore(positionals, 1);
  if (target !== undefined && target !== "status") {
    if (values["device-auth"] === true) throw new UsageError("--device-auth signs in to OpenAI alone; leave it or the provider out");
    return withApp(globals, values.config ?? [], (app) => setUp(app, target, values));
  }
  if (values.model !== undefined || values["no-check"] === true)
    throw new UsageError("--model and --no-check need a provider: parley login PROVIDER");
  const overrides = [...(values.config ?? []), ...aboutTheAccount];
  return withApp(globals, overrides, async (app) => {
    if (target === "status") return showStatus(app);
    if (values["with-api-key"] === true) return saveKey(app);
    return signIn(app, values["device-auth"] === true);
  });
}

/** Stores the key of one provider and makes it, with one of its models, the default of new sessions. */
async function setUp(
  app: App,
  id: string,
  values: { readonly model?: string | undefined; readonly "no-check"?: boolean | undefined },
): Promise<number> {
  const choices = await app.providers();
  const provider = choices.find((choice) => choice.id === id);
  if (provider === undefined) {
    const ids = ["status", ...choices.map((choice) => choice.id)];
    const meant = nearest(id, ids);
    throw new UsageError(
      `no provider '${id}'${meant === undefined ? "." : `; did you mean '${meant}'?`} Known: ${ids.slice(1).join(", ")}`,
    );
  }
  const apiKey = provider.needsKey ? await keyFor(provider.name) : "";
  const check = values["no-check"] !== true;
  if (check) toStderr(provider.isLocal ? `Looking for ${provider.name}...` : `Asking ${provider.name} for one word...`);
  const model = values.model === undefined ? {} : { model: values.model };
  const { response } = await app.accounts.startLogin({ type: "apiKey", apiKey, provider: id, check, ...model }, client);
  const chosen = response.type === "apiKey" ? response.model : undefined;
  toStderr(`${provider.name} is set up${chosen === undefined ? "" : ` with ${chosen}`}; new sessions use it.`);
  return 0;
}

async function keyFor(name: string): Promise<string> {
  const key = process.stdin.isTTY ? await readHidden(`Key for ${name} (not shown): `) : await readAll(process.stdin);
  if (key.trim() === "") throw new StartError(process.stdin.isTTY ? "no key was given" : "no API key came on stdin");
  return key.trim();
}

export async function logout(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, logoutHelp);
  refuseMore(positionals, 1);
  const [provider] = positionals;
  if (provider !== undefined)
    return withApp(globals, values.config ?? [], async (app) => {
      if (!(await app.accounts.forgetKey(provider))) throw new StartError(`no key is stored for '${provider}'`);
      toStderr(`The key for ${provider} was removed`);
      return 0;
    });
  return withApp(globals, [...(values.config ?? []), ...aboutTheAccount], async (app) => {
    const { authMethod } = await app.accounts
      .status({ includeToken: false, refreshToken: false })
      .catch(() => ({ authMethod: "unreadable" }));
    const had = await storedFor(app);
    await app.accounts.logout();
    toStderr(authMethod === null && had.length === 0 ? "Not logged in" : "Successfully logged out");
    return 0;
  });
}

async function showStatus(app: App): Promise<number> {
  const { authMethod, authToken } = await app.accounts.status({ includeToken: true, refreshToken: false });
  const others = await storedFor(app);
  for (const name of others) toStderr(`Logged in to ${name} using an API key`);
  if (authMethod === null) {
    if (others.length === 0) toStderr("Not logged in");
    return others.length === 0 ? 1 : 0;
  }
  if (authMethod === "apikey") toStderr(`Logged in using an API key - ${masked(authToken ?? "")}`);
  else if (authMethod === "bedrockApiKey") toStderr("Logged in to Amazon Bedrock using an API key");
  else {
    const { account } = await app.accounts.read({ refreshToken: false });
    const who = account?.type === "chatgpt" ? [account.email, `plan ${account.planType}`].filter((part) => part !== null).join(", ") : "";
    toStderr(`Logged in using ChatGPT${who === "" ? "" : ` (${who})`}`);
  }
  return 0;
}

/** Names of the providers other than OpenAI with stored keys. */
const storedFor = async (app: App): Promise<string[]> =>
  (await app.providers()).filter(({ hasStoredKey }) => hasStoredKey).map(({ name }) => name);

const masked = (key: string): string => (key.length <= 13 ? "***" : `${key.slice(0, 8)}***${key.slice(-5)}`);

async function saveKey(app: App): Promise<number> {
  if (process.stdin.isTTY)
    throw new StartError(
      "the key is read from stdin and must not stand on the command line; try: printenv OPENAI_API_KEY | parley login --with-api-key",
    );
  toStderr("Reading API key from stdin...");
  const apiKey = (await readAll(process.stdin)).trim();
  if (apiKey === "") throw new StartError("no API key came on stdin");
  if (/\s/.test(apiKey)) throw new StartError("the API key on stdin has spaces or line ends in it");
  await app.accounts.startLogin({ type: "apiKey", apiKey }, client);
  toStderr("Successfully logged in");
  return 0;
}

type AccountEvent = Parameters<Parameters<App["accounts"]["onEvent"]>[0]>[0];
const client = { name: "parley_cli" };

async function signIn(app: App, byDevice: boolean): Promise<number> {
  const ended = new Promise<AccountEvent>((resolve) => {
    app.accounts.onEvent((event) => {
      if (event.type === "loginCompleted") resolve(event);
    });
  });
  const { response } = await app.accounts.startLogin({ type: byDevice ? "chatgptDeviceCode" : "chatgpt" }, client);
  if (response.type === "chatgpt")
    toStderr(
      `Open this address in your browser to sign in:\n\n  ${response.authUrl}\n\nOn a machine without a browser use: parley login --device-auth`,
    );
  if (response.type === "chatgptDeviceCode")
    toStderr(
      `Open ${response.verificationUrl} in a browser and enter this code:\n\n  ${response.userCode}\n\nThe code ends in 15 minutes. Never pass it on to anybody.`,
    );
  const stop = (): void => app.accounts.close();
  process.once("SIGINT", stop);
  const event = await ended;
  process.off("SIGINT", stop);
  if (event.type !== "loginCompleted" || !event.params.success)
    throw new StartError(`not signed in: ${event.type === "loginCompleted" ? event.params.error : "unknown reason"}`);
  toStderr("Successfully logged in");
  return 0;
}

async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += chunk.toString();
    if (text.length > maxKey) throw new StartError("more came on stdin than an API key can hold");
  }
  return text;
}
const maxKey = 16 * 1024;
