-- Where an agent was called last: a row for each conversation, so that those which a reader may not see are passed quickly.
CREATE TABLE called_place (
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    called_ms       INTEGER NOT NULL,
    log_offset      INTEGER NOT NULL,
    PRIMARY KEY (agent_no, conversation_no)
) STRICT, WITHOUT ROWID;
INSERT INTO called_place (agent_no, conversation_no, called_ms, log_offset)
SELECT agent_no, conversation_no, called_ms, MAX(log_offset)
FROM call
WHERE (agent_no, conversation_no, called_ms) IN (
    SELECT agent_no, conversation_no, MAX(called_ms)
    FROM call
    GROUP BY agent_no, conversation_no
)
GROUP BY agent_no, conversation_no, called_ms;
CREATE INDEX called_place_of_agent ON called_place (agent_no, called_ms, log_offset);

-- What stands beside a task: the parts of a larger one, those of one batch, and files.
CREATE INDEX task_below ON task (data ->> '$.parent_id', no) WHERE data ->> '$.parent_id' IS NOT NULL;
CREATE INDEX task_in_batch ON task (data ->> '$.batch_id', no) WHERE data ->> '$.batch_id' IS NOT NULL;
CREATE INDEX artifact_of_task ON artifact (data ->> '$.task_id', no) WHERE data ->> '$.task_id' IS NOT NULL;
CREATE INDEX artifact_in ON artifact (conversation_no, no) WHERE conversation_no IS NOT NULL;
