"""``post_soon``: the message keeps its place, and shares a system call with the next."""

from __future__ import annotations

import socket

import pytest
from link_worlds import LocalWorld, Note, gather

from autograd_cli.transport import local


@pytest.fixture
def world():
    made = LocalWorld(socket.socketpair)
    yield made
    made.close()


def numbers(events):
    return [event[2].number for event in events]


def test_it_stays_here_until_the_next_message_or_poll(world):
    a, b, _ = world.links(3)
    a.post_soon(1, Note(1))
    assert b.poll(0) == []
    a.post(2, Note(7))  # to somebody else
    assert b.poll(0) == []
    a.poll(0)
    assert numbers(gather(b, 1)) == [1]


@pytest.mark.parametrize("array", [b"", b"x" * 100, b"y" * 3_000_000])
def test_it_goes_with_the_next_message_and_before_it(world, array):
    a, b = world.links(2)
    for number in range(0, 30, 3):
        a.post_soon(1, Note(number))
        a.post_soon(1, Note(number + 1))
        a.post(1, Note(number + 2), [array] if array else [])
        while len(array) > 1000 and a.poll(0):
            pass
    events = []
    while len(events) < 30:
        a.poll(0)
        events += b.poll(0)
    assert numbers(events) == list(range(30))
    assert all(bytes(e[3][0]) == array for e in events if e[3])


def test_one_write_for_both(world):
    a, b = world.links(2)
    writes = []
    (peer,) = a._peers.values()
    write = peer._write
    peer._write = lambda pieces: writes.append(len(pieces)) or write(pieces)
    a.post_soon(1, Note(1))
    a.post_soon(1, Note(2))
    a.post(1, Note(3), [b"abc"])
    assert writes == [1]
    assert numbers(gather(b, 3)) == [1, 2, 3]


def test_closing_sends_it(world):
    a, b = world.links(2)
    a.post_soon(1, Note(5))
    a.close()
    events = gather(b, 2)
    assert events[0][2].number == 5
    assert events[1][:2] == ("lost", 0)


def test_to_oneself_and_to_one_who_is_gone(world):
    a, b = world.links(2)
    a.post_soon(0, Note(1))
    assert numbers(a.poll(0)) == [1]
    b.close()
    assert gather(a, 1)[0][:2] == ("lost", 1)
    a.post_soon(1, Note(2))
    assert a.poll(0) == []


def test_a_link_that_posted_asks_before_it_sleeps(world, monkeypatch):
    """The answer that comes at once is found without waiting; and it gives up after ``AWAKE``."""
    a, b = world.links(2)
    asked = []
    monkeypatch.setattr(local, "_yield_core", lambda: asked.append(len(asked)) or (len(asked) == 3 and b.post(0, Note(9))))
    monkeypatch.setattr(local, "AWAKE", 60.0)
    a.post(1, Note(1))
    assert numbers(a.poll(None)) == [9]
    assert asked == [0, 1, 2]
    monkeypatch.setattr(local, "AWAKE", 0.0)
    a.post(1, Note(2))
    assert a.poll(0.001) == []
