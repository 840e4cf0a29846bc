-- A member has any number of tokens, each with an end and with scopes of its own. kind says how it is shown: static (0),
-- signed (1), session (2), link (3), certificate (4), external (5). A signed token is known by its id, the others by
-- the hash of what is shown, each among its own kind only.
CREATE TABLE token_new (
    no            INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    member_no     INTEGER NOT NULL REFERENCES member (no),
    kind          INTEGER NOT NULL,
    hash          BLOB,
    label         TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    created_by_no INTEGER REFERENCES member (no),
    created_ms    INTEGER NOT NULL,
    expires_ms    INTEGER
) STRICT;
INSERT INTO token_new (id, member_no, kind, hash, label, scopes, created_ms)
SELECT 'tok_' || hex(randomblob(16)), token.member_no, 0, token.hash, '',
    CASE WHEN member.home_no IS NULL
        THEN 'messages:read messages:write channels:read channels:manage artifacts:write tasks:write context:read '
            || 'runs:write projects:manage agents:manage tokens:manage admin'
        ELSE 'messages:read messages:write channels:read channels:manage artifacts:write tasks:write context:read '
            || 'runs:write agents:manage'
    END,
    member.created_ms
FROM token
JOIN member ON member.no = token.member_no;
DROP TABLE token;
ALTER TABLE token_new RENAME TO token;
CREATE UNIQUE INDEX token_of_hash ON token (kind, hash) WHERE hash IS NOT NULL;
CREATE INDEX token_of_member ON token (member_no);
CREATE INDEX token_that_ends ON token (expires_ms) WHERE expires_ms IS NOT NULL;

-- Only people sign in with a password. It is kept as a slow hash, with its salt and its cost.
CREATE TABLE password (
    person_no INTEGER PRIMARY KEY REFERENCES member (no),
    hash      TEXT NOT NULL
) STRICT;

-- An invite is known by the hash of its code. It stays when it has ended, so that its project sees what became of it.
CREATE TABLE invite (
    no            INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    project_no    INTEGER NOT NULL REFERENCES project (no),
    code          BLOB NOT NULL UNIQUE,
    role          TEXT NOT NULL,
    label         TEXT NOT NULL,
    uses_max      INTEGER NOT NULL,
    uses          INTEGER NOT NULL,
    created_by_no INTEGER NOT NULL REFERENCES member (no),
    created_ms    INTEGER NOT NULL,
    expires_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX invite_of_project ON invite (project_no);
-- The few that are still open, among all.
CREATE INDEX open_invite ON invite (project_no, expires_ms) WHERE uses < uses_max;
