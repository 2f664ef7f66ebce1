"""What is particular to the links of one machine: real processes, bad peers, limits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import msgspec
import numpy as np
import pytest
from link_worlds import LocalWorld, Note, Other, drive, gather
from test_frame import HEADER, LIMITS, MALFORMED, raw_frame

from autograd_cli.errors import LimitExceeded
from autograd_cli.transport import local
from autograd_cli.transport.base import COORDINATOR
from autograd_cli.transport.frame import Framer
from autograd_cli.transport.local import LocalLink

MIB = 1 << 20
needs_fork_exec = pytest.mark.skipif(sys.platform == "win32", reason="sockets are passed by number")


@pytest.fixture
def world():
    made = LocalWorld(socket.socketpair, LIMITS)
    yield made
    made.close()


# ---- peers that send anything ----


@pytest.mark.parametrize("name", MALFORMED)
def test_peer_that_sends_a_malformed_frame_is_dropped(world, name):
    link, far = world.link_and_socket()
    far.sendall(raw_frame(sizes=(2,), parts=b"ok"))
    with_rest = MALFORMED[name]
    try:
        far.sendall(with_rest)
    except OSError:  # dropped before it had sent everything
        pass
    events = gather(link, 2)
    assert events[0] == ("message", 1, msgspec.msgpack.decode(HEADER, type=Note), [b"ok"])
    assert events[1][:2] == ("lost", 1)
    assert "not a message" in events[1][2]
    assert link.poll(None) == []
    link.post(1, Note(1))


def test_others_go_on_after_a_bad_peer(world):
    a, b, c = world.links(3)
    world.sockets[1][0].sendall(b"GET / HTTP/1.1\r\n\r\n")
    events = gather(a, 1)
    assert events[0][:2] == ("lost", 1)
    assert [e[:2] for e in gather(b, 1)] == [("lost", 0)]
    c.post(0, Note(1))
    a.post(2, Note(2))
    got = drive([a, c], {0: 1, 2: 1})
    assert got[0][0][2] == Note(1)
    assert got[2][0][2] == Note(2)


def test_frame_in_single_bytes(world):
    link, far = world.link_and_socket()
    data = raw_frame(sizes=(3,), parts=b"abc")
    for i in range(len(data)):
        assert link.poll(0) == []
        far.sendall(data[i : i + 1])
    assert [bytes(p) for p in gather(link, 1)[0][3]] == [b"abc"]


def test_end_after_half_a_header(world):
    link, far = world.link_and_socket()
    far.sendall(raw_frame()[:-1])
    far.close()
    ((kind, source, why),) = gather(link, 1)
    assert (kind, source) == ("lost", 1)
    assert "in the middle of a message" in why


def test_peer_that_stops_reading_but_sends_is_still_heard(world):
    link, far = world.link_and_socket()
    far.shutdown(socket.SHUT_RD)
    link.post(1, Note(0), [np.zeros(100_000)])
    far.sendall(raw_frame())
    assert gather(link, 1)[0][2] == Note(1, [1, 2])


def test_close_gives_up_on_one_that_never_reads(world):
    link, far = world.link_and_socket()
    for i in range(20):
        link.post(1, Note(i), [np.zeros(1_000_000, np.uint8)])
    link.close(patience=0.01)
    got = 0
    while data := far.recv(MIB):
        got += len(data)
    assert 0 < got < 20_000_000


# ---- limits and framers ----


def test_more_than_may_wait_is_refused(world, monkeypatch):
    monkeypatch.setattr(local, "MAX_QUEUED", 3 * MIB)
    link, far = world.link_and_socket()
    part = np.zeros(1_000_000, np.uint8)

    def post_for_ever():
        for i in range(20):
            link.post(1, Note(i), [part])

    with pytest.raises(LimitExceeded, match="wait to be sent to worker1"):
        post_for_ever()
    far.close()


def test_coordinator_may_have_messages_of_its_own():
    (a, b), (c, d) = socket.socketpair(), socket.socketpair()
    workers, orders = Framer(Note), Framer(Other)
    names = ["worker0", "worker1"]
    zero = LocalLink(0, names, {1: a, COORDINATOR: c}, workers, orders)
    one = LocalLink(1, names, {0: b}, workers, orders)
    boss = LocalLink(COORDINATOR, names, {0: d}, workers, orders)
    boss.post(0, Other("go"))
    assert gather(zero, 1, boss) == [("message", COORDINATOR, Other("go"), [])]
    one.post(0, Other("go"))
    assert gather(zero, 1, one)[0][:2] == ("lost", 1)
    for link in (zero, one, boss):
        link.close()


def test_small_message_takes_one_system_call_each_way():
    calls = []

    class Counting(socket.socket):
        def send(self, *args):
            calls.append("send")
            return super().send(*args)

        def sendmsg(self, *args):
            calls.append("sendmsg")
            return super().sendmsg(*args)

        def recv_into(self, *args):
            calls.append("recv")
            return super().recv_into(*args)

    def pair():
        return tuple(Counting(fileno=s.detach()) for s in socket.socketpair())

    world = LocalWorld(pair)
    a, b = world.links(2)
    a.post(1, Note(1), [np.ones((3, 3), np.float32), np.ones(100)])
    assert len(b.poll(5)) == 1
    assert calls == ["send", "recv"]
    world.close()


# ---- processes ----

ECHO = """
import socket, sys
sys.path.insert(0, {tests!r})
from link_worlds import Note, Other
from autograd_cli.transport.frame import Framer
from autograd_cli.transport.local import LocalLink
link = LocalLink(1, ["worker0", "worker1"], {{0: socket.socket(fileno={fd})}}, Framer(Note | Other))
while True:
    for event in link.poll():
        if event[0] == "lost":
            link.close()
            sys.exit(0)
        link.post(0, event[2], event[3])
