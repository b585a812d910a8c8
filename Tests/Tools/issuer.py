#!/usr/bin/env python3
"""An issuer of id tokens for CI jobs, with PyJWT: discovery document, keys, and GitHub's way to ask for a token. Prints its URL.
Two arguments are the files of a certificate for localhost and its key: it speaks TLS then.

    GET /id-token?audience=TEXT   with "Authorization: bearer job-secret", answers {"value": TOKEN}
    GET /id-token?...&ref=REF&environment=NAME   for a job of another branch or environment; empty: of none"""
import base64
import http.server
import json
import ssl
import sys
import time
import urllib.parse
import uuid

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

key = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def number(value):
    return base64.urlsafe_b64encode(value.to_bytes((value.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()


def token(issuer, audience, others):
    now = int(time.time())
    claims = {
        "iss": issuer, "aud": audience, "jti": str(uuid.uuid4()), "iat": now, "nbf": now - 300, "exp": now + 300,
        "sub": "repo:acme/shop:environment:production", "repository": "acme/shop", "repository_owner_id": "42",
        "environment": "production", "ref": "refs/heads/main", "ref_protected": "true", "run_attempt": "1",
        "workflow_ref": "acme/shop/.github/workflows/release.yml@refs/heads/main", "event_name": "push"}
    for name, value in others.items():
        if value:
            claims[name] = value
        else:
            del claims[name]
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        target = urllib.parse.urlsplit(self.path)
        issuer = f"{scheme}://{self.headers['Host']}"
        query = urllib.parse.parse_qs(target.query, keep_blank_values=True)
        others = {name: query[name][0] for name in ("ref", "environment") if name in query}
        public = key.public_key().public_numbers()
        if target.path == "/.well-known/openid-configuration":
            document = {"issuer": issuer, "jwks_uri": issuer + "/keys", "id_token_signing_alg_values_supported": ["RS256"]}
        elif target.path == "/keys":
            document = {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one", "n": number(public.n), "e": number(public.e)}]}
        elif target.path == "/id-token" and self.headers["Authorization"] == "bearer job-secret" and query.get("api-version") == ["2.0"]:
            document = {"count": 1, "value": token(issuer, query["audience"][0], others)}
        else:
            self.send_error(403)
            return
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
scheme, host = "http", "127.0.0.1"
if len(sys.argv) == 3:
    scheme, host = "https", "localhost"
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*sys.argv[1:])
    server.socket = tls.wrap_socket(server.socket, server_side=True)
print(f"{scheme}://{host}:{server.server_port}", flush=True)
server.serve_forever()
