"""Both ends of a tunnel through a proxy: MODE PORT USER PASSWORD. Prints how many bytes the client got until its end.

slow: the server sends 12 MiB and closes; the client reads behind it.
half: the client sends 12 MiB and says that it has said all; the server reads to that end and sends back as many.
drip: the client says that it has said all; the server sends twelve bytes, one each half second, and closes.
silent: both are silent for a while; the client sends a byte, gets one and says that it has said all; the server says nothing more and
does not close. Then "and the server" is printed where its connection does not carry what it sends after the client's end."""
import base64
import socket
import sys
import threading
import time

SIZE = 12 << 20


client_ended = threading.Event()
server_ended = threading.Event()


def serve(listener, mode):
    connection, _ = listener.accept()
    if mode == "silent":
        connection.sendall(connection.recv(1))
        connection.recv(1)
        client_ended.wait()
        try:
            for _ in range(100):
                connection.sendall(b".")
                time.sleep(0.05)
        except OSError:
            server_ended.set()
        return
    if mode == "drip":
        connection.recv(1)
        for _ in range(12):
            connection.sendall(b".")
            time.sleep(0.5)
    elif mode == "slow":
        connection.sendall(bytes(SIZE))
    else:
        count = 0
        while part := connection.recv(1 << 16):
            count += len(part)
        connection.sendall(bytes(count))
    connection.close()


def main():
    mode, port, user, password = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", 0))
    server = threading.Thread(target=serve, args=(listener, mode), daemon=True)
    server.start()
    client = socket.socket()
    client.settimeout(60)
    # Small, so that what is not read stays in the proxy.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    client.connect(("127.0.0.1", int(port)))
    target = "127.0.0.1:%d" % listener.getsockname()[1]
    given = base64.b64encode(f"{user}:{password}".encode()).decode()
    client.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nProxy-Authorization: Basic {given}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += client.recv(1)
    if mode == "half":
        client.sendall(bytes(SIZE))
        client.shutdown(socket.SHUT_WR)
    if mode == "drip":
        client.shutdown(socket.SHUT_WR)
    if mode == "silent":
        time.sleep(6)
        client.sendall(b".")
        time.sleep(1)
        client.shutdown(socket.SHUT_WR)
    count = 0
    try:
        while part := client.recv(1 << 14):
            count += len(part)
            if mode == "slow" and count % 16 == 0:
                time.sleep(0.001)
    except TimeoutError:
        print("it does not end")
        return
    except OSError:
        pass
    if mode == "silent":
        client_ended.set()
        server.join(30)
        print(count, "and the server" if server_ended.is_set() else "")
        return
    print(count)


main()
