-- What an agent says differently from its project about what models see, as JSON.
ALTER TABLE member ADD COLUMN context TEXT;

-- What was given to the models of runs, in the order of no. text is NULL when a message that it shows was edited or
-- removed since. receipt is JSON; what it shows of messages and summaries stands in injection_text.
CREATE TABLE injection (
    no      INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    run_no  INTEGER NOT NULL REFERENCES run (no),
    at_ms   INTEGER NOT NULL,
    door    INTEGER NOT NULL,
    format  INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    text    TEXT
) STRICT;
CREATE INDEX injection_of_run ON injection (run_no, no);

-- What an injection shows of a message, or of a summary up to a number of a conversation; place is that of the item in the
-- receipt. The row goes when the message, or one that the summary may quote, is edited or removed.
CREATE TABLE injection_text (
    injection_no    INTEGER NOT NULL REFERENCES injection (no),
    place           INTEGER NOT NULL,
    message_no      INTEGER REFERENCES message (no),
    conversation_no INTEGER REFERENCES conversation (no),
    last_seq        INTEGER,
    text            TEXT NOT NULL,
    PRIMARY KEY (injection_no, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_message ON injection_text (message_no) WHERE message_no IS NOT NULL;
CREATE INDEX injected_summary ON injection_text (conversation_no, last_seq) WHERE conversation_no IS NOT NULL;

-- Summaries of spans of conversations, and the hash of what they were made of. no grows with every one that is kept.
CREATE TABLE summary (
    no              INTEGER PRIMARY KEY,
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    first_seq       INTEGER NOT NULL,
    last_seq        INTEGER NOT NULL,
    digest          BLOB NOT NULL,
    model           TEXT,
    text            TEXT NOT NULL,
    UNIQUE (conversation_no, first_seq, last_seq)
) STRICT;
CREATE INDEX summary_of_conversation ON summary (conversation_no, no);
