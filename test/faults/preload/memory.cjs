// Loaded into a server under test: on SIGUSR2 it allocates memory until it is stopped.
process.on("SIGUSR2", () => {
  const eaten = [];
  for (;;) eaten.push(new Array(1_000_000).fill({ a: 1 }));
});
