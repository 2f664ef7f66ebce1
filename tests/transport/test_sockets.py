"""The sockets that a coordinator makes for its workers."""

from __future__ import annotations

import os
import socket
import threading

import pytest
from link_worlds import Note, drive

from autograd_cli.errors import LimitExceeded
from autograd_cli.transport import sockets
from autograd_cli.transport.base import COORDINATOR
from autograd_cli.transport.frame import Framer
from autograd_cli.transport.local import LocalLink
from autograd_cli.transport.sockets import Mesh, make_pairs, make_room, tcp_pair

resource = pytest.importorskip("resource")


def open_files() -> int:
    """How many files this process has open."""
    return sum(_is_open(fd) for fd in range(2000))


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_mesh_joins_every_two_workers_and_the_coordinator(count):
    framer, names = Framer(Note), [f"worker{i}" for i in range(count)]
    before = open_files()
    links = []
    with Mesh(count) as mesh:
        for rank, ends in mesh.workers():
            assert sorted(ends) == [r for r in range(COORDINATOR, count) if r != rank]
            links.append(LocalLink(rank, names, {other: s.dup() for other, s in ends.items()}, framer))
        links.append(LocalLink(COORDINATOR, names, mesh.coordinator(), framer))
    for link in links:
        for other in links:
            link.post(other.rank, Note(link.rank))
    events = drive(links, {link.rank: count + 1 for link in links})
    for came in events.values():
        assert sorted(e[1] for e in came) == list(range(COORDINATOR, count))
        assert all(e[2].number == e[1] for e in came)
    for link in links:
        link.close()
    assert open_files() == before


def test_no_copy_is_left_that_would_hide_the_end_of_a_worker():
    taken = {}
    with Mesh(3) as mesh:
        for rank, ends in mesh.workers():
            taken[rank] = {other: s.dup() for other, s in ends.items()}
        mine = mesh.coordinator()
    for sock in taken[1].values():
        sock.close()
    for sock in (taken[0][1], taken[2][1], mine[1]):
        sock.settimeout(10)
        assert sock.recv(1) == b""
    for sock in [*taken[0].values(), *taken[2].values(), *mine.values()]:
        sock.close()


@pytest.mark.parametrize("count", [32, 64])
def test_few_files_are_open_at_a_time(count):
    before, most = open_files(), 0
    with Mesh(count) as mesh:
        for _ in mesh.workers():
            most = max(most, open_files() - before)
    assert most <= count * count // 4 + 2 * count
    assert open_files() == before


def test_32_workers_start_under_a_limit_of_1024_without_raising_it():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    try:
        with Mesh(32) as mesh:
            assert len([ends for _, ends in mesh.workers() if len(ends) == 32]) == 32
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (1024, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_limit_is_raised_where_it_may_be_and_else_the_error_says_so(monkeypatch):
    limits = [(256, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, new: limits.append(new))
    make_room(100)
    assert limits == [(256, 4096)]
    make_room(1000)
    assert limits[-1] == (1000 + sockets.SPARE, 4096)
    with pytest.raises(LimitExceeded, match="open files") as caught:
        make_room(5000)
    assert "fewer workers" in caught.value.hint


def test_everything_is_closed_when_starting_a_worker_fails():
    before = open_files()

    def fail_at_the_fourth():
        with Mesh(5) as mesh:
            for rank, _ in mesh.workers():
                if rank == 3:
                    raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        fail_at_the_fourth()
    assert open_files() == before


def test_pairs_are_closed_when_there_are_no_more(monkeypatch):
    made = []

    def socketpair(*args):
        if len(made) == 3:
            raise OSError("too many open files")
        made.append(original(*args))
        return made[-1]

    original = socket.socketpair
    monkeypatch.setattr(socket, "socketpair", socketpair)
    with pytest.raises(OSError, match="too many"):
        make_pairs(5)
    assert all(s.fileno() == -1 for pair in made for s in pair)


def test_pairs_without_unix_sockets_are_tcp_on_this_machine_only(monkeypatch):
    monkeypatch.delattr(socket, "AF_UNIX")
    ((near, far),) = make_pairs(1)
    with near, far:
        assert near.family == far.family == socket.AF_INET
        assert near.getpeername() == far.getsockname()
        assert near.getsockname()[0] == far.getsockname()[0] == "127.0.0.1"
        near.sendall(b"abc")
        assert far.recv(10) == b"abc"


def test_stranger_that_connects_first_is_turned_away(monkeypatch):
    strangers = []
    original = socket.create_connection

    def after_a_stranger(address):
        strangers.append(original(address))
        return original(address)

    monkeypatch.setattr(socket, "create_connection", after_a_stranger)
    near, far = tcp_pair()
    with near, far, strangers[0]:
        assert far.getpeername() == near.getsockname()
        strangers[0].settimeout(10)
        assert strangers[0].recv(1) == b""


def test_no_thread_is_started():
    before = threading.active_count()
    near, far = socket.socketpair()
    links = [LocalLink(0, ["a", "b"], {1: near}, Framer(Note)), LocalLink(1, ["a", "b"], {0: far}, Framer(Note))]
    links[0].post(1, Note(1), [bytes(5 << 20)])
    drive(links, {1: 1})
    assert threading.active_count() == before
    for link in links:
        link.close()
