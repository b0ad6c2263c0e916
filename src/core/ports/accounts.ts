/** Port: the user's account with the model's maker: signing in and out. */
import type {
  AccountLoginCompletedNotification,
  AccountUpdatedNotification,
  AuthMode,
  CancelLoginAccountStatus,
  FeedbackUploadParams,
  GetAccountResponse,
  LoginAccountParams,
  LoginAccountResponse,
} from "../../protocol/account.ts";

/** What clients are notified of, in this order for one sign-in: loginCompleted, then updated. */
export type AccountEvent =
  | { readonly type: "loginCompleted"; readonly params: AccountLoginCompletedNotification }
  | { readonly type: "updated"; readonly params: AccountUpdatedNotification };

/** What `getAuthStatus` of the older API answers. */
export interface AuthStatus {
  readonly authMethod: AuthMode | null;
  readonly authToken: string | null;
  readonly requiresOpenaiAuth: boolean;
}

export interface Accounts {
  read(options: { readonly refreshToken: boolean }): Promise<GetAccountResponse>;
  /**
   * Starts a sign-in; an earlier one that still waits is given up. `events` are to be sent after the answer; those of a sign-in that
   * goes on in the browser come through `onEvent`. Contract: throws RpcError when this way is not allowed or cannot be started.
   */
  startLogin(
    params: LoginAccountParams,
    client: { readonly name: string },
  ): Promise<{ readonly response: LoginAccountResponse; readonly events: readonly AccountEvent[] }>;
  cancelLogin(loginId: string): CancelLoginAccountStatus;
  /** Forgets the account here; tells its maker where it can. */
  logout(): Promise<readonly AccountEvent[]>;
  /** Forgets the key of one provider, or those of all but OpenAI; a provider that was chosen for its key is chosen no more. */
  forgetKey(provider?: string): Promise<boolean>;
  status(options: { readonly includeToken: boolean; readonly refreshToken: boolean }): Promise<AuthStatus>;
  /** Keeps a report on this machine; nothing is sent. Resolves to the file it stands in. */
  keepFeedback(params: FeedbackUploadParams): Promise<string>;
  onEvent(listener: (event: AccountEvent) => void): () => void;
  /** Gives up a sign-in that waits. */
  close(): void;
}
