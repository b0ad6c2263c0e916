/** `initialize`: identifies the client and its protocol generation. */
import { invalidRequest } from "../protocol/errors.ts";
import type { initializeRequests } from "../protocol/initialize.ts";
import type { HandlersFor } from "./app.ts";
import { announceConfigWarnings } from "./config.ts";
import { introduce } from "./introduce.ts";

export const initializeHandlers: HandlersFor<typeof initializeRequests> = {
  initialize(params, { app, session, after }) {
    if (session.initialized) throw invalidRequest("Already initialized");
    const { introduction, answer } = introduce(params, app);
    Object.assign(session, introduction, { initialized: true });
    after(() => announceConfigWarnings(app, session));
    return answer;
  },
};
