-- Things are numbered inside the database; their public ids are looked up once, at the border.
-- References are declared for the reader and for foreign_key_check in tests. The store does not enforce them at
-- run time: every write looks its things up anyway.

-- A person belongs to the hub (home_no is NULL), an agent to one project.
CREATE TABLE member (
    no           INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    home_no      INTEGER REFERENCES project (no),
    name         TEXT NOT NULL,
    name_key     TEXT NOT NULL,
    is_admin     INTEGER NOT NULL,
    created_ms   INTEGER NOT NULL,
    owner_no     INTEGER REFERENCES member (no),
    capabilities TEXT,
    endpoint_url TEXT,
    instructions TEXT
) STRICT;
CREATE UNIQUE INDEX person_name ON member (name_key) WHERE home_no IS NULL;
CREATE UNIQUE INDEX agent_name ON member (home_no, name_key) WHERE home_no IS NOT NULL;
CREATE INDEX agent_of_project ON member (home_no) WHERE home_no IS NOT NULL;

CREATE TABLE token (
    hash      BLOB PRIMARY KEY,
    member_no INTEGER NOT NULL REFERENCES member (no)
) STRICT, WITHOUT ROWID;
CREATE INDEX token_of_member ON token (member_no);

CREATE TABLE project (
    no          INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL UNIQUE,
    description TEXT,
    owner_no    INTEGER NOT NULL REFERENCES member (no),
    policy      TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    epoch       TEXT NOT NULL
) STRICT;

