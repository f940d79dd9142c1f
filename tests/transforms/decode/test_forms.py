import json

import pytest

from transforms.decode.forms import HEAD_BYTES, Form, form_of, has_object_lines

EVENT = b'{"type":"CUSTOM","name":"n","value":{}}'
EXPORT = {"events": [{"type": "CUSTOM", "name": "n" * 50} for _ in range(5)]}


@pytest.mark.parametrize(
    ("head", "form"),
    [
        (b"", Form.EMPTY),
        (b" \n", Form.EMPTY),
        (EVENT, Form.LINES),
        (EVENT + b"\n\0\0\n", Form.LINES),
        (b"a.ndjson\0\0" + EVENT + b"\n" + EVENT + b"\n", Form.UNKNOWN),
        (b"\r\n" + EVENT + b"\r\n" + EVENT, Form.LINES),
        (b'lo"}}\n' + EVENT + b"\n", Form.LINES),
        (b'{"type":"CUST\n' + EVENT + b"\n" + EVENT, Form.LINES),
        (b'{"type":"torn', Form.LINES),
        (b"[]", Form.ARRAY),
        (b" [\n  {", Form.ARRAY),
        (b"[INFO] started\n", Form.UNKNOWN),
        (json.dumps(EXPORT, indent=2).encode(), Form.DOCUMENT),
        (b'{"events": [\n' + EVENT + b",\n" + EVENT + b"\n]}\n", Form.DOCUMENT),
        (b"data: " + EVENT + b"\n\n", Form.SSE),
        (b": ping\n\n", Form.SSE),
        (b"## title\r\ndata: x\r\n", Form.SSE),
        (b"event: message\nid: 1\ndata: {}\n", Form.SSE),
        (b"SQLite format 3\0rest", Form.SQLITE),
        (b"MIT License\n\nCopyright", Form.UNKNOWN),
        (b"\x00\x01\x02", Form.UNKNOWN),
        (EVENT.decode().encode("utf-16"), Form.UNKNOWN),
        (b"a,b\n1,2\n", Form.UNKNOWN),
        (b"null\n", Form.UNKNOWN),
    ],
)
def test_content_tells_the_form(head, form):
    assert form_of(head, is_whole=True) is form


def test_a_long_document_is_told_by_its_beginning():
    head = json.dumps({"events": [{"type": "CUSTOM", "name": "ü" * 200}] * 400}, indent=1).encode()
    assert len(head) > HEAD_BYTES
    assert form_of(head, is_whole=True) is Form.DOCUMENT
    assert form_of(head[: HEAD_BYTES + 99], is_whole=False) is Form.DOCUMENT


def test_a_first_line_beyond_every_limit_is_read_whole():
    assert form_of(b'{"events":[' + b" " * HEAD_BYTES, is_whole=False) is Form.DOCUMENT


def test_lines_of_objects_are_seen():
    assert has_object_lines(b"x\n" + EVENT)
    assert not has_object_lines(b"x\n" * 500 + EVENT)
