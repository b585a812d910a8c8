"""Relays a free port of the loopback to another one and counts what is on the wire, both ways, heads included.

counting_proxy.py PORT    prints its own port, then after everything that passes: REQUESTS BYTES, since the start
"""

import asyncio
import sys

counted = {"requests": 0, "bytes": 0}


async def pump(reader, writer, is_client):
    while data := await reader.read(65536):
        counted["bytes"] += len(data)
        if is_client:
            counted["requests"] += data.count(b" HTTP/1.1\r\n")
        print(counted["requests"], counted["bytes"], flush=True)
        writer.write(data)
        await writer.drain()
    writer.close()


async def relay(reader, writer):
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    await asyncio.gather(pump(reader, server_writer, True), pump(server_reader, writer, False), return_exceptions=True)


async def main():
    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
