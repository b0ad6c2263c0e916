/** `parley login`, `parley login status` and `parley logout`. */
import { loginHelp, logoutHelp } from "./help/small-helps.ts";
import { type App, withApp } from "./own-app.ts";
import { type Globals, readFlags, refuseMore, StartError, say, unknownSubcommand } from "./usage.ts";

/** Whichever model is configured: these commands are about the account that the built-in provider uses. */
const aboutTheAccount = ['model_provider="openai"'];

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, loginHelp);
  const [word] = positionals;
  if (word !== undefined && word !== "status") throw unknownSubcommand(word, ["status"]);
  refuseMore(positionals, 1);
  const overrides = [...(values.config ?? []), ...aboutTheAccount];
  return withApp(globals, overrides, async (app) => {
    if (word === "status") return showStatus(app);
    if (values["with-api-key"] === true) return saveKey(app);
    return signIn(app, values["device-auth"] === true);
  });
}

export async function logout(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, logoutHelp);
  refuseMore(positionals);
  return withApp(globals, [...(values.config ?? []), ...aboutTheAccount], async (app) => {
    const { authMethod } = await app.accounts
      .status({ includeToken: false, refreshToken: false })
      .catch(() => ({ authMethod: "unreadable" }));
    await app.accounts.logout();
    say(authMethod === null ? "Not logged in" : "Successfully logged out");
    return 0;
  });
}

async function showStatus(app: App): Promise<number> {
  const { authMethod, authToken } = await app.accounts.status({ includeToken: true, refreshToken: false });
  if (authMethod === null) {
    say("Not logged in");
    return 1;
  }
  if (authMethod === "apikey") say(`Logged in using an API key - ${masked(authToken ?? "")}`);
  else if (authMethod === "bedrockApiKey") say("Logged in to Amazon Bedrock using an API key");
  else {
    const { account } = await app.accounts.read({ refreshToken: false });
    const who = account?.type === "chatgpt" ? [account.email, `plan ${account.planType}`].filter((word) => word !== null).join(", ") : "";
    say(`Logged in using ChatGPT${who === "" ? "" : ` (${who})`}`);
  }
  return 0;
}

const masked = (key: string): string => (key.length <= 13 ? "***" : `${key.slice(0, 8)}***${key.slice(-5)}`);

async function saveKey(app: App): Promise<number> {
  if (process.stdin.isTTY)
    throw new StartError(
      "the key is read from stdin and must not stand on the command line; try: printenv OPENAI_API_KEY | parley login --with-api-key",
    );
  say("Reading API key from stdin...");
  const apiKey = (await readAll(process.stdin)).trim();
  if (apiKey === "") throw new StartError("no API key came on stdin");
  if (/\s/.test(apiKey)) throw new StartError("the API key on stdin has spaces or line ends in it");
  await app.accounts.startLogin({ type: "apiKey", apiKey }, client);
  say("Successfully logged in");
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
    say(
      `Open this address in your browser to sign in:\n\n  ${response.authUrl}\n\nOn a machine without a browser use: parley login --device-auth`,
    );
  if (response.type === "chatgptDeviceCode")
    say(
      `Open ${response.verificationUrl} in a browser and enter this code:\n\n  ${response.userCode}\n\nThe code ends in 15 minutes. Never pass it on to anybody.`,
    );
  const stop = (): void => app.accounts.close();
  process.once("SIGINT", stop);
  const event = await ended;
  process.off("SIGINT", stop);
  if (event.type !== "loginCompleted" || !event.params.success)
    throw new StartError(`not signed in: ${event.type === "loginCompleted" ? event.params.error : "unknown reason"}`);
  say("Successfully logged in");
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
