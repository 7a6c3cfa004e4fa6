"""Sends so many bytes from the first to the second network and prints how many microseconds that took."""

import ctypes
import os
import socket
import sys
import threading
import time

total = int(sys.argv[1])


def receive(ready):
    # A thread's own network.
    with open("/run/netns/two") as network:
        if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    with socket.create_server(("10.0.0.2", 80)) as server:
        ready.set()
        connection, _ = server.accept()
        with connection:
            while connection.recv(1 << 20):
                pass


ready = threading.Event()
receiver = threading.Thread(target=receive, args=(ready,))
receiver.start()
ready.wait()
began = time.monotonic_ns()
with socket.create_connection(("10.0.0.2", 80)) as sender:
    sender.sendall(bytes(total))
    sender.shutdown(socket.SHUT_WR)
    receiver.join()
print((time.monotonic_ns() - began) // 1000)
