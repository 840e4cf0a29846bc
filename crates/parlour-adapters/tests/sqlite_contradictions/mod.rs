//! What must follow from the rows, as statements that find the opposite.

use rusqlite::Connection;

/// Each of these finds rows that contradict one another; there may be none.
const CONTRADICTIONS: &[(&str, &str)] = &[
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
        "an unread message matters as much as its message says",
        "SELECT inbox.message_no FROM inbox JOIN message ON message.no = inbox.message_no
         WHERE inbox.importance <> message.importance OR inbox.conversation_no <> message.conversation_no",
    ),
    (
        "an unread message blocks those whom its question awaits",
        "SELECT message_no FROM inbox WHERE is_blocking <> EXISTS (
             SELECT 1 FROM question_addressee
             WHERE question_addressee.member_no = inbox.agent_no
                 AND question_addressee.message_no = inbox.message_no)",
    ),
    (
        "an open question awaits those who have not ignored it",
        "SELECT member.no, question.message_no, question.expires_ms
         FROM question, json_each(question.data, '$.addressees') AS one JOIN member ON member.id = one.value
         WHERE question.state = 0 AND one.value NOT IN (
             SELECT value FROM json_each(COALESCE(question.data -> '$.ignored_by', '[]')))
         EXCEPT SELECT member_no, message_no, expires_ms FROM question_addressee",
    ),
    (
        "nobody is awaited by a question that has ended",
        "SELECT member_no, message_no, expires_ms FROM question_addressee
         EXCEPT SELECT member.no, question.message_no, question.expires_ms
         FROM question, json_each(question.data, '$.addressees') AS one JOIN member ON member.id = one.value
         WHERE question.state = 0",
    ),
    (
        "a question is as open as it says",
        "SELECT message_no FROM question WHERE (state = 0) <> (data ->> '$.state' = 'open')",
    ),
    (
        "what was removed asks nothing",
        "SELECT message.no FROM message JOIN question ON question.message_no = message.no
         WHERE message.removed_ms IS NOT NULL AND (question.state = 0 OR question.data ->> '$.options' IS NOT NULL)",
    ),
    (
        "what was seen is read, and what is read was seen",
        "SELECT delivery.message_no FROM delivery WHERE delivery.handled_ms IS NULL
             AND (delivery.state IN (3, 4)) = EXISTS (
                 SELECT 1 FROM inbox
                 WHERE inbox.agent_no = delivery.agent_no AND inbox.message_no = delivery.message_no)",
    ),
    (
        "a run is as far as it says",
        "SELECT no FROM run
         WHERE data ->> '$.state' <> CASE state WHEN 0 THEN 'running' WHEN 1 THEN 'paused' WHEN 2 THEN 'done'
             WHEN 3 THEN 'failed' ELSE 'cancelled' END",
    ),
    (
        "a run is found by what pauses it",
        "SELECT no FROM run
         WHERE COALESCE(json_array_length(data, '$.pauses'), 0)
             <> (SELECT COUNT(*) FROM run_pause WHERE run_pause.run_no = run.no)",
    ),
    (
        "a paused run is paused by something",
        "SELECT no FROM run WHERE (state = 1) <> (COALESCE(json_array_length(data, '$.pauses'), 0) > 0)",
    ),
    (
        "every run has begun, and every one that has ended has its end",
        "SELECT no FROM run WHERE
             (SELECT COUNT(*) FROM moment WHERE moment.run_no = run.no AND kind = 0) <> 1
             OR (SELECT COUNT(*) FROM moment WHERE moment.run_no = run.no AND kind BETWEEN 4 AND 6) <> (state >= 2)",
    ),
    ("every task was given", "SELECT no FROM task EXCEPT SELECT task_no FROM moment WHERE kind = 7"),
    (
        "nothing unread was removed or cannot be read",
        "SELECT inbox.message_no FROM inbox
         JOIN message ON message.no = inbox.message_no
         JOIN conversation ON conversation.no = inbox.conversation_no
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE message.removed_ms IS NOT NULL OR (access.is_private AND NOT EXISTS (
             SELECT 1 FROM conversation_member AS seat
             WHERE seat.conversation_no = access.no AND seat.member_no = inbox.agent_no))",
    ),
    (
        "a message names whom it calls",
        "SELECT member.no, message.no, message.conversation_no, conversation.project_no
         FROM message, json_each(message.extra, '$.calls')
         JOIN member ON member.id = json_each.value
         JOIN conversation ON conversation.no = message.conversation_no
         EXCEPT SELECT agent_no, message_no, conversation_no, project_no FROM call",
    ),
    (
        "nobody is called without a message that says so",
        "SELECT call.agent_no, call.message_no FROM call
         LEFT JOIN message ON message.no = call.message_no WHERE message.removed_ms IS NULL
         EXCEPT SELECT member.no, message.no FROM message, json_each(message.extra, '$.calls')
         JOIN member ON member.id = json_each.value",
    ),
    (
        "where an agent was called last follows from its calls",
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
        "a call says of its message what that says",
        "SELECT call.message_no FROM call
         JOIN message ON message.no = call.message_no
         JOIN author ON author.no = message.author_no
         LEFT JOIN member AS caller ON caller.no = author.member_no AND caller.home_no IS NOT NULL
         WHERE call.depth <> MAX(COALESCE(message.extra ->> '$.cause.depth', 0), caller.no IS NOT NULL)
             OR call.correlation_id IS NOT message.extra ->> '$.correlation_id' OR call.caller_no IS NOT caller.no",
    ),
    (
        "no call is open that nobody can answer",
        "SELECT call.message_no FROM call
         JOIN message ON message.no = call.message_no
         JOIN conversation ON conversation.no = call.conversation_no
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE call.answer_no IS NULL AND call.closed_ms IS NULL AND (message.removed_ms IS NOT NULL
             OR (access.is_private AND NOT EXISTS (
                 SELECT 1 FROM conversation_member AS seat
                 WHERE seat.conversation_no = access.no AND seat.member_no = call.agent_no)))",
    ),
    (
        "only who was called has answered",
        "SELECT call.answer_no FROM call
         LEFT JOIN message ON message.no = call.answer_no
         LEFT JOIN author ON author.no = message.author_no
         WHERE call.answer_no IS NOT NULL AND (author.member_no IS NOT call.agent_no OR call.closed_ms IS NOT NULL)",
    ),
    (
        "a call stands where its message called",
        "SELECT call.message_no FROM call
         LEFT JOIN event ON event.project_no = call.project_no AND event.offset = call.log_offset
         WHERE (event.message_no IS NOT call.message_no OR event.kind NOT IN (1, 7)) AND call.log_offset >= (
             SELECT MIN(kept.offset) FROM event AS kept WHERE kept.project_no = call.project_no)",
    ),
    (
        "who has passed has no open call",
        "SELECT event.offset FROM event
         LEFT JOIN call ON call.agent_no = event.member_no AND call.message_no = event.message_no
         WHERE event.kind = 8 AND call.closed_ms IS NULL",
    ),
    ("only agents have an engine", "SELECT no FROM member WHERE engine IS NOT NULL AND home_no IS NULL"),
    (
        "reactions are counted",
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
        "the graph finds its messages",
        "SELECT no FROM message WHERE is_linked <> (thread_no IS NOT NULL
             OR COALESCE(json_array_length(extra, '$.mentions'), 0) > 0
             OR COALESCE(json_array_length(extra, '$.artifacts'), 0) > 0)",
    ),
    (
        "search knows all messages but the removed ones",
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
        "only a text that grows is kept beside its message",
        "SELECT stream.message_no FROM stream JOIN message ON message.no = stream.message_no WHERE message.state <> 1",
    ),
    ("what was removed no longer grows", "SELECT no FROM message WHERE state = 1 AND removed_ms IS NOT NULL"),
    (
        "what still grows was neither finished nor edited",
        "SELECT message.no FROM message JOIN event ON event.message_no = message.no
         WHERE message.state = 1 AND event.kind IN (2, 7)",
    ),
    ("no invite lets in more than it says", "SELECT no FROM invite WHERE uses > uses_max"),
    ("only signed tokens are known without a hash", "SELECT no FROM token WHERE (hash IS NULL) <> (kind = 1)"),
    (
        "only people have passwords",
        "SELECT no FROM member JOIN password ON password.person_no = member.no WHERE member.home_no IS NOT NULL",
    ),
    ("every reference names a row", "SELECT 1 FROM pragma_foreign_key_check"),
];

/// The claims that do not hold.
pub(crate) fn contradictions(db: &Connection) -> Vec<&'static str> {
    let is_found = |sql: &str| db.prepare(sql).expect(sql).exists([]).expect(sql);
    CONTRADICTIONS.iter().filter(|(_, sql)| is_found(sql)).map(|(claim, _)| *claim).collect()
}
