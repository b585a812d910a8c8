import { ready } from "./ready.js";

/** The next departure after `now`: every twenty minutes from 06:00 to 23:40. */
function nextDeparture(now) {
  const minutes = now.getHours() * 60 + now.getMinutes();
  const next = Math.max(6 * 60, (Math.floor(minutes / 20) + 1) * 20);
  const time = next > 23 * 60 + 40 ? 6 * 60 : next;
  return [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

document.getElementById("next").textContent = nextDeparture(new Date());
ready();
