/** `parley exec --help`. */
export function printHelp(): number {
  process.stdout.write(`Runs one turn without a person and prints the final message.

Usage: parley exec [OPTIONS] [PROMPT]
       parley exec [OPTIONS] resume <SESSION_ID | --last> [PROMPT]
       parley exec [OPTIONS] fork <SESSION_ID> [PROMPT]
       parley exec [OPTIONS] review [--uncommitted | --base BRANCH | --commit SHA] [INSTRUCTIONS]

The prompt is read from stdin when it is left out or "-"; input on stdin beside a prompt is added to it.

  --json                        One JSON event a line on stdout (also --experimental-json)
  -m, --model MODEL             The model
  -p, --profile NAME            A profile of config.toml
  -c, --config KEY=VALUE        Sets a config key; the value is TOML, or plain text when it is none
      --enable/--disable NAME   Switches a feature
      --oss                     A local model (--local-provider names the server)
  -s, --sandbox MODE            read-only, workspace-write or danger-full-access
  -C, --cd DIR                  The folder to work in
      --add-dir DIR             Another folder that may be written
  -i, --image FILE              An image for the first message (repeatable)
      --output-schema FILE      A JSON Schema for the final message
  -o, --output-last-message F   Writes the final message to a file
      --ephemeral               Stores nothing
      --skip-git-repo-check     Runs outside a git repository too
      --color WHEN              always, never or auto
      --dangerously-bypass-approvals-and-sandbox   No sandbox and no questions

Exit codes: 0 the turn completed, 1 it failed or could not start, 2 wrong usage.

Examples
  parley exec "explain the failing test"
  git diff | parley exec "review this" --json
  parley exec resume --last "now fix it"
`);
  return 0;
}
