//! Invariants of the database, as statements that find violations.

use rusqlite::Connection;

/// Each invariant with a statement that returns the rows that violate it.
const INVARIANTS: &[(&str, &str)] = &[
    (
        "counts of conversations follow from the inbox",
        "SELECT agent_no, conversation_no, COUNT(*), SUM(is_mention), SUM(importance = 1), SUM(importance = 2),
             SUM(is_blocking) FROM inbox GROUP BY 1, 2
         EXCEPT SELECT agent_no, conversation_no, unread, mentions, high, critical, blocking FROM inbox_count",
    ),
    (
        "no count without a row",
        "SELECT agent_no, conversation_no, unread, mentions, high, critical, blocking FROM inbox_count
         WHERE conversation_no > 0
         EXCEPT SELECT agent_no, conversation_no, COUNT(*), SUM(is_mention), SUM(importance = 1), SUM(importance = 2),
             SUM(is_blocking) FROM inbox GROUP BY 1, 2",
    ),
    (
        "totals follow from the inbox",
        "SELECT agent_no, unread, mentions, high, critical, blocking FROM inbox_count
         WHERE conversation_no = 0 AND (unread > 0 OR mentions + high + critical + blocking <> 0)
         EXCEPT SELECT agent_no, COUNT(*), SUM(is_mention), SUM(importance = 1), SUM(importance = 2), SUM(is_blocking)
         FROM inbox GROUP BY 1",
    ),
    (
        "an inbox row has the importance and conversation of its message",
        "SELECT inbox.message_no FROM inbox JOIN message ON message.no = inbox.message_no
         WHERE inbox.importance <> message.importance OR inbox.conversation_no <> message.conversation_no",
    ),
    (
        "an inbox row is blocking if its question awaits the agent",
        "SELECT message_no FROM inbox WHERE is_blocking <> EXISTS (
             SELECT 1 FROM question_addressee
             WHERE question_addressee.member_no = inbox.agent_no
                 AND question_addressee.message_no = inbox.message_no)",
    ),
    (
        "an open question awaits the addressees that have neither ignored nor handled it",
        "SELECT member.no, question.message_no, question.expires_ms
         FROM question, json_each(question.data, '$.addressees') AS one JOIN member ON member.id = one.value
         WHERE question.state = 0 AND one.value NOT IN (
             SELECT value FROM json_each(COALESCE(question.data -> '$.ignored_by', '[]'))
             UNION SELECT value FROM json_each(COALESCE(question.data -> '$.unanswered_by', '[]')))
         EXCEPT SELECT member_no, message_no, expires_ms FROM question_addressee",
    ),
    (
        "a closed question awaits no member",
        "SELECT member_no, message_no, expires_ms FROM question_addressee
         EXCEPT SELECT member.no, question.message_no, question.expires_ms
         FROM question, json_each(question.data, '$.addressees') AS one JOIN member ON member.id = one.value
         WHERE question.state = 0",
    ),
    (
        "the state column of a question equals its data",
        "SELECT message_no FROM question WHERE (state = 0) <> (data ->> '$.state' = 'open')",
    ),
    (
        "a removed message has no open question",
        "SELECT message.no FROM message JOIN question ON question.message_no = message.no
         WHERE message.removed_ms IS NOT NULL AND (question.state = 0 OR question.data ->> '$.options' IS NOT NULL)",
    ),
    (
        "a delivery is seen exactly if its message is not in the inbox",
        "SELECT delivery.message_no FROM delivery WHERE delivery.handled_ms IS NULL
             AND (delivery.state IN (3, 4)) = EXISTS (
                 SELECT 1 FROM inbox
                 WHERE inbox.agent_no = delivery.agent_no AND inbox.message_no = delivery.message_no)",
    ),
    (
        "the state column of a run equals its data",
        "SELECT no FROM run
         WHERE data ->> '$.state' <> CASE state WHEN 0 THEN 'running' WHEN 1 THEN 'paused' WHEN 2 THEN 'done'
             WHEN 3 THEN 'failed' ELSE 'cancelled' END",
    ),
    (
        "the pause rows of a run equal its data",
        "SELECT no FROM run
         WHERE COALESCE(json_array_length(data, '$.pauses'), 0)
             <> (SELECT COUNT(*) FROM run_pause WHERE run_pause.run_no = run.no)",
    ),
    (
        "exactly the paused runs have a pause",
        "SELECT no FROM run WHERE (state = 1) <> (COALESCE(json_array_length(data, '$.pauses'), 0) > 0)",
    ),
    (
        "every run has a start entry, and every ended run an end entry",
        "SELECT no FROM run WHERE
             (SELECT COUNT(*) FROM moment WHERE moment.run_no = run.no AND kind = 0) <> 1
             OR (SELECT COUNT(*) FROM moment WHERE moment.run_no = run.no AND kind BETWEEN 4 AND 6) <> (state >= 2)",
    ),
    ("every task has a creation entry", "SELECT no FROM task EXCEPT SELECT task_no FROM moment WHERE kind = 7"),
    (
        "an inbox contains no removed or unreadable message",
        "SELECT inbox.message_no FROM inbox
         JOIN message ON message.no = inbox.message_no
         JOIN conversation ON conversation.no = inbox.conversation_no
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE message.removed_ms IS NOT NULL OR (access.is_private AND NOT EXISTS (
             SELECT 1 FROM conversation_member AS own
             WHERE own.conversation_no = access.no AND own.member_no = inbox.agent_no))",
    ),
    (
        "every call in a message has a row",
        "SELECT member.no, message.no, message.conversation_no, conversation.project_no
         FROM message, json_each(message.extra, '$.calls')
         JOIN member ON member.id = json_each.value
         JOIN conversation ON conversation.no = message.conversation_no
         EXCEPT SELECT agent_no, message_no, conversation_no, project_no FROM call",
    ),
    (
        "every call row is named in its message, unless an edit closed it",
        "SELECT call.agent_no, call.message_no FROM call
         LEFT JOIN message ON message.no = call.message_no
         WHERE message.removed_ms IS NULL
             AND (message.edited_ms IS NULL OR call.closed_ms IS NULL OR call.answer_no IS NOT NULL)
         EXCEPT SELECT member.no, message.no FROM message, json_each(message.extra, '$.calls')
         JOIN member ON member.id = json_each.value",
    ),
    (
        "the last call per conversation follows from the calls",
        "SELECT * FROM (
             SELECT agent_no, conversation_no, called_ms, log_offset FROM called_place
             EXCEPT SELECT agent_no, conversation_no, called_ms, log_offset FROM call
         )
         UNION ALL
         SELECT call.agent_no, call.conversation_no, call.called_ms, call.log_offset FROM call
         LEFT JOIN called_place USING (agent_no, conversation_no)
         WHERE called_place.called_ms IS NULL
             OR (call.called_ms, call.log_offset) > (called_place.called_ms, called_place.log_offset)",
    ),
    (
        "a call has the depth, correlation id and caller of its message",
        "SELECT call.message_no FROM call
         JOIN message ON message.no = call.message_no
         JOIN author ON author.no = message.author_no
         LEFT JOIN member AS caller ON caller.no = author.member_no AND caller.home_no IS NOT NULL
         WHERE call.depth <> MAX(COALESCE(message.extra ->> '$.cause.depth', 0), caller.no IS NOT NULL)
             OR call.correlation_id IS NOT message.extra ->> '$.correlation_id' OR call.caller_no IS NOT caller.no",
    ),
    (
        "the message of an open call is readable by its agent",
        "SELECT call.message_no FROM call
         JOIN message ON message.no = call.message_no
         JOIN conversation ON conversation.no = call.conversation_no
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE call.answer_no IS NULL AND call.closed_ms IS NULL AND (message.removed_ms IS NOT NULL
             OR (access.is_private AND NOT EXISTS (
                 SELECT 1 FROM conversation_member AS own
                 WHERE own.conversation_no = access.no AND own.member_no = call.agent_no)))",
    ),
    (
        "the author of an answer is the called agent",
        "SELECT call.answer_no FROM call
         LEFT JOIN message ON message.no = call.answer_no
         LEFT JOIN author ON author.no = message.author_no
         WHERE call.answer_no IS NOT NULL AND (author.member_no IS NOT call.agent_no OR call.closed_ms IS NOT NULL)",
    ),
    (
        "a call has the log offset of its message",
        "SELECT call.message_no FROM call
         LEFT JOIN event ON event.project_no = call.project_no AND event.offset = call.log_offset
         WHERE (event.message_no IS NOT call.message_no OR event.kind NOT IN (1, 7)) AND call.log_offset >= (
             SELECT MIN(kept.offset) FROM event AS kept WHERE kept.project_no = call.project_no)",
    ),
    (
        "a passed call is closed",
        "SELECT event.offset FROM event
         LEFT JOIN call ON call.agent_no = event.member_no AND call.message_no = event.message_no
         WHERE event.kind = 8 AND call.closed_ms IS NULL",
    ),
    ("only agents have an engine", "SELECT no FROM member WHERE engine IS NOT NULL AND home_no IS NULL"),
    (
        "reaction counts follow from the reactions",
        "SELECT no FROM message
         WHERE reaction_count <> (SELECT COUNT(*) FROM reaction WHERE reaction.message_no = message.no)",
    ),
    (
        "mentions of people follow from the messages",
        "SELECT member.no, message.conversation_no, message.seq FROM message, json_each(message.extra, '$.mentions')
         JOIN member ON member.id = json_each.value WHERE member.home_no IS NULL
         EXCEPT SELECT member_no, conversation_no, seq FROM mention",
    ),
    (
        "no mention without a message",
        "SELECT member_no, conversation_no, seq FROM mention
         EXCEPT SELECT member.no, message.conversation_no, message.seq
         FROM message, json_each(message.extra, '$.mentions') JOIN member ON member.id = json_each.value",
    ),
    (
        "exactly the messages of the graph are linked",
        "SELECT no FROM message WHERE is_linked <> (thread_no IS NOT NULL
             OR COALESCE(json_array_length(extra, '$.mentions'), 0) > 0
             OR COALESCE(json_array_length(extra, '$.artifacts'), 0) > 0)",
    ),
    (
        "the text index contains all messages except removed ones",
        "SELECT no FROM message WHERE (removed_ms IS NULL) <> (no IN (SELECT id FROM message_text_docsize))",
    ),
    ("numbers have no gaps", "SELECT conversation_no FROM message GROUP BY 1 HAVING MAX(seq) <> COUNT(*)"),
    (
        "offsets have no gaps",
        "SELECT project_no FROM event GROUP BY 1 HAVING MAX(offset) - MIN(offset) + 1 <> COUNT(*)",
    ),
    (
        "a post is found by its offset",
        "SELECT message.no FROM message JOIN conversation ON conversation.no = message.conversation_no
         LEFT JOIN event ON event.project_no = conversation.project_no AND event.offset = message.log_offset
         WHERE (event.message_no IS NOT message.no OR event.kind <> 1) AND message.log_offset >= (
             SELECT MIN(kept.offset) FROM event AS kept WHERE kept.project_no = conversation.project_no)",
    ),
    (
        "only streaming messages have a saved text",
        "SELECT stream.message_no FROM stream JOIN message ON message.no = stream.message_no WHERE message.state <> 1",
    ),
    ("no removed message is streaming", "SELECT no FROM message WHERE state = 1 AND removed_ms IS NOT NULL"),
    (
        "no streaming message was finished or edited",
        "SELECT message.no FROM message JOIN event ON event.message_no = message.no
         WHERE message.state = 1 AND event.kind IN (2, 7)",
    ),
    ("no invite was used too often", "SELECT no FROM invite WHERE uses > uses_max"),
    ("exactly the signed tokens have no hash", "SELECT no FROM token WHERE (hash IS NULL) <> (kind = 1)"),
    (
        "only people have passwords",
        "SELECT no FROM member JOIN password ON password.person_no = member.no WHERE member.home_no IS NOT NULL",
    ),
    ("every foreign key references a row", "SELECT 1 FROM pragma_foreign_key_check"),
];

/// The violated invariants.
pub(crate) fn violated_invariants(db: &Connection) -> Vec<&'static str> {
    let is_found = |sql: &str| db.prepare(sql).expect(sql).exists([]).expect(sql);
    INVARIANTS.iter().filter(|(_, sql)| is_found(sql)).map(|(invariant, _)| *invariant).collect()
}
