-- The starts of the hub, numbered without gaps. Positions carry the tag of the start that issued them.
CREATE TABLE hub_start (
    no  INTEGER PRIMARY KEY,
    tag TEXT NOT NULL UNIQUE
) STRICT;

-- The end of a log at the beginning of a start. A start without a row found the same end as the start before it. The last
-- row before the oldest start in hub_start is kept, so start_no is not declared as a reference.
CREATE TABLE log_start (
    project_no INTEGER NOT NULL REFERENCES project (no),
    start_no   INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    PRIMARY KEY (project_no, start_no)
) STRICT, WITHOUT ROWID;
