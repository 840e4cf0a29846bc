-- What was kept of the growing text of a message that is still being written (state 1). It is gone when the message
-- has ended, which then holds the whole text itself.
CREATE TABLE stream (
    message_no INTEGER PRIMARY KEY REFERENCES message (no),
    text       TEXT NOT NULL,
    steps      TEXT
) STRICT;

-- The few messages that are still being written, among all.
CREATE INDEX streaming_message ON message (state) WHERE state = 1;
