"""What every Link promises (``base.Link``), whatever carries the bytes."""

from __future__ import annotations

from threading import Thread
from typing import Any

import numpy as np
import pytest
from link_worlds import WORLDS, LocalWorld, Note, Other, as_array, drive, gather

from autograd_cli.transport.base import COORDINATOR

MIB = 1 << 20


@pytest.fixture(params=list(WORLDS))
def world(request):
    made = LocalWorld(WORLDS[request.param])
    yield made
    made.close()


def messages(events: list[Any]) -> list[Any]:
    """The messages of events that are all messages."""
    assert {e[0] for e in events} <= {"message"}
    return [e[2] for e in events]


def test_ten_thousand_posts_arrive_in_their_order(world):
    a, b = world.links(2)
    for i in range(10_000):
        a.post(1, Note(i), [np.full(i % 5, i)] if i % 3 else [])
    events = gather(b, 10_000, a)
    assert messages(events) == [Note(i) for i in range(10_000)]
    for i in (1, 4, 9_998):
        assert np.frombuffer(events[i][3][0], int).tolist() == [i] * (i % 5)


def test_order_holds_when_large_and_small_messages_alternate(world):
    a, b = world.links(2)
    sizes = [0, 3 * MIB, 1, 20_000, 5 * MIB, 16 * 1024, 16 * 1024 + 1, 64 * 1024, 7]
    for i, size in enumerate(sizes):
        a.post(1, Note(i), [np.full(size, i, np.uint8)])
    events = gather(b, len(sizes), a)
    assert messages(events) == [Note(i) for i in range(len(sizes))]
    for i, (size, event) in enumerate(zip(sizes, events, strict=True)):
        (part,) = event[3]
        assert len(part) == size
        assert set(bytes(part)) <= {i}


def test_two_that_post_64_mib_to_each_other_both_get_it(world):
    a, b = world.links(2)
    there, back = np.arange(16 * MIB, dtype=np.float32), np.arange(16 * MIB, dtype=np.float32) * 2
    a.post(1, Note(1), [there])
    b.post(0, Note(2), [back])
    events = drive([a, b], {0: 1, 1: 1})
    assert np.array_equal(np.frombuffer(events[1][0][3][0], np.float32), there)
    assert np.array_equal(np.frombuffer(events[0][0][3][0], np.float32), back)


def test_post_returns_when_nobody_reads(world):
    a, b = world.links(2)
    arrays = [np.full(MIB, i, np.uint8) for i in range(40)]
    for i, array in enumerate(arrays):
        a.post(1, Note(i), [array])
    for event, array in zip(gather(b, 40, a), arrays, strict=True):
        assert bytes(event[3][0]) == array.tobytes()


