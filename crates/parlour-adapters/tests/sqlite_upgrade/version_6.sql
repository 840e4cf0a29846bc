-- What version 6 of the database kept of a task, and of a blocking message that mattered and was not read.

INSERT INTO task (no, id, project_no, data)
VALUES (1, 'tsk_old', 1, '{"id":"tsk_old","project_id":"prj_tour","title":"An old task","status":"open",'
    || '"created_by":"per_mara","created_at":"2025-01-01T00:00:00.030Z","updated_at":"2025-01-01T00:00:00.030Z"}');

INSERT INTO message (no, id, conversation_no, seq, author_no, log_offset, created_ms, kind, importance, blocking, state,
    reaction_count, is_linked, digest, body, extra)
VALUES (3, 'msg_blocking', 1, 3, 1, 7, 1735689600031, 0, 2, 1, 0, 0, 1, x'F8C6BF1CBEBE5A05', 'stop and look',
    '{"mentions":["agt_coder"]}');
INSERT INTO message_text (rowid, words)
VALUES (3, char(0xE000) || '1 stop and look');
INSERT INTO event (project_no, offset, kind, message_no)
VALUES (1, 7, 1, 3);
INSERT INTO inbox (agent_no, message_no, conversation_no, reason, is_mention)
VALUES (2, 3, 1, 3, 1);
UPDATE inbox_count
SET unread = unread + 1, mentions = mentions + 1
WHERE agent_no = 2 AND conversation_no IN (0, 1);
