"""A TCP relay that counts: counting_relay.py TARGET_PORT LOG

Listens on a free port of the loopback, which it prints. LOG is rewritten after each request with the bytes of both directions and
the request lines: everything that one update costs on the wire but the packets' own headers.
"""
import json
import os
import socket
import sys
import threading

target, log = int(sys.argv[1]), sys.argv[2]
state = {"up": 0, "down": 0, "requests": []}
lock = threading.Lock()


def note(direction, data):
    with lock:
        state[direction] += len(data)
        if direction == "up":
            state["requests"] += [
                line.decode() for line in data.split(b"\r\n") if line.startswith((b"GET ", b"HEAD ", b"POST "))]
        with open(log + ".new", "w") as file:
            json.dump(state, file)
        os.replace(log + ".new", log)


def pump(source, sink, direction):
    try:
        while data := source.recv(1 << 18):
            note(direction, data)
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
while True:
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", target))
    threading.Thread(target=pump, args=(client, server, "up"), daemon=True).start()
    threading.Thread(target=pump, args=(server, client, "down"), daemon=True).start()
