/** Servers on this machine, for which neither proxies nor long waits make sense. */

export const isLocal = (url: string): boolean => /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|$)/.test(url);
