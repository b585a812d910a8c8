onmessage = async ({ data }) => postMessage([data * 2, self.location.pathname, await (await fetch("/site.css")).text()]);
