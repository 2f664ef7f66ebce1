"""Frames: whatever way the bytes are cut, and whatever they are."""

from __future__ import annotations

import struct
import tracemalloc
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_worlds import Note, Other

from autograd_cli.errors import LimitExceeded
from autograd_cli.transport import frame
from autograd_cli.transport.frame import Framer, FrameReader, Limits, ProtocolError, lazy_memory

HEADER = msgspec.msgpack.encode(Note(1, [1, 2]))


def raw_frame(
    header: bytes = HEADER,
    sizes: tuple[int, ...] = (),
    parts: bytes = b"",
    magic: bytes = b"AGR\x01",
    header_size: int | None = None,
    count: int | None = None,
) -> bytes:
    """A frame written by hand, field by field, so that each can be wrong."""
    fixed = magic + struct.pack(
        "<II", len(header) if header_size is None else header_size, len(sizes) if count is None else count
    )
    return fixed + header + b"".join(s.to_bytes(8, "little") for s in sizes) + parts


def feed(reader: FrameReader, data: bytes, cuts: list[int] | None = None) -> list[tuple[Any, list[bytes]]]:
    """Give `data` to a reader in pieces of at most the sizes in `cuts`, over and over; the messages that came out."""
    found, at, turn = [], 0, 0
    cuts = cuts or [len(data)]
    while at < len(data):
        space = reader.space()
        assert len(space) > 0
        count = min(len(space), cuts[turn % len(cuts)], len(data) - at)
        space[:count] = data[at : at + count]
        at, turn = at + count, turn + 1
        found += [(m, [bytes(p) for p in parts]) for m, parts in reader.received(count)]
    return found


def test_layout_is_the_documented_one():
    framer = Framer(Note | Other)
    sent = b"".join(framer.encode(Note(1, [1, 2]), [np.array([1, 2], np.uint16), b""]))
    assert sent == raw_frame(sizes=(4, 0), parts=b"\x01\x00\x02\x00")


def test_small_frame_is_one_piece_and_a_large_array_is_not_copied():
    framer = Framer(Note)
    array = np.arange(100_000)
    assert len(framer.encode(Note(1), [array[:10]] * 5)) == 1
    pieces = framer.encode(Note(1), [array[:10], array, array[:10]])
    assert len(pieces) == 3
    assert np.shares_memory(np.frombuffer(pieces[1], array.dtype), array)
    assert not np.shares_memory(np.frombuffer(pieces[0][-80:], array.dtype), array)


sizes = st.one_of(st.integers(0, 40), st.integers(frame.SMALL - 2, frame.SMALL + 2), st.integers(60_000, 140_000))
notes = st.tuples(
    st.one_of(st.builds(Note, st.integers(0, 9), st.lists(st.integers(0, 9))), st.builds(Other, st.text(max_size=30))),
    st.lists(sizes, max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(notes, min_size=1, max_size=5), st.lists(st.sampled_from([1, 5, 13, 1000, 16_384, 70_000]), min_size=1))
def test_frames_come_out_as_they_went_in_however_they_are_cut(sent, cuts):
    if max(cuts) < 1000:
        cuts = [*cuts, 50_000]  # not for ever byte by byte
    framer = Framer(Note | Other)
    expected = [(m, [bytes([i + 1]) * s for i, s in enumerate(parts)]) for m, parts in sent]
    data = b"".join(b"".join(framer.encode(m, parts)) for m, parts in expected)
    reader = framer.reader()
    assert feed(reader, data, cuts) == expected
    assert not reader.in_frame


def test_every_way_to_cut_a_small_frame_in_two():
    framer = Framer(Note)
    data = b"".join(framer.encode(Note(7, "ab"), [b"xyz", b"", b"w"]))
    for at in range(1, len(data)):
        reader = framer.reader()
        assert feed(reader, data[:at]) == []
        assert reader.in_frame
        assert feed(reader, data[at:]) == [(Note(7, "ab"), [b"xyz", b"", b"w"])]
        assert not reader.in_frame


LIMITS = Limits(header=200_000, parts=100, part=1_000_000, total=1_500_000)
MALFORMED = {
    "another magic": raw_frame(magic=b"HTTP"),
    "another version": raw_frame(magic=b"AGR\x02"),
    "header too large": raw_frame(header_size=200_001),
    "header of 4 GiB": raw_frame(header_size=2**32 - 1),
    "too many parts": raw_frame(count=101),
    "2**32 parts": raw_frame(count=2**32 - 1),
    "part too large": raw_frame(sizes=(1_000_001,)),
    "part of 2**60 bytes": raw_frame(sizes=(2**60,)),
    "part of 2**64 bytes": raw_frame(sizes=(2**64 - 1,)),
    "too much together": raw_frame(sizes=(900_000, 900_000)),
    "no header": raw_frame(b""),
    "header is not MessagePack": raw_frame(b"\xc1\xc1\xc1"),
    "header cut short": raw_frame(HEADER[:-1]),
    "bytes after the header": raw_frame(HEADER + b"\x00"),
    "header is no list": raw_frame(msgspec.msgpack.encode({"a": 1})),
    "unknown type": raw_frame(msgspec.msgpack.encode([9, 1, 2])),
    "type is a word": raw_frame(msgspec.msgpack.encode(["os.system", "true"])),
    "field missing": raw_frame(msgspec.msgpack.encode([1])),
    "field too many": raw_frame(msgspec.msgpack.encode([1, 2, 3, 4])),
    "field of another type": raw_frame(msgspec.msgpack.encode([1, "x", None])),
    "text that is not UTF-8": raw_frame(b"\x92\x02\xa2\xff\xfe"),
    "nested too deep": raw_frame(b"\x93\x01\x01" + b"\x91" * 150_000 + b"\xc0"),
    "list longer than the header": raw_frame(b"\x93\x01\x01\xdd\xff\xff\xff\xff"),
    "text longer than the header": raw_frame(b"\x93\x01\x01\xdb\xff\xff\xff\xff"),
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("cuts", [None, [7]])
def test_malformed_frame_is_refused_after_the_complete_messages(name, cuts):
    framer = Framer(Note | Other, LIMITS)
    good = b"".join(framer.encode(Note(5), [b"ok"]))
    reader, found = framer.reader(), []
    found += feed(reader, good)
    with pytest.raises(ProtocolError):
        feed(reader, MALFORMED[name], cuts if len(MALFORMED[name]) < 1000 else None)
    assert found == [(Note(5), [b"ok"])]


def test_malformed_frame_in_the_same_bytes_as_a_good_one():
    framer = Framer(Note)
    data = b"".join(framer.encode(Note(5), [b"ok"])) + b"GET / HTTP/1.1"
    reader = framer.reader()
    reader.space()[: len(data)] = data
    messages = reader.received(len(data))
    assert next(messages)[0] == Note(5)
    with pytest.raises(ProtocolError, match="does not begin"):
        next(messages)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_are_refused_or_wait_and_allocate_little(noise, framed):
    asked: list[int] = []

    def allocate(size: int) -> bytearray:
        asked.append(size)
        return bytearray(size)

    reader = Framer(Note | Other, LIMITS, allocate).reader()
    try:
        feed(reader, raw_frame(noise) if framed else noise)
    except ProtocolError:
        pass
    assert sum(asked) <= LIMITS.total


frames = st.builds(
    lambda **fields: raw_frame(**fields),
    header=st.one_of(st.just(HEADER), st.binary(max_size=30)),
    sizes=st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3000), max_size=4).map(tuple),
    parts=st.binary(max_size=100),
    header_size=st.none() | st.integers(0, 2**32 - 1) | st.integers(0, 100),
    count=st.none() | st.integers(0, 2**32 - 1) | st.integers(0, 5),
)


