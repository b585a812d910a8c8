// What every page of the dashboard keeps (WCAG 2.2 and the dashboard's own rules). Evaluates to a list of what is wrong.
(() => {
  const faults = [];
  const say = (text, element) => faults.push(element ? `${text}: ${element.outerHTML.slice(0, 160)}` : text);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (e) => e.getClientRects().length > 0;

  // Structure.
  if (document.documentElement.lang !== "en") say("the page has no language");
  if (!document.title.trim()) say("the page has no title");
  if (all("main").length !== 1) say("there is not one main");
  if (all("h1").length !== 1) say(`there are ${all("h1").length} h1`);
  let level = 1;
  for (const heading of all("h1,h2,h3,h4,h5,h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) say("a level of headings is skipped", heading);
    level = next;
    if (!heading.textContent.trim()) say("a heading is empty", heading);
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of ids) if (ids.filter((each) => each === id).length > 1) say(`the id ${id} is there twice`);
  for (const e of all("[aria-labelledby]")) if (!document.getElementById(e.getAttribute("aria-labelledby"))) say("a label is not there", e);
  for (const e of all("[for]")) if (!document.getElementById(e.htmlFor)) say("a label is for nothing", e);

  // Names.
  const name = (e) => (e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby") ?? "")?.textContent || e.textContent).trim();
  for (const e of all("a,button,summary,nav,section,[role=region],[role=img]")) if (!name(e)) say("it has no name", e);
  for (const e of all("input:not([type=hidden]),select,textarea")) if (!e.labels?.length) say("a field has no label", e);
  for (const e of all("svg:not([role=img])")) if (e.getAttribute("aria-hidden") !== "true") say("a drawing is neither named nor hidden", e);
  for (const e of all("img")) if (!e.hasAttribute("alt")) say("an image has no text", e);
  for (const table of all("table")) {
    if (!table.caption?.textContent.trim()) say("a table has no caption", table);
    for (const e of table.querySelectorAll("th")) if (!e.scope) say("a header cell has no scope", e);
    for (const row of table.tBodies[0].rows) if (row.cells.length !== table.tHead.rows[0].cells.length) say("a row has other columns than the head", row);
  }

  // Nothing that the content policy would refuse.
  for (const e of all("script,style,[style],iframe,object,embed")) say("there is a script, style or frame", e);
  for (const e of all("*")) for (const a of e.attributes) if (a.name.startsWith("on")) say("there is a handler", e);
  for (const e of all("a[href]")) if (e.origin !== location.origin) say("a link leads elsewhere", e);

  // Narrow screens: the page itself never scrolls sideways.
  // A telephone's innerWidth grows with what sticks out; the width of the root does not.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = all("body *").filter((e) => !e.closest(".scroll,pre,svg") && e.getBoundingClientRect().right > width + 1);
    say(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${width}`, wide[0]);
  }

  // Contrast.
  const parse = (text) => {
    const found = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return { rgb: found.slice(0, 3), alpha: found[3] ?? 1 };
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.alpha > 0) return colour.rgb;
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !isShown(e)) continue;
    const style = getComputedStyle(e);
    const colour = parse(e instanceof SVGElement ? style.fill : style.color).rgb;
    const found = contrast(colour, ground(e));
    if (found < 4.5) say(`the contrast is ${found.toFixed(2)}`, e);
  }
  for (const e of all(".plot .line, .fill")) {
    const style = getComputedStyle(e);
    const colour = parse(e.classList.contains("fill") ? style.fill : style.stroke).rgb;
    const found = contrast(colour, ground(e));
    if (found < 3) say(`the contrast of a drawing is ${found.toFixed(2)}`, e);
  }
  for (const e of all("button,.button,input:not([type=hidden]),select")) {
    const box = e.getBoundingClientRect();
    if (isShown(e) && (box.height < 24 || box.width < 24)) say("a target is smaller than 24 px", e);
  }
  return faults;
})()
