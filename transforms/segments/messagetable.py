"""Message tables: the messages that inputs and snapshots repeat become indexes into one list a segment.

An agent is sent the whole history with every run, so that in a long thread nearly all raw bytes are repetitions.
"""

from __future__ import annotations

from typing import Final

import msgspec

from schemas.records import Attachment

_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_list: Final = msgspec.json.Decoder(list[msgspec.Raw])
_encode: Final = msgspec.json.Encoder().encode


class MessageTable:
    """Each distinct JSON text of a message once, in order of first use; ``size`` is their bytes."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.size = 0
        self._index: dict[bytes, int] = {}

    def take(self, event_type: str, event: bytes) -> tuple[bytes, list[int] | None]:
        """Return a RUN_STARTED or MESSAGES_SNAPSHOT without its messages, and the indexes of these.

        An event of another shape (no list of messages, text that the fast decoder refuses) comes back as it is, with
        None.
        """
        try:
            keys = _object.decode(event)
            if event_type == "MESSAGES_SNAPSHOT":
                return self._take_list(keys)
            rest, refs = self._take_list(_object.decode(keys["input"]))
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError):
            return event, None
        keys["input"] = msgspec.Raw(rest)
        return _encode(keys), refs

    def take_attachment(self, attachment: Attachment) -> tuple[Attachment, list[int] | None]:
        """Return an attachment whose input is without its messages, and the indexes of these."""
        try:
            rest, refs = self._take_list(_object.decode(attachment.input or b""))
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError):
            return attachment, None
        return msgspec.structs.replace(attachment, input=rest), refs

    def _take_list(self, keys: dict[str, msgspec.Raw]) -> tuple[bytes, list[int]]:
        messages = _list.decode(keys["messages"])
        keys["messages"] = msgspec.Raw(b"[]")
        return _encode(keys), [self._place(bytes(message)) for message in messages]

    def _place(self, message: bytes) -> int:
        index = self._index.get(message)
        if index is None:
            index = self._index[message] = len(self.messages)
            self.messages.append(message)
            self.size += len(message)
        return index
