/** Entries of a user's home that other programs run or trust: they must not be changed in passing when the workspace is the home itself. */
export const homeEntries: readonly string[] = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"],
  ...[".kshrc", ".cshrc", ".tcshrc", ".login", ".xprofile", ".xinitrc", ".xsession", ".inputrc", ".pam_environment", ".tmux.conf"],
  ...[".ssh", ".gnupg", ".gitconfig", ".netrc", ".npmrc", ".pypirc", ".yarnrc", ".yarnrc.yml", ".aws", ".kube", ".docker", ".claude"],
  ...[".config/git", ".config/fish", ".config/systemd", ".config/autostart", ".config/environment.d", ".local/bin", ".cargo/bin", "bin"],
  ...[".vimrc", ".config/nvim", ".emacs", ".emacs.d", ".crontab", ".local/share/applications", "Library/LaunchAgents"],
];
