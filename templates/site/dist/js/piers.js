import { ready } from "./ready.js";

// Live data first. The copy that came with the package answers when there is no network or no service.
const SERVICE = "api/piers.json";
const PACKAGED = "data/piers.json";
const PATIENCE = 4000; // milliseconds

async function load(url, signal) {
  const answer = await fetch(url, { headers: { accept: "application/json" }, signal });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.json();
}

function draw(data, note) {
  document.getElementById("source").textContent = note;
  document.getElementById("piers").replaceChildren(
    ...data.piers.map(({ name, wait }) => {
      const row = document.createElement("li");
      const left = document.createElement("span");
      const right = document.createElement("span");
      left.textContent = name;
      right.textContent = wait;
      row.append(left, right);
      return row;
    }),
  );
}

async function refresh() {
  try {
    draw(await load(SERVICE, AbortSignal.timeout(PATIENCE)), "Live from the service.");
  } catch {
    const packaged = await load(PACKAGED);
    draw(packaged, `The service cannot be reached. This list came with the app, as of ${packaged.asOf}.`);
  }
}

document.getElementById("again").addEventListener("click", refresh);
await refresh();
ready();
