-- Tokens with scopes as version 4 of the database kept them, and an answer of an agent whose cause names no agents by
-- their ids.

INSERT INTO token (no, id, member_no, kind, hash, label, scopes, created_ms)
VALUES (11, 'tok_lead', 1, 0, x'1111111111111111111111111111111111111111111111111111111111111111', 'lead',
        'messages:read projects:manage', 1735689600020),
    (12, 'tok_read', 1, 0, x'1212121212121212121212121212121212121212121212121212121212121212', 'read',
        'messages:read', 1735689600021),
    (13, 'tok_agent', 2, 0, x'1313131313131313131313131313131313131313131313131313131313131313', 'odd',
        'projects:manage', 1735689600022),
    (14, 'tok_signed', 4, 1, NULL, 'signed', 'projects:manage admin', 1735689600023);

INSERT INTO author (no, type, id, name, member_no)
VALUES (3, 1, 'agt_coder', 'Coder', 2);
INSERT INTO message (no, id, conversation_no, seq, author_no, log_offset, created_ms, kind, importance, blocking, state,
    reaction_count, is_linked, digest, body, extra)
VALUES (2, 'msg_answer', 1, 2, 3, 6, 1735689600024, 1, 0, 0, 0, 0, 0, x'F8C6BF1CBEBE5A04', 'an old answer',
    '{"reply_to":"msg_first","cause":{"depth":1,"chain":["Coder"],"message_id":"msg_first"}}');
INSERT INTO message_text (rowid, words)
VALUES (2, char(0xE000) || '1 an old answer');
INSERT INTO event (project_no, offset, kind, message_no)
VALUES (1, 6, 1, 2);
