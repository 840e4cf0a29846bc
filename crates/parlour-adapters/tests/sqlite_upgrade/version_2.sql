-- More members, and tokens as version 2 of the database kept them: a hash for each, and nothing else. An administrator
-- and an agent share a look, which was not refused then.

INSERT INTO member (no, id, home_no, name, name_key, is_admin, created_ms, owner_no, capabilities)
VALUES (4, 'per_root', NULL, 'Root', 'root', 1, 1735689600010, NULL, NULL),
    (5, 'agt_root', 1, 'R00t', 'root', 0, 1735689600011, 1, '[]');
INSERT INTO project_member (project_no, member_no)
VALUES (1, 5);

INSERT INTO token (hash, member_no)
VALUES (x'0101010101010101010101010101010101010101010101010101010101010101', 1),
    (x'0202020202020202020202020202020202020202020202020202020202020202', 2),
    (x'0404040404040404040404040404040404040404040404040404040404040404', 4),
    (x'0505050505050505050505050505050505050505050505050505050505050505', 4);
