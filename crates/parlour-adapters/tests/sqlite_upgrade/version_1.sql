-- A small project as version 1 of the database kept it: its policy knows nothing of streams, a channel is made without
-- naming its members, and a read mark does not say what is left.

BEGIN;
PRAGMA defer_foreign_keys = ON;

INSERT INTO member (no, id, home_no, name, name_key, is_admin, created_ms, owner_no, capabilities)
VALUES (1, 'per_mara', NULL, 'Mara', 'rnara', 0, 1735689600000, NULL, NULL),
    (2, 'agt_coder', 1, 'Coder', 'coder', 0, 1735689600000, 1, '[]'),
    (3, 'per_bela', NULL, 'Bela', 'bela', 0, 1735689600000, NULL, NULL);

INSERT INTO project (no, id, name, name_key, owner_no, policy, created_ms, epoch)
VALUES (1, 'prj_tour', 'Tour', 'tour', 1,
    '{"retention":{},"budgets":{"injection_tokens_max":1024,"pack_tokens_max":8192},"loop_limits":{"response_depth_max":3,"pair_messages_max":20,"pair_window_seconds":60,"pair_silence_seconds":60}}',
    1735689600000, 'OLDEPOCH');
INSERT INTO project_member (project_no, member_no)
VALUES (1, 1), (1, 2), (1, 3);

INSERT INTO conversation (no, id, project_no, type, access_no, is_private, created_by_no, created_ms, name, name_key)
VALUES (1, 'chn_general', 1, 0, 1, 0, 1, 1735689600001, 'general', 'general'),
    (2, 'chn_secret', 1, 0, 2, 1, 1, 1735689600002, 'secret', 'secret');
INSERT INTO conversation_member (conversation_no, member_no)
VALUES (2, 1);

INSERT INTO author (no, type, id, name, member_no)
VALUES (1, 0, 'per_mara', 'Mara', 1), (2, 0, 'per_bela', 'Bela', 3);

INSERT INTO message (no, id, conversation_no, seq, author_no, log_offset, created_ms, kind, importance, blocking, state,
    reaction_count, is_linked, digest, body, extra)
VALUES (1, 'msg_first', 1, 1, 1, 4, 1735689600006, 0, 0, 0, 0, 0, 1, x'F8C6BF1CBEBE5A03', 'hello old world',
    '{"mentions":["agt_coder"]}');
INSERT INTO message_text (rowid, words)
VALUES (1, char(0xE000) || '1 hello old world');
INSERT INTO read_position (member_no, conversation_no, seq)
VALUES (1, 1, 1), (3, 1, 1);
INSERT INTO inbox (agent_no, message_no, conversation_no, reason, is_mention)
VALUES (2, 1, 1, 3, 1);
INSERT INTO inbox_count (agent_no, conversation_no, unread, mentions)
VALUES (2, 0, 1, 1), (2, 1, 1, 1);

INSERT INTO event (project_no, offset, kind, at_ms, actor_no, message_no, member_no, data)
VALUES (1, 1, 0, 1735689600000, 1, NULL, NULL,
        '{"name":"projects.created","data":{"id":"prj_tour","name":"Tour","owner":"per_mara","policy":{"retention":{},"budgets":{"injection_tokens_max":1024,"pack_tokens_max":8192},"loop_limits":{"response_depth_max":3,"pair_messages_max":20,"pair_window_seconds":60,"pair_silence_seconds":60}},"created_at":"2025-01-01T00:00:00.000Z"}}'),
    (1, 2, 0, 1735689600001, 1, NULL, NULL,
        '{"name":"channels.created","data":{"id":"chn_general","project_id":"prj_tour","name":"general","visibility":"project","created_by":"per_mara","created_at":"2025-01-01T00:00:00.001Z"}}'),
    (1, 3, 0, 1735689600002, 1, NULL, NULL,
        '{"name":"channels.created","data":{"id":"chn_secret","project_id":"prj_tour","name":"secret","visibility":"private","created_by":"per_mara","created_at":"2025-01-01T00:00:00.002Z"}}'),
    (1, 4, 1, NULL, NULL, 1, NULL, NULL),
    (1, 5, 6, 1735689600007, 2, 1, 3, NULL);

COMMIT;
