#!/bin/sh
# Installs the Debian packages that the tests use: bubblewrap (sandbox), git, chromium (web page), tmux (terminal), zsh and fish (completion), ripgrep (file search), gnome-keyring with its tools and a session bus (login), postgresql (fleet).
# Installs only what is missing, and only as root with apt-get; otherwise prints what will be skipped. Never fails for that.
missing=
for pair in bwrap:bubblewrap git:git chromium:chromium tmux:tmux zsh:zsh fish:fish rg:ripgrep \
  gnome-keyring-daemon:gnome-keyring secret-tool:libsecret-tools dbus-run-session:dbus-daemon; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
if [ -z "$missing" ]; then
  echo "setup: all system packages are here"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: missing:$missing. The tests that need them will be skipped. As root on Debian: apt-get install$missing" >&2
  exit 0
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; } ||
  echo "setup: apt-get could not install$missing. The tests that need them will be skipped." >&2
exit 0
