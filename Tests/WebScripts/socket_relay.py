"""A WebSocket through a proxy: PORT PASSWORD CERTIFICATE. A service agrees to /socket and refuses /refused; what it got and what the client
read are printed as JSON lines. Frames are bytes here: nobody between the ends reads them."""
import base64
import json
import socket
import ssl
import sys
import threading

port, password, certificate = int(sys.argv[1]), sys.argv[2], sys.argv[3]
listener = socket.create_server(("127.0.0.1", int(sys.argv[4])))


def head_of(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = connection.recv(1)
        if not part:
            break
        head += part
    return head.decode()


def serve():
    while True:
        connection, _ = listener.accept()
        head = head_of(connection)
        print(json.dumps({"service": head}), flush=True)
        if " /v1/socket" in head:
            # The first frame comes with the head.
            connection.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Set-Cookie: s=1; Domain=127.0.0.1; Path=/v1/\r\n\r\nhello")
            while part := connection.recv(65536):
                connection.sendall(part)
        else:
            connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nsecret")
        connection.close()


def ask(path):
    grant = base64.b64encode(f"packtool:{password}".encode()).decode()
    client = socket.create_connection(("127.0.0.1", port), 20)
    client.sendall(f"CONNECT shop.package:443 HTTP/1.1\r\nHost: shop.package:443\r\nProxy-Authorization: Basic {grant}\r\n\r\n".encode())
    head_of(client)
    client = ssl.create_default_context(cafile=certificate).wrap_socket(client, server_hostname="shop.package")
    client.sendall(
        f"GET {path} HTTP/1.1\r\nHost: shop.package\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://shop.package\r\n"
        "Cookie: csrf=1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
    return client, head_of(client)


threading.Thread(target=serve, daemon=True).start()
client, head = ask("/api/socket?room=1")
body = b""
while len(body) < 5:
    body += client.recv(5 - len(body))
sent = bytes(range(256)) * 4096
threading.Thread(target=client.sendall, args=(sent,), daemon=True).start()
got = b""
while len(got) < len(sent):
    got += client.recv(65536)
print(json.dumps({"head": head, "first": body.decode(), "isSame": got == sent}), flush=True)
client.close()
client, head = ask("/api/refused")
rest = b""
while part := client.recv(65536):
    rest += part
print(json.dumps({"head": head, "rest": rest.decode()}), flush=True)
