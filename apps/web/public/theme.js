// Sets the chosen theme before the first paint; a file of its own because the page allows no inline script.
try {
  const chosen = JSON.parse(localStorage.getItem("parley.settings") ?? "{}").theme;
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage or a damaged entry: the system's theme holds.
}
