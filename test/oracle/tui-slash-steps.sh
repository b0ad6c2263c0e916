# Steps for the real terminal (sourced by 02-tui-remote.sh): its commands do what they say against this server.
t() { echo "ok   $1"; }
f() { echo "FAIL $1"; scr | grep -v '^ *$' | tail -40; finish 1; }
waitfor 'Ask Codex|describe a task' 20 || f start
say 'hello tui'; waitfor 'mock reply #1: hello tui' 15 && t "a turn" || f turn
sleep 1; scr | tail -5 | grep -q warning && f "warnings are shown" || t "no warnings"
say '!echo bang-$((6*7))'; waitfor 'bang-42' 15 && t '!cmd runs in the thread' || f '!cmd'
sleep 1; say '/rename plum-thread'; waitfor 'plum-thread' 10 && t "/rename" || f /rename
sleep 1; say '/model'; waitfor 'mock-model \(current\)' 10 || f /model
key Enter; waitfor 'Model changed to mock-model' 10 && t "/model" || f "/model chosen"
sleep 0.5
say '/permissions'; waitfor 'Update Model Permissions' 10 || f /permissions
key 3; waitfor 'Enable full access' 10 || f "full access asks"
key Enter; sleep 1.5
say "CMD: touch $W/outside"; for _ in $(seq 40); do test -f "$W/outside" && break; sleep 0.2; done
test -f "$W/outside" && t "/permissions: full access counts" || f "full access"
waitfor 'mock-model' 5; sleep 1
say '/plan'; waitfor 'Plan mode' 10 && t "/plan" || f /plan
sleep 1; say '/compact'; waitfor 'Context compacted' 15 && t "/compact" || f /compact
sleep 1; say '/review'; waitfor 'Select a review preset' 10 || f /review
key 2; waitfor 'Code review finished' 20 && t "/review of uncommitted changes" || f "/review runs"
sleep 1; say '/fork'; waitfor 'Fork created' 15 && t "/fork" || f /fork
sleep 1; say 'after the fork'; waitfor 'mock reply #[0-9]+: after the fork' 15 && t "the fork goes on" || f "fork goes on"
say 'SLOW one'; waitfor 'slow slow' 10; say 'steer words'; waitfor 'Messages to be submitted' 5; key Escape
waitfor 'mock reply #[0-9]+: steer words' 15 && t "Esc interrupts and sends what was typed meanwhile" || f "steer and Esc"
sleep 1; say 'SLOW two'; sleep 2; key -l 'queued words'; sleep 0.4; key Tab; waitfor 'Queued follow-up' 5 && t "a message waits for the end of the turn" || f queue
waitfor 'mock reply #[0-9]+: queued words' 40 && t "and is sent then" || f "queue sent"
sleep 1; say '/side'; waitfor 'Ask a follow-up' 10; say 'aside'; waitfor 'mock reply #[0-9]+: aside' 10 && t "/side" || f /side
key C-c; sleep 1
say '/plan'; waitfor 'Plan mode' 10; say 'ASK'; waitfor 'Which colour' 10; sleep 0.5; key Enter; waitfor 'answers.*red' 10 && t "a question is answered" || f question
sleep 1; key BTab; sleep 1; say '/skills'; waitfor 'List skills' 5 && t "/skills" || f /skills
key Escape; sleep 0.5; say '/ps'; waitfor 'background terminals' 5 && t "/ps" || f /ps
sleep 0.5; say '/status'; waitfor 'Forked from' 5 && t "/status" || f /status
printf '[mcp_servers.notes]\ncommand = "%s"\nargs = ["%s"]\n' "$NOTES_NODE" "$NOTES_SERVER" >> "$CODEX_HOME/config.toml"
sleep 1; say '/new'; sleep 2; say '/mcp'; waitfor 'notes: connected' 20 && t "/mcp lists servers and tools" || f /mcp
echo "PASS tui-slash"