"""


@pytest.fixture
def echo():
    """A link to a process that sends everything back, and that process."""
    near, far = socket.socketpair()
    code = ECHO.format(tests=os.path.dirname(__file__), fd=far.fileno())
    process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[far.fileno()])
    far.close()
    link = LocalLink(0, ["worker0", "worker1"], {1: near}, Framer(Note | Other))
    yield link, process
    process.kill()
    process.wait()
    link.close()


@needs_fork_exec
def test_arrays_come_back_from_another_process(echo):
    link, process = echo
    arrays = [np.arange(n, dtype=np.float32) for n in (0, 9, 5_000, 3 * MIB)]
    for i in range(5):
        link.post(1, Note(i), arrays)
    for i, event in enumerate(gather(link, 5)):
        assert event[2] == Note(i)
        assert all(np.array_equal(np.frombuffer(got, np.float32), a) for got, a in zip(event[3][1:], arrays[1:], strict=True))
    link.close()
    assert process.wait(60) == 0


@needs_fork_exec
@pytest.mark.parametrize("when", ["idle", "in the middle of a message"])
def test_killed_process_is_lost(echo, when):
    link, process = echo
    link.post(1, Note(0))
    assert gather(link, 1)[0][2] == Note(0)
    if when != "idle":
        os.kill(process.pid, signal.SIGSTOP)
        link.post(1, Note(1), [np.zeros(20 * MIB, np.uint8)])
    os.kill(process.pid, signal.SIGKILL)
    ((kind, source, why),) = link.poll(60)
    assert (kind, source) == ("lost", 1)
    assert "closed" in why


@needs_fork_exec
def test_stopped_process_does_not_stop_the_link(echo):
    link, process = echo
    os.kill(process.pid, signal.SIGSTOP)
    array = np.arange(2 * MIB)
    for i in range(3):
        link.post(1, Note(i), [array])
    assert link.poll(0) == []
    array[:] = 0
    os.kill(process.pid, signal.SIGCONT)
    for event in gather(link, 3):
        assert np.array_equal(np.frombuffer(event[3][0], array.dtype), np.arange(2 * MIB))
