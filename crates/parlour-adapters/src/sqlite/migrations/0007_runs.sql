-- What blocking messages ask, as JSON; state, asker and end stand beside it to be found. State: open (0), answered (1),
-- expired (2), ignored (3), withdrawn (4). asker_no is NULL when the message was written by nobody who is a member.
CREATE TABLE question (
    message_no INTEGER PRIMARY KEY REFERENCES message (no),
    project_no INTEGER NOT NULL REFERENCES project (no),
    asker_no   INTEGER REFERENCES member (no),
    state      INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    data       TEXT NOT NULL
) STRICT;
-- The few that are still open, among all.
CREATE INDEX open_question ON question (expires_ms, message_no) WHERE state = 0;
CREATE INDEX open_question_in ON question (project_no, expires_ms, message_no) WHERE state = 0;
CREATE INDEX open_question_by ON question (project_no, asker_no) WHERE state = 0;

-- From whom an answer to an open question can still come. The row goes when its member will not answer, and all rows
-- of a question go with its end.
CREATE TABLE question_addressee (
    member_no  INTEGER NOT NULL REFERENCES member (no),
    expires_ms INTEGER NOT NULL,
    message_no INTEGER NOT NULL REFERENCES message (no),
    PRIMARY KEY (member_no, expires_ms, message_no)
) STRICT, WITHOUT ROWID;

-- Turns of agents, as JSON with their pauses. State: running (0), paused (1), done (2), failed (3), cancelled (4).
CREATE TABLE run (
    no              INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    project_no      INTEGER NOT NULL REFERENCES project (no),
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    conversation_no INTEGER REFERENCES conversation (no),
    task_no         INTEGER REFERENCES task (no),
    state           INTEGER NOT NULL,
    data            TEXT NOT NULL
) STRICT;
CREATE INDEX run_of_project ON run (project_no, no);
CREATE INDEX run_of_agent ON run (agent_no, no);
CREATE INDEX run_of_task ON run (task_no, no) WHERE task_no IS NOT NULL;
CREATE INDEX run_of_agent_for ON run (task_no, agent_no, no) WHERE task_no IS NOT NULL;
-- The few that have not ended, among all.
CREATE INDEX open_run ON run (id) WHERE state < 2;
CREATE INDEX open_run_in ON run (project_no, no) WHERE state < 2;
CREATE INDEX open_run_of ON run (agent_no, no) WHERE state < 2;

-- Which messages pause which runs now.
CREATE TABLE run_pause (
    message_no INTEGER NOT NULL REFERENCES message (no),
    run_no     INTEGER NOT NULL REFERENCES run (no),
    PRIMARY KEY (message_no, run_no)
) STRICT, WITHOUT ROWID;

-- What happened in runs and to tasks, in the order of no.
CREATE TABLE moment (
    no         INTEGER PRIMARY KEY,
    run_no     INTEGER REFERENCES run (no),
    task_no    INTEGER REFERENCES task (no),
    at_ms      INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    author_no  INTEGER NOT NULL REFERENCES author (no),
    message_no INTEGER REFERENCES message (no),
    detail     TEXT
) STRICT;
CREATE INDEX moment_of_run ON moment (run_no, no) WHERE run_no IS NOT NULL;
CREATE INDEX moment_of_task ON moment (task_no, no) WHERE task_no IS NOT NULL;

-- What became of messages on their way to agents. A message that is merely stored for an agent has no row here: that
-- follows from the inbox. stored_ms is NULL when that was the moment of the message. State: stored (0), queued (1),
-- injected (2), seen (3), answered (4), expired (5), failed (6).
CREATE TABLE delivery (
    message_no  INTEGER NOT NULL REFERENCES message (no),
    agent_no    INTEGER NOT NULL REFERENCES member (no),
    reason      INTEGER NOT NULL,
    state       INTEGER NOT NULL,
    stored_ms   INTEGER,
    door        INTEGER,
    run_no      INTEGER REFERENCES run (no),
    queued_ms   INTEGER,
    injected_ms INTEGER,
    seen_ms     INTEGER,
    handled_ms  INTEGER,
    answered_ms INTEGER,
    ended_ms    INTEGER,
    answer_no   INTEGER REFERENCES message (no),
    why         TEXT,
    PRIMARY KEY (message_no, agent_no)
) STRICT, WITHOUT ROWID;
-- What a run was shown and has not gone on from.
CREATE INDEX injected_delivery ON delivery (run_no) WHERE state = 2;