@pytest.mark.parametrize("size", [10, 50_000, 8 * MIB])
def test_what_is_changed_after_post_does_not_reach_the_receiver(world, size):
    a, b = world.links(2)
    array = np.ones(size, np.uint8)
    a.post(1, Note(0), [array, array[: size // 2]])
    array[:] = 2
    a.post(0, Note(1), [array])
    array[:] = 3
    events = drive([a, b], {0: 1, 1: 1})
    assert [set(bytes(part)) for part in events[1][0][3]] == [{1}, {1}]
    assert set(bytes(events[0][0][3][0])) == {2}


def test_what_arrives_is_the_receivers_own(world):
    a, b = world.links(2)
    for size in (3, 40_000, 5 * MIB):
        a.post(1, Note(0), [np.zeros(size, np.uint8), np.zeros(size, np.uint8)])
        ((_, _, _, (one, two)),) = gather(b, 1, a)
        np.frombuffer(one, np.uint8)[:] = 7
        assert set(bytes(one)) == {7}
        assert set(bytes(two)) == {0}
        a.post(1, Note(0), [np.ones(size, np.uint8)])
        gather(b, 1, a)
        assert set(bytes(one)) == {7}


ARRAYS = {
    "0-d": np.array(2.5),
    "empty": np.empty((0, 3), np.float32),
    "empty_rows": np.empty((3, 0)),
    "bool": np.array([True, False, True]),
    "half": np.arange(6, dtype=np.float16).reshape(2, 3),
    "complex": np.arange(6).reshape(2, 3) * (1 + 2j),
    "transposed": np.arange(12, dtype=np.int64).reshape(3, 4).T,
    "strided": np.arange(100, dtype=np.int16)[::-3],
    "broadcast": np.broadcast_to(np.float32(3), (4, 5)),
    "read-only": np.frombuffer(b"abcd", np.uint8),
    "bytes": np.frombuffer(b"a" * 50_000, np.uint8),
    "large_complex": np.arange(3 * MIB // 16) * (1 - 1j),
    "large_transposed": np.arange(3 * MIB // 8).reshape(3, -1).T,
    "large_strided": np.arange(MIB)[::2],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_array_of_any_form_arrives_in_c_order(world, name):
    a, b = world.links(2)
    array = ARRAYS[name]
    a.post(1, Note(0), [array])
    a.post(0, Note(0), [array])
    events = drive([a, b], {0: 1, 1: 1})
    for rank in (0, 1):
        (part,) = events[rank][0][3]
        assert len(part) == array.nbytes
        assert np.array_equal(as_array(part, array), array)


def test_numpy_scalars_and_bytes_are_buffers_too(world):
    a, b = world.links(2)
    a.post(1, Note(0), [np.float64(1.5), b"xyz", bytearray(b"uv"), memoryview(b"w")])
    parts = gather(b, 1, a)[0][3]
    assert np.frombuffer(parts[0]).tolist() == [1.5]
    assert [bytes(p) for p in parts[1:]] == [b"xyz", b"uv", b"w"]


@pytest.mark.parametrize("size", [1, 20_000])
def test_more_parts_than_one_system_call_takes(world, size):
    a, b = world.links(2)
    parts = [np.full(size, i % 251, np.uint8) for i in range(2500)]
    a.post(1, Note(0), parts)
    a.post(1, Note(1))
    events = gather(b, 2, a)
    assert all(bytes(got) == part.tobytes() for got, part in zip(events[0][3], parts, strict=True))
    assert events[1][2:] == (Note(1), [])


def test_plain_data_and_the_type_of_the_message_survive(world):
    a, b = world.links(2)
    sent = [Note(-(2**63), [None, True, 1.5, "ä", ["tensor", 0]]), Other("x" * 300_000), Note(3, {"k": [1, 2]})]
    for message in sent:
        a.post(1, message)
    assert messages(gather(b, 3, a)) == sent


def test_message_to_oneself_arrives_without_any_peer(world):
    (alone,) = world.links(1)
    alone.post(0, Note(1), [np.arange(3)])
    alone.post(0, Note(2))
    assert messages(alone.poll(None)) == [Note(1), Note(2)]
    assert alone.poll(None) == []


def test_messages_to_oneself_do_not_shut_out_others(world):
    a, b = world.links(2)
    b.post(0, Note(9))
    a.post(0, Note(1))
    assert sorted(m.number for m in messages(gather(a, 2, b))) == [1, 9]


def test_poll_without_time_returns_at_once_and_leaves_nothing_behind(world):
    a, b = world.links(2)
    assert a.poll(0) == []
    assert a.poll(0.001) == []
    b.post(0, Note(1))
    assert messages(gather(a, 1, b)) == [Note(1)]
    assert a.poll(0) == []


def test_every_participant_reaches_every_other_and_the_coordinator(world):
    links = world.links(4, coordinator=True)
    for link in links:
        for other in links:
            link.post(other.rank, Note(link.rank), [np.array(other.rank)])
    events = drive(links, {link.rank: 5 for link in links})
    for rank, came in events.items():
        assert sorted(e[1] for e in came) == [COORDINATOR, 0, 1, 2, 3]
        assert all(e[2] == Note(e[1]) and np.frombuffer(e[3][0], int) == rank for e in came)


def test_loss_comes_after_everything_that_was_sent_before_it(world):
    a, b, c = world.links(3)
    for i in range(100):
        a.post(1, Note(i), [np.zeros(100)])
    a.poll(0)
    world.kill(a)
    events = gather(b, 101, c)
    assert messages(events[:-1]) == [Note(i) for i in range(100)]
    assert events[-1][:2] == ("lost", 0)
    assert "closed" in events[-1][2]
    c.post(1, Note(5))
    assert messages(gather(b, 1, c)) == [Note(5)]


def test_loss_in_the_middle_of_a_message_says_so_and_drops_it(world):
    a, b = world.links(2)
    a.post(1, Note(0))
    a.post(1, Note(1), [np.zeros(40 * MIB, np.uint8)])
    world.kill(a)
    events = gather(b, 2)
    assert messages(events[:1]) == [Note(0)]
    assert events[1][:2] == ("lost", 0)
    assert "in the middle of a message" in events[1][2]


def test_posts_to_somebody_lost_are_dropped(world):
    a, b, c = world.links(3)
    a.post(1, Note(0), [np.zeros(40 * MIB, np.uint8)])
    world.kill(b)
    for _ in range(3):
        a.post(1, Note(1), [np.zeros(3 * MIB, np.uint8)])
    assert [e[:2] for e in gather(a, 1, c)] == [("lost", 1)]
    a.post(1, Note(2), [np.zeros(MIB)])
    a.post(2, Note(3))
    assert messages(gather(c, 1, a)) == [Note(3)]
    assert a.poll(0) == []


def test_when_all_are_lost_poll_does_not_wait(world):
    a, b = world.links(2)
    world.kill(b)
    assert [e[:2] for e in gather(a, 1)] == [("lost", 1)]
    assert a.poll(None) == []


def test_unknown_rank_is_a_mistake_of_the_caller(world):
    a, _ = world.links(2)
    with pytest.raises(ValueError, match="rank 7"):
        a.post(7, Note(0))


def test_close_sends_what_waits(world):
    a, b = world.links(2)
    array = np.arange(8 * MIB)
    a.post(1, Note(0), [array])
    a.post(1, Note(1))
    closing = Thread(target=a.close)
    closing.start()
    events = gather(b, 3)
    closing.join()
    assert np.array_equal(np.frombuffer(events[0][3][0], array.dtype), array)
    assert events[1][2] == Note(1)
    assert events[2][:2] == ("lost", 0)


def test_two_that_close_with_full_queues_both_end(world):
    a, b = world.links(2)
    for link in (a, b):
        link.post(1 - link.rank, Note(0), [np.zeros(20 * MIB, np.uint8)])
    threads = [Thread(target=link.close) for link in (a, b)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_closed_link_stays_quiet(world):
    a, b = world.links(2)
    world.kill(b)
    a.close()
    a.close()
    a.post(1, Note(0))
    assert a.poll(None) == []
