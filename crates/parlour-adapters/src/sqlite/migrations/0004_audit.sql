-- The audit log: one row for the entries of each commit, in a compact form, with the hash of the chain up to the last
-- of them. What an entry says of a message, a member or a project is found under their numbers; a change there breaks
-- the chain like a change here.
CREATE TABLE audit (
    last_no INTEGER PRIMARY KEY,
    hash    BLOB NOT NULL,
    entries BLOB NOT NULL
) STRICT;

-- The texts that repeat in entries: actions, results, and surfaces with their tokens. A token's id stays here when the
-- token itself is forgotten.
CREATE TABLE audit_word (
    no   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- Nothing that was logged changes or goes away, by no statement of this program.
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
WHEN NEW.last_no <= (SELECT MAX(last_no) FROM audit)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_word_is_not_changed BEFORE UPDATE ON audit_word
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_word_is_not_deleted BEFORE DELETE ON audit_word
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
