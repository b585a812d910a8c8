// A Cloudflare Worker before a registry whose files are in a bucket: files come from the bucket, and what it does not have (a patch that
// nobody made yet) from `packtool serve`, which makes it.
//
// In wrangler.toml:
//
//   main = "packages-cloudflare-worker.js"
//   [vars]
//   BUCKET = "https://bucket.example.com/shop"      # a bucket that can be read there, such as R2 with a custom domain, with the prefix
//   SERVER = "https://packages.example.com"         # packtool serve
//
// Cloudflare keeps a file as long as the file's Cache-Control says. packtool's tests run this file under Node, which keeps nothing.

const ofServer = /^\/($|v1\/|site\/|dashboard\/)/;

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && !ofServer.test(pathname)) {
      const answer = await fetch(new Request(env.BUCKET + pathname, request), {
        redirect: "manual",
        // An error of today is a file in a second.
        cf: { cacheEverything: true, cacheTtlByStatus: { "300-599": -1 } },
      });
      if (answer.status !== 403 && answer.status !== 404) return answer;
    }
    return fetch(new Request(env.SERVER + pathname + search, request), { redirect: "manual" });
  },
};
