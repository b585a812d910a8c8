// ------------------------------------------------------------------------------------------- the run

(async () => {
  const only = new URLSearchParams(location.search).get("only");
  const chosen = scenarios.filter(([name]) => !only || name.includes(only));
  const results = {};
  // A synchronous request stops the page, and with it the clock of a timeout, until one of the host's connections is free.
  const isTimed = ([name]) => name.includes("timeout") && !name.includes("synchronous");
  let queue;
  const running = new Set();
  const say = () => globalThis.benchStep?.([...running].join("; "));
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, run] = next;
      running.add(name);
      say();
      try {
        results[name] = await Promise.race([run(), wait(60_000).then(() => "took too long")]);
      } catch (error) {
        results[name] = `fails: ${error?.stack ?? error}`;
      }
      running.delete(name);
      say();
    }
  };
  for (const part of [chosen.filter((each) => !isTimed(each)), chosen.filter(isTimed)]) {
    queue = part;
    await Promise.all(Array.from({ length: 4 }, worker));
  }
  if (new Set(scenarios.map(([name]) => name)).size !== scenarios.length) results["names"] = "two scenarios have one name";
  benchReport(JSON.stringify(Object.fromEntries(Object.entries(results).map(([name, value]) => [name, clean(JSON.parse(JSON.stringify(value ?? null)))]))));
})();
