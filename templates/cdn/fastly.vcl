# Fastly before a registry whose files are in a bucket: files come from the bucket, and what it does not have (a patch that nobody
# made yet) from `packtool serve`, which makes it. Not executed by packtool's tests.
#
# Two hosts in the service: `bucket` (the bucket, readable without credentials or by a signature that you add) and `server` (packtool
# serve), both with TLS, and an override of the host header for each. Change /packages/shop (bucket and prefix, or the prefix alone). Put
# these three subroutines into a custom VCL, or each body into a snippet of its name.

sub vcl_recv {
  #FASTLY recv
  # Answers to a question about one device, reports, and online copies of pages.
  if (req.url.path ~ "^/(v1|site)/") {
    set req.backend = F_server;
    return(pass);
  }
  if (req.method != "GET" && req.method != "HEAD" && req.method != "FASTLYPURGE") {
    error 405 "Method Not Allowed";
  }
  # Nothing is told apart by a query.
  set req.url = req.url.path;
  if (req.restarts == 0) {
    set req.backend = F_bucket;
    set req.http.X-Path = req.url.path;
    set req.url = "/packages/shop" req.url.path;
  } else {
    set req.backend = F_server;
    set req.url = req.http.X-Path;
    set req.http.Fastly-Force-Shield = "1";
  }
  return(lookup);
}

sub vcl_fetch {
  #FASTLY fetch
  if (req.backend == F_bucket && (beresp.status == 403 || beresp.status == 404) && req.restarts == 0) {
    restart;
  }
  # Files say themselves how long they may be kept. The pointer is asked for each time, and an error of today is a file in a second.
  if (beresp.status != 200 && beresp.status != 206 && beresp.status != 304) {
    return(pass);
  }
  if (!beresp.http.Cache-Control || beresp.http.Cache-Control ~ "(no-cache|no-store|private)") {
    return(pass);
  }
  return(deliver);
}

sub vcl_hash {
  #FASTLY hash
  set req.hash += req.http.host;
  set req.hash += req.url;
  return(hash);
}
