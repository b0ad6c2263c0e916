/** What the panel shows while the editor does not trust the folder: why nothing runs, and how to change that. */

/** The editor's own page about trust. */
export const trustCommand = "workbench.trust.manage";

export const restrictedReason =
  "This folder is in Restricted Mode. The agent would read instructions from it and run commands in it, so it does not start before you trust the folder.";

/** Without scripts: the link runs the editor's command. */
export const restrictedPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
    <title>Parley</title>
    <style>
      body { padding: 1em; color: var(--vscode-foreground); font-family: var(--vscode-font-family); line-height: 1.5; }
      a { color: var(--vscode-textLink-foreground); }
    </style>
  </head>
  <body>
    <main>
      <h1>Restricted Mode</h1>
      <p>${restrictedReason}</p>
      <p><a href="command:${trustCommand}">Manage Workspace Trust</a></p>
    </main>
  </body>
</html>`;
