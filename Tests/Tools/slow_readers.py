#!/usr/bin/env python3
"""Clients of a TLS server that ask for a file and read no more than the first bytes of the answer, until they are killed.

    slow_readers.py PORT CERTIFICATE PATH COUNT

Prints "asked" when all have an answer."""
import socket
import ssl
import sys
import time

port, certificate, path, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
context, kept = ssl.create_default_context(cafile=certificate), []
for _ in range(count):
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    kept.append(connection)
for connection in kept:
    if connection.recv(12) != b"HTTP/1.1 200":
        sys.exit("no answer")
print("asked", flush=True)
time.sleep(600)
