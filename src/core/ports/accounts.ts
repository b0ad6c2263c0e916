/** Port: the user's account with the model vendor: signing in and out. */
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

/** The events that clients are notified of; for one sign-in in this order: loginCompleted, then updated. */
export type AccountEvent =
  | { readonly type: "loginCompleted"; readonly params: AccountLoginCompletedNotification }
  | { readonly type: "updated"; readonly params: AccountUpdatedNotification };

/** The response to `getAuthStatus` of the older API. */
export interface AuthStatus {
  readonly authMethod: AuthMode | null;
  readonly authToken: string | null;
  readonly requiresOpenaiAuth: boolean;
}

export interface Accounts {
  read(options: { readonly refreshToken: boolean }): Promise<GetAccountResponse>;
  /**
   * Starts a sign-in; a pending one is cancelled. `events` are to be sent after the response; those of a sign-in that
   * continues in the browser arrive through `onEvent`. Contract: throws RpcError when this method is not allowed or cannot be started.
   */
  startLogin(
    params: LoginAccountParams,
    client: { readonly name: string },
  ): Promise<{ readonly response: LoginAccountResponse; readonly events: readonly AccountEvent[] }>;
  cancelLogin(loginId: string): CancelLoginAccountStatus;
  /** Removes the account locally, and revokes it at the vendor where possible. */
  logout(): Promise<readonly AccountEvent[]>;
  /** Removes the key of one provider, or of all except OpenAI; a provider selected because of its key is deselected. */
  forgetKey(provider?: string): Promise<boolean>;
  status(options: { readonly includeToken: boolean; readonly refreshToken: boolean }): Promise<AuthStatus>;
  /** Saves a report on this machine; nothing is sent. Resolves to its file. */
  keepFeedback(params: FeedbackUploadParams): Promise<string>;
  /** Writes a report to a zip file at this path, which must not exist yet; nothing is sent. */
  saveFeedback(params: FeedbackUploadParams, file: string): Promise<void>;
  onEvent(listener: (event: AccountEvent) => void): () => void;
  /** Cancels a pending sign-in. */
  close(): void;
}