-- People and agents alike, so that one look tells who belongs to a project.
CREATE TABLE project_member (
    project_no INTEGER NOT NULL REFERENCES project (no),
    member_no  INTEGER NOT NULL REFERENCES member (no),
    PRIMARY KEY (project_no, member_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_of_member ON project_member (member_no);

-- Channels (type 0), threads (1) and dms (2). access_no is the conversation whose privacy, members and archival
-- govern this one: the channel for a thread, the conversation itself otherwise.
CREATE TABLE conversation (
    no               INTEGER PRIMARY KEY,
    id               TEXT NOT NULL UNIQUE,
    project_no       INTEGER NOT NULL REFERENCES project (no),
    type             INTEGER NOT NULL,
    access_no        INTEGER NOT NULL REFERENCES conversation (no),
    is_private       INTEGER NOT NULL,
    created_by_no    INTEGER REFERENCES member (no),
    created_ms       INTEGER NOT NULL,
    archived_ms      INTEGER,
    name             TEXT,
    name_key         TEXT,
    topic            TEXT,
    root_no          INTEGER REFERENCES message (no),
    participants_key TEXT
) STRICT;
CREATE UNIQUE INDEX channel_name ON conversation (project_no, name_key) WHERE type = 0;
CREATE UNIQUE INDEX thread_of_message ON conversation (root_no) WHERE type = 1;
CREATE UNIQUE INDEX dm_of_participants ON conversation (project_no, participants_key) WHERE type = 2;
CREATE INDEX conversation_of_project ON conversation (project_no, type);
CREATE INDEX thread_of_channel ON conversation (access_no) WHERE type = 1;

-- Members of private channels and of dms.
CREATE TABLE conversation_member (
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    member_no       INTEGER NOT NULL REFERENCES member (no),
    PRIMARY KEY (conversation_no, member_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_of_member ON conversation_member (member_no);

CREATE TABLE subscription (
    channel_no INTEGER NOT NULL REFERENCES conversation (no),
    agent_no   INTEGER NOT NULL REFERENCES member (no),
    PRIMARY KEY (channel_no, agent_no)
) STRICT, WITHOUT ROWID;

-- Agents that have written in a thread, and the author of the message above it.
CREATE TABLE thread_agent (
    thread_no INTEGER NOT NULL REFERENCES conversation (no),
    agent_no  INTEGER NOT NULL REFERENCES member (no),
    PRIMARY KEY (thread_no, agent_no)
) STRICT, WITHOUT ROWID;

-- Authors repeat in every message, so each is written once under every name that it has carried. id is empty for
-- the hub itself.
CREATE TABLE author (
    no        INTEGER PRIMARY KEY,
    type      INTEGER NOT NULL,
    id        TEXT NOT NULL,
    name      TEXT NOT NULL,
    member_no INTEGER REFERENCES member (no),
    UNIQUE (id, type, name)
) STRICT;

-- no grows with every message of the hub: it is the order of inboxes and of the text index. A generated id is kept
-- as its 16 bytes, a client's own as text. Long columns stand last, so that the others are read without them.
CREATE TABLE message (
    no              INTEGER PRIMARY KEY,
    id              ANY NOT NULL UNIQUE,
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    seq             INTEGER NOT NULL,
    author_no       INTEGER NOT NULL REFERENCES author (no),
    log_offset      INTEGER NOT NULL,
    created_ms      INTEGER NOT NULL,
    kind            INTEGER NOT NULL,
    importance      INTEGER NOT NULL,
    blocking        INTEGER NOT NULL,
    state           INTEGER NOT NULL,
    edited_ms       INTEGER,
    removed_ms      INTEGER,
    thread_no       INTEGER REFERENCES conversation (no),
    reaction_count  INTEGER NOT NULL,
    is_linked       INTEGER NOT NULL,
    digest          BLOB NOT NULL,
    body            TEXT NOT NULL,
    extra           TEXT,
    UNIQUE (conversation_no, seq)
) STRICT;
-- Messages that stand in the graph: they open a thread, carry an artifact or mention someone.
CREATE INDEX linked_message ON message (conversation_no) WHERE is_linked = 1;

-- Removed messages are not unread, so they are counted where people have not read yet.
CREATE INDEX removed_message ON message (conversation_no, seq) WHERE removed_ms IS NOT NULL;

-- The words of the messages that were not removed, cut and folded by the core, with a word for the project.
CREATE VIRTUAL TABLE message_text USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'ascii'
);

CREATE TABLE reaction (
    no         INTEGER PRIMARY KEY,
    message_no INTEGER NOT NULL REFERENCES message (no),
    member_no  INTEGER NOT NULL REFERENCES member (no),
    emoji      TEXT NOT NULL,
    UNIQUE (message_no, member_no, emoji)
) STRICT;

-- Mentions of people; those of agents stand in their inbox.
CREATE TABLE mention (
    member_no       INTEGER NOT NULL REFERENCES member (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    seq             INTEGER NOT NULL,
    PRIMARY KEY (member_no, conversation_no, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE read_position (
    member_no       INTEGER NOT NULL REFERENCES member (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    seq             INTEGER NOT NULL,
    PRIMARY KEY (member_no, conversation_no)
) STRICT, WITHOUT ROWID;

-- What agents have not read yet. Reading takes the row away.
CREATE TABLE inbox (
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    message_no      INTEGER NOT NULL REFERENCES message (no),
    conversation_no INTEGER NOT NULL REFERENCES conversation (no),
    reason          INTEGER NOT NULL,
    is_mention      INTEGER NOT NULL,
    PRIMARY KEY (agent_no, message_no)
) STRICT, WITHOUT ROWID;

-- How many rows of the inbox an agent has in a conversation, and in all of them together (conversation_no 0).
CREATE TABLE inbox_count (
    agent_no        INTEGER NOT NULL REFERENCES member (no),
    conversation_no INTEGER NOT NULL,
    unread          INTEGER NOT NULL,
    mentions        INTEGER NOT NULL,
    PRIMARY KEY (agent_no, conversation_no)
) STRICT, WITHOUT ROWID;

-- Events about messages name the message and show it as it is when they are read; others keep their data.
-- at_ms and actor_no of a post are NULL when they are those of the message.
CREATE TABLE event (
    project_no INTEGER NOT NULL REFERENCES project (no),
    offset     INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    at_ms      INTEGER,
    actor_no   INTEGER REFERENCES author (no),
    message_no INTEGER REFERENCES message (no),
    member_no  INTEGER REFERENCES member (no),
    data       TEXT,
    PRIMARY KEY (project_no, offset)
) STRICT, WITHOUT ROWID;
-- The post itself (kind 1) is found by message.log_offset.
CREATE INDEX event_of_message ON event (message_no, offset) WHERE message_no IS NOT NULL AND kind <> 1;

CREATE TABLE task (
    no         INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    project_no INTEGER NOT NULL REFERENCES project (no),
    data       TEXT NOT NULL
) STRICT;
CREATE INDEX task_of_project ON task (project_no);

CREATE TABLE batch (
    no         INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    project_no INTEGER NOT NULL REFERENCES project (no),
    data       TEXT NOT NULL
) STRICT;
CREATE INDEX batch_of_project ON batch (project_no);

CREATE TABLE artifact (
    no              INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    project_no      INTEGER NOT NULL REFERENCES project (no),
    conversation_no INTEGER REFERENCES conversation (no),
    data            TEXT NOT NULL
) STRICT;
CREATE INDEX artifact_of_project ON artifact (project_no);
