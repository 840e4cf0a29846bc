-- Who was called to answer what. A call is open until it has an answer (answer_no) or was closed without one
-- (closed_ms): its agent passed, lost the conversation, or the message was removed. A message that is written piece by
-- piece calls at its end, so calls have an order of their own: the moment, and the offset of the event that called.
-- caller_no is the agent that wrote the message; NULL when a person or somebody else did.
CREATE TABLE call (
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    message_no      INTEGER NOT NULL REFERENCES message (no),
    project_no      INTEGER NOT NULL REFERENCES project (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    called_ms       INTEGER NOT NULL,
    log_offset      INTEGER NOT NULL,
    reason          INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    caller_no       INTEGER REFERENCES member (no),
    answer_no       INTEGER REFERENCES message (no),
    closed_ms       INTEGER,
    correlation_id  TEXT,
    PRIMARY KEY (agent_no, message_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_of_agent ON call (agent_no, called_ms, log_offset);
-- The few that are still open, among all.
CREATE INDEX open_call ON call (agent_no, called_ms, log_offset)
WHERE answer_no IS NULL AND closed_ms IS NULL;
CREATE INDEX open_call_in ON call (agent_no, conversation_no, called_ms, log_offset)
WHERE answer_no IS NULL AND closed_ms IS NULL;
-- What agents have set going under one correlation id.
CREATE INDEX correlated_call ON call (project_no, correlation_id, called_ms, log_offset)
WHERE correlation_id IS NOT NULL AND caller_no IS NOT NULL;

-- What answers for an agent that the hub runs itself, as JSON.
ALTER TABLE member ADD COLUMN engine TEXT;
CREATE INDEX hosted_agent ON member (id) WHERE engine IS NOT NULL;

-- People who lead projects may mention everybody at once, as they could before there was a scope for it.
UPDATE token
SET scopes = scopes || ' mentions:wide'
WHERE ' ' || scopes || ' ' LIKE '% projects:manage %' AND member_no IN (
    SELECT no
    FROM member
    WHERE home_no IS NULL
);