@settings(max_examples=300, deadline=None)
@given(frames)
def test_wrong_fields_of_every_kind_are_refused_or_wait(data):
    asked: list[int] = []

    def allocate(size: int) -> bytearray:
        asked.append(size)
        return bytearray(size)

    reader = Framer(Note | Other, LIMITS, allocate).reader()
    try:
        for message, parts in feed(reader, data):
            assert isinstance(message, (Note, Other))
            assert sum(map(len, parts)) <= len(data)
    except ProtocolError:
        pass
    assert sum(asked) <= LIMITS.total


def test_an_announced_size_takes_no_memory_before_the_bytes_come():
    reader = Framer(Note).reader()
    tracemalloc.start()
    try:
        before = _resident()
        assert feed(reader, raw_frame(sizes=(4 << 30,))) == []
        assert reader.in_frame
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        assert _resident() - before < 64 << 20
    finally:
        tracemalloc.stop()


def _resident() -> int:
    """Bytes of memory in use, where the system says."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


def test_without_memory_for_a_part_the_connection_ends_not_the_program():
    def allocate(size: int) -> bytearray:
        raise MemoryError

    with pytest.raises(ProtocolError, match="no memory"):
        feed(Framer(Note, allocate=allocate).reader(), raw_frame(sizes=(100_000,)))


@pytest.mark.parametrize(
    ("message", "buffers"),
    [
        (Note(1, "x" * 200_001), []),
        (Note(1, "x" * 200_001), [b"y"]),
        (Note(1), [b""] * 101),
        (Note(1), [np.zeros(1_000_001, np.uint8)]),
        (Note(1), [np.zeros(800_000, np.uint8)] * 2),
    ],
)
def test_what_the_receiver_would_refuse_is_not_sent(message, buffers):
    with pytest.raises(LimitExceeded, match=r"too large: .* limit of"):
        Framer(Note | Other, LIMITS).encode(message, buffers)


def test_what_is_not_a_buffer_is_a_mistake_of_the_caller():
    with pytest.raises(TypeError):
        Framer(Note).encode(Note(1), [[1, 2]])


@pytest.mark.parametrize("size", [0, 1, frame.LAZY - 1, frame.LAZY, frame.LAZY + 1])
def test_lazy_memory_is_writable_zeroed_and_of_the_size(size):
    memory = lazy_memory(size)
    assert len(memory) == size
    if size:
        assert (memory[0], memory[-1]) == (0, 0)
        memory[-1] = 5
        assert memory[-1] == 5


def test_reader_decodes_into_whatever_memory_it_is_given():
    arrays: list[np.ndarray] = []

    def allocate(size: int) -> np.ndarray:
        arrays.append(np.zeros(size, np.uint8))
        return arrays[-1]

    framer = Framer(Note, allocate=allocate)
    data = b"".join(framer.encode(Note(1), [b"a" * 100_000, b"b" * 10]))
    ((_, (large, small)),) = feed(framer.reader(), data)
    assert (large, small) == (b"a" * 100_000, b"b" * 10)
    assert [a.tobytes() for a in arrays] == [b"a" * 100_000]