-- The calls that an answer has taken, which are answered when it is complete.
CREATE INDEX call_of_answer ON call (answer_no) WHERE answer_no IS NOT NULL;

-- What agents have not read yet, by importance: a list in the order of time is merged from three. is_blocking says that
-- an open question of the message awaits this very agent. stored_ms is NULL when that was the moment of the message.
CREATE TABLE inbox_new (
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    importance      INTEGER NOT NULL,
    message_no      INTEGER NOT NULL REFERENCES message (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    reason          INTEGER NOT NULL,
    is_mention      INTEGER NOT NULL,
    is_blocking     INTEGER NOT NULL,
    stored_ms       INTEGER,
    PRIMARY KEY (agent_no, importance, message_no)
) STRICT, WITHOUT ROWID;
INSERT INTO inbox_new (agent_no, importance, message_no, conversation_no, reason, is_mention, is_blocking)
SELECT inbox.agent_no, message.importance, inbox.message_no, inbox.conversation_no, inbox.reason, inbox.is_mention, 0
FROM inbox
JOIN message ON message.no = inbox.message_no
ORDER BY 1, 2, 3;
DROP TABLE inbox;
ALTER TABLE inbox_new RENAME TO inbox;
CREATE INDEX inbox_in ON inbox (agent_no, conversation_no, importance, message_no);
CREATE INDEX mention_in_inbox ON inbox (agent_no, importance, message_no) WHERE is_mention = 1;
CREATE INDEX mention_in_inbox_in ON inbox (agent_no, conversation_no, importance, message_no) WHERE is_mention = 1;
CREATE INDEX block_in_inbox ON inbox (agent_no, importance, message_no) WHERE is_blocking = 1;

ALTER TABLE inbox_count ADD COLUMN high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox_count ADD COLUMN critical INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox_count ADD COLUMN blocking INTEGER NOT NULL DEFAULT 0;
UPDATE inbox_count
SET high = counted.high, critical = counted.critical
FROM (
    SELECT agent_no, conversation_no, SUM(importance = 1) AS high, SUM(importance = 2) AS critical
    FROM inbox
    WHERE importance > 0
    GROUP BY agent_no, conversation_no
    UNION ALL
    SELECT agent_no, 0, SUM(importance = 1), SUM(importance = 2)
    FROM inbox
    WHERE importance > 0
    GROUP BY agent_no
) AS counted
WHERE inbox_count.agent_no = counted.agent_no AND inbox_count.conversation_no = counted.conversation_no;

-- The few messages that nobody should miss, among all.
CREATE INDEX notable_message ON message (conversation_no, seq)
WHERE (importance > 0 OR blocking = 1) AND removed_ms IS NULL;

-- Blocking messages of earlier versions paused nobody, and they begin no more with it: they count as long expired.
INSERT INTO question (message_no, project_no, asker_no, state, expires_ms, data)
SELECT message.no, conversation.project_no, author.member_no, 2, message.created_ms, json_object(
    'addressees', json(COALESCE(message.extra -> '$.mentions', '[]')),
    'expires_at', strftime('%Y-%m-%dT%H:%M:%fZ', message.created_ms / 1000.0, 'unixepoch'),
    'state', 'expired',
    'closed_at', strftime('%Y-%m-%dT%H:%M:%fZ', message.created_ms / 1000.0, 'unixepoch')
)
FROM message
JOIN conversation ON conversation.no = message.conversation_no
JOIN author ON author.no = message.author_no
WHERE message.blocking = 1 AND message.removed_ms IS NULL;

-- The chronicle of a task begins when it was given.
INSERT INTO author (type, id, name, member_no)
SELECT DISTINCT member.home_no IS NOT NULL, member.id, member.name, member.no
FROM task
JOIN member ON member.id = task.data ->> '$.created_by'
WHERE true
ON CONFLICT DO NOTHING;
INSERT INTO moment (task_no, at_ms, kind, author_no, detail)
SELECT task.no, CAST(ROUND((julianday(task.data ->> '$.created_at') - 2440587.5) * 86400000.0) AS INTEGER), 7, author.no,
    task.data ->> '$.title'
FROM task
JOIN member ON member.id = task.data ->> '$.created_by'
JOIN author ON author.id = member.id AND author.name = member.name
ORDER BY task.no;

-- Who may write may ask, as it could before there was a scope for it.
UPDATE token
SET scopes = scopes || ' messages:block'
WHERE ' ' || scopes || ' ' LIKE '% messages:write %';
