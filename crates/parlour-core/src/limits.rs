//! Every limit of the product, named in one place and shown by `GET /limits`.

/// One row of the table of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name, with its unit and `_max` at the end.
    pub name: &'static str,
    /// The bound.
    pub value: usize,
    /// The description.
    pub meaning: &'static str,
}

macro_rules! limits {
    ($($name:ident = $value:expr, $meaning:literal;)+) => {
        $(#[doc = $meaning] pub const $name: usize = $value;)+

        /// All limits, in the order of this file.
        pub const TABLE: &[Limit] =
            &[$(Limit { name: stringify!($name), value: $name, meaning: $meaning }),+];
    };
}

limits! {
    ID_TAIL_CHARS_MAX = 60, "Characters of an id after its prefix.";
    NAME_CHARS_MAX = 64, "Characters of the name of a project, member or channel.";
    NAME_MARKS_MAX = 4, "Combining marks, such as accents, on one letter of a name. Burmese needs four.";
    NAME_STACKED_MARKS_MAX = 2, "Combining marks stacked above or below one letter of a name. No living script needs a third.";
    TOPIC_CHARS_MAX = 500, "Characters of a channel's topic.";
    DESCRIPTION_CHARS_MAX = 4_000, "Characters of a description.";
    INSTRUCTIONS_CHARS_MAX = 32_000, "Characters of an agent's instructions.";
    URL_CHARS_MAX = 2_000, "Characters of a URL.";
    TITLE_CHARS_MAX = 200, "Characters of a task's title or an artifact's file name.";
    MESSAGE_BODY_BYTES_MAX = 65_536, "Bytes of a message's body.";
    MESSAGE_CONTENT_BYTES_MAX = 65_536, "Bytes of a message's structured content, serialised as JSON.";
    DIALECT_DEPTH_MAX = 100, "Nesting depth of one line of a foreign format.";
    DIALECT_LINE_BYTES_MAX = 16 * 1024 * 1024, "Bytes of one line of a foreign format.";
    IMAGE_DATA_BYTES_MAX = 8 * 1024 * 1024, "Bytes of an image inside a foreign message (data URL).";
    EMBEDS_QUEUED_MAX = 100, "Embeds of one foreign session that wait for its answer. Beyond that, the oldest is emitted at once.";
    IMPORT_MESSAGES_MAX = 100, "Messages in one import request.";
    IMPORT_BODY_BYTES_MAX = 4 * 1024 * 1024, "Bytes of an import request.";
    FOREIGN_SYSTEM_CHARS_MAX = 20, "Characters of the system name in the id of a foreign author.";
    FOREIGN_AUTHOR_ID_CHARS_MAX = 256, "Characters of the id of a foreign author, including the system name.";
    MESSAGE_PREVIEW_CHARS_MAX = 160, "Characters of a message preview.";
    MESSAGE_METADATA_BYTES_MAX = 8_192, "Bytes of a message's metadata, serialised as JSON.";
    CONTEXT_BUDGET_TOKENS_MAX = 1_000_000, "Tokens that can be requested for one pack.";
    CONTEXT_QUERY_CHARS_MAX = 4_000, "Characters of the query of a pack.";
    CONTEXT_COMMAND_CHARS_MAX = 500, "Characters of the command prefix in the handles of a pack.";
    CONTEXT_TOLD_MAX = 200, "Messages listed as already known to the model in one pack request.";
    CONTEXT_TOGETHER_MAX = 50, "Additional messages answered together with the first in one pack request.";
    CONTEXT_LIST_MESSAGES_MAX = 300, "Messages of the conversation in a model list.";
    CONTEXT_CANDIDATES_MAX = 10_000, "Candidates considered for one pack.";
    CONTEXT_ITEM_CHARS_MAX = 16_000, "Characters of one candidate that are processed.";
    CONTEXT_CACHE_LEN_MAX = 20_000, "Prepared candidate texts in the cache.";
    CONTEXT_LINKS_MAX = 3, "Links shown for one candidate.";
    CONTEXT_LINE_CHARS_MAX = 1_000, "Characters shown of one line that is not prose.";
    SYSTEM_NOTICES_MAX = 20, "System notices in one pack request.";
    SYSTEM_NOTICE_CHARS_MAX = 500, "Characters of one system notice.";
    RECEIPT_ITEMS_MAX = 500, "Candidates listed in a receipt. Further ones are only counted.";
    INJECTIONS_PER_RUN_MAX = 500, "Injections stored for one run. Beyond that, the oldest are deleted.";
    SUMMARIES_PER_CONVERSATION_MAX = 1_000, "Summaries stored for one conversation. Beyond that, the oldest are deleted.";
    SUMMARY_CHARS_MAX = 4_000, "Characters of a summary of a conversation.";
    REDACTION_RULES_MAX = 50, "Redaction rules that a project can add.";
    REDACTION_MUTED_MAX = 100, "Redaction rules that a project can mute.";
    REDACTION_KIND_CHARS_MAX = 40, "Characters of the name of a redaction rule.";
    REDACTION_PATTERN_CHARS_MAX = 500, "Characters of the pattern of a redaction rule.";
    CORRELATION_ID_CHARS_MAX = 128, "Characters of a correlation id.";
    MENTIONS_MAX = 50, "Members mentioned in one message.";
    MENTION_PROBLEMS_MAX = 20, "Unknown or ambiguous names reported for one message.";
    MENTION_CANDIDATES_MAX = 5, "Candidates suggested for one unknown or ambiguous name.";
    ARTIFACTS_PER_MESSAGE_MAX = 20, "Artifacts of one message.";
    ATTACHMENTS_PER_MESSAGE_MAX = 20, "Attachments of one message.";
    CHAIN_NAMES_MAX = 64, "Names in the chain of agents that led to a message.";
    CLAIMED_DEPTH_MAX = 1_000_000, "Depth that a client can claim in the cause of its message.";
    OPTIONS_PER_QUESTION_MAX = 12, "Options of one question.";
    OPTION_ID_CHARS_MAX = 64, "Characters of the id of an option.";
    OPTION_DESCRIPTION_CHARS_MAX = 1_000, "Characters of the description of an option.";
    ANSWER_SCHEMA_BYTES_MAX = 8_192, "Bytes of the JSON Schema of an answer.";
    ANSWER_SCHEMA_PARTS_MAX = 500, "Subschemas of an answer's JSON Schema, with references resolved.";
    ANSWER_SCHEMA_DEPTH_MAX = 24, "Nesting depth of an answer's JSON Schema.";
    QUESTION_ANSWER_BYTES_MAX = 16_384, "Bytes of the answer to a question, or of its default, serialised as JSON.";
    ANSWER_PATTERN_BYTES_MAX = 64 * 1024, "Bytes of memory for one compiled pattern of an answer's JSON Schema.";
    QUESTION_SECONDS_DEFAULT = 24 * 60 * 60, "Seconds until a question expires, by default.";
    QUESTION_SECONDS_MAX = 7 * 24 * 60 * 60, "Seconds until a question expires, at most.";
    QUESTIONS_PER_ASKER_MAX = 3, "Open questions of one member in one project.";
    QUESTIONS_PER_PROJECT_MAX = 1_000, "Open questions in one project.";
    RUN_LEASE_SECONDS_MIN = 5, "Seconds of the lease of a run, at least.";
    RUN_LEASE_SECONDS_DEFAULT = 120, "Seconds of the lease of a run, by default. A run without a heartbeat for that long has failed.";
    RUN_LEASE_SECONDS_MAX = 3_600, "Seconds of the lease of a run, at most.";
    RUN_PAUSES_MAX = 8, "Messages that pause one run at once. Further ones wait for its next checkpoint.";
    RUNS_PER_AGENT_MAX = 20, "Unfinished runs of one agent.";
    RUNS_PER_PROJECT_MAX = 1_000, "Unfinished runs of one project.";
    BRIEF_CHARS_MAX = 280, "Characters of the brief of a message.";
    NUDGE_MESSAGES_MAX = 10, "Messages named in the nudge at the end of a run. Further ones are only counted.";
    DELIVERIES_PER_REPORT_MAX = 200, "Messages in one delivery report, or marked as read at once.";
    DIGEST_NAMES_MAX = 5, "Author names in the digest of one conversation.";
    DIGEST_MESSAGES_MAX = 50, "Unread messages of one conversation from which its digest takes the authors.";
    WAIT_SECONDS_MAX = 25, "Seconds of one long poll.";
    WAITERS_MAX = 10_000, "Long polls waiting at once.";
    MCP_SESSIONS_MAX = 2_000, "Open MCP sessions.";
    MCP_SESSIONS_PER_MEMBER_MAX = 50, "Open MCP sessions of one member. A further one ends the session that was idle the longest.";
    MCP_SESSION_IDLE_SECONDS = 60 * 60, "Seconds without a request after which an MCP session ends.";
    MCP_TOKENS_MAX = 2_000, "Tokens of MCP clients without a session whose run is kept in memory. Beyond that, the one idle the longest is dropped.";
    MCP_PAGE_ITEMS_MAX = 50, "Items on one page of an MCP tool or resource.";
    MCP_PAGE_ITEMS_DEFAULT = 20, "Items on one page of an MCP tool or resource, by default.";
    MCP_MESSAGE_CHARS_MAX = 1_000, "Characters of one message in a list of an MCP tool. A single message is returned whole.";
    MCP_LOOKUP_ITEMS_MAX = 2_000, "Projects, channels or members that an MCP tool searches for a name.";
    MCP_UNCONFIRMED_MESSAGES_MAX = 100, "Messages added to tool results of one MCP client that its next call has not confirmed yet.";
    MCP_RUN_LEASE_SECONDS = 15 * 60, "Seconds without a tool call after which the run of an MCP client has failed.";
    MCP_LINE_BYTES_MAX = 8 * 1024 * 1024, "Bytes of one line that `parlour mcp` reads or writes.";
    MCP_RELAY_REQUESTS_MAX = 32, "Concurrent requests of `parlour mcp`. Further lines wait.";
    CAPABILITIES_MAX = 50, "Capabilities of one agent.";
    DM_PARTICIPANTS_MAX = 20, "Participants of one DM.";
    CHANNEL_MEMBERS_MAX = 10_000, "Members of one private channel.";
    CHANNEL_SUBSCRIBERS_MAX = 1_000, "Agents subscribed to one channel.";
    PROJECT_MEMBERS_MAX = 10_000, "People in one project, and agents in one project.";
    REACTION_CHARS_MAX = 32, "Characters of one reaction.";
    REACTIONS_PER_MESSAGE_MAX = 500, "Reactions to one message, each member counted separately.";
    ARTIFACT_BYTES_MAX = 50 * 1024 * 1024, "Bytes of one artifact.";
    REQUEST_BODY_BYTES_MAX = 256 * 1024, "Bytes of a JSON request body.";
    REQUEST_ID_CHARS_MAX = 64, "Characters of a request id sent by a client.";
    REQUEST_DEPTH_MAX = 32, "Nesting depth of a JSON request.";
    REQUEST_SECONDS_MAX = 30, "Seconds until a request must be answered, except uploads and downloads.";
    HANDSHAKE_SECONDS_MAX = 10, "Seconds for a TLS handshake.";
    HEADER_SECONDS_MAX = 10, "Seconds until the head of a request must have arrived.";
    HEAD_BYTES_MAX = 16 * 1024, "Bytes of the head of a request.";
    IDLE_SECONDS_MAX = 75, "Seconds that a connection stays open between two requests.";
    BODY_SECONDS_MAX = 20, "Seconds until the next byte of a request body must have arrived.";
    WRITE_SECONDS_MAX = 15, "Seconds until a client must have read the next byte of its response.";
    STOP_SECONDS_MAX = 5, "Seconds that running requests may take after the hub was told to stop.";
    HTTP2_REQUESTS_MAX = 100, "Concurrent requests of one HTTP/2 connection.";
    HTTP2_RESETS_MAX = 20, "Consecutive requests that an HTTP/2 client can reset before the hub has handled them.";
    HTTP2_ERRORS_MAX = 1_024, "Protocol errors tolerated on one HTTP/2 connection.";
    HTTP2_PING_SECONDS = 30, "Seconds between two pings of an HTTP/2 connection.";
    UPLOAD_SECONDS_MAX = 600, "Seconds until an upload must have arrived.";
    HOSTS_MAX = 100, "Host names in the setting `hosts`.";
    HOST_CHARS_MAX = 253, "Characters of a host name.";
    ORIGINS_MAX = 100, "Origins in the setting `origins`.";
    PROXIES_MAX = 100, "Addresses and networks in the setting `proxies`.";
    FORWARDED_HOPS_MAX = 20, "Addresses evaluated in `X-Forwarded-For`, from its end.";
    CONNECTIONS_MAX = 20_000, "Open connections.";
    CONNECTIONS_PER_ADDRESS_MAX = 1_000, "Open connections of one address, by default. An IPv6 /64 counts as one address. The setting `connections_per_address` changes it.";
    TLS_RELOAD_CHECK_SECONDS = 2, "Seconds between two checks for changed TLS files.";
    PAGE_ITEMS_MAX = 200, "Items on one page of a list.";
    PAGE_ITEMS_DEFAULT = 50, "Items on one page of a list, by default.";
    EPOCH_CHARS_MAX = 32, "Characters of the epoch of a position.";
    CURSOR_CHARS_MAX = 200, "Characters of a cursor.";
    SEARCH_QUERY_CHARS_MAX = 200, "Characters of a search query.";
    SEARCH_TERMS_MAX = 16, "Words of a search query.";
    SEARCH_CANDIDATES_MAX = 2_000, "Messages examined for one page of search results.";
    FIND_WORDS_MAX = 64, "Words used to find related messages for a pack. Further words are ignored.";
    FIND_PER_WORD_MAX = 100, "Newest readable messages with one of these words that are considered.";
    FIND_CANDIDATES_MAX = 1_000, "Newest messages with one of these words that are examined.";
    GRAPH_NODES_MAX = 5_000, "Nodes in one response of the project graph.";
    GRAPH_EDGES_MAX = 20_000, "Edges in one response of the project graph.";
    GRAPH_MESSAGES_MAX = 500, "Message nodes in one response of the project graph.";
    STORE_QUEUE_LEN_MAX = 4_096, "Writes queued for the store. Further ones are refused as retryable.";
    STORE_GROUP_LEN_MAX = 512, "Writes committed with one sync of the disk.";
    STORE_PRUNE_LEN_MAX = 500, "Old events deleted by one write. The next write deletes further ones.";
    STARTS_KEPT_MAX = 10_000, "Starts of the hub whose positions can be resumed. Positions of earlier starts get a gap.";
    EVENTS_PER_READ_MAX = 1_000, "Events returned by one read of a log.";
    WATCH_QUEUE_LEN_MAX = 8_192, "Committed events queued for the fan-out. Events beyond that are read from the log later.";
    FEED_FRAMES_MAX = 4_096, "Frames of one project that a reader can be behind. Beyond that, it must resume.";
    FEED_BYTES_MAX = 4 * 1024 * 1024, "Bytes of one project's frames that a reader can be behind. Beyond that, it must resume.";
    FEED_RECENT_EVENTS_MAX = 256, "Events from before its start that a feed loads for returning readers.";
    CATCH_UP_EVENTS_MAX = 200, "Events that a resuming reader gets from the log in one batch.";
    LIVE_SESSIONS_MAX = 20_000, "Open live sessions: WebSockets and event streams together.";
    LIVE_SESSIONS_PER_MEMBER_MAX = 10_000, "Open live sessions of one member.";
    LIVE_STORE_READS_MAX = 128, "Live readers that read the store at once when they connect or catch up. Further ones wait.";
    LIVE_SUBSCRIPTIONS_MAX = 50, "Projects that one live session can subscribe to.";
    LIVE_FRAME_BYTES_MAX = 256 * 1024, "Bytes of one frame from a client of a live session.";
    LIVE_REF_CHARS_MAX = 64, "Characters of the `ref` of a client frame.";
    LIVE_BAD_FRAMES_MAX = 20, "Consecutive invalid frames after which a live session is closed.";
    LIVE_RATE_REFUSALS_MAX = 100, "Consecutive rate-limited frames after which a live session is closed.";
    LIVE_SIGN_IN_SECONDS_MAX = 10, "Seconds until a WebSocket opened without a token must have signed in.";
    LIVE_HEARTBEAT_SECONDS = 20, "Seconds between two heartbeats of a live session.";
    LIVE_MISSED_HEARTBEATS_MAX = 3, "Missed heartbeats after which a live session or a presence ends.";
    LIVE_WRITE_SECONDS_MAX = 10, "Seconds until a reader must have received a frame. A slower one is disconnected.";
    STREAMS_MAX = 2_000, "Open streams.";
    STREAMS_PER_MEMBER_MAX = 100, "Open streams of one member.";
    STREAM_SAVE_SECONDS = 2, "Seconds between two saves of the texts of open streams.";
    STEPS_PER_MESSAGE_MAX = 200, "Steps of one message.";
    STEP_NAME_CHARS_MAX = 128, "Characters of the id and of the name of a step.";
    STEP_VALUE_BYTES_MAX = 16_384, "Bytes of a step's input or output, serialised as JSON.";
    STEPS_BYTES_PER_MESSAGE_MAX = 131_072, "Bytes of all step inputs and outputs of one message.";
    REASON_CHARS_MAX = 2_000, "Characters of the reason for which a stream or run ended.";
    PRESENCE_TEXT_CHARS_MAX = 128, "Characters of a machine name or runtime in a presence.";
    PRESENCE_CHANGES_MAX = 100, "Members in one presence frame. With more changes, the frame asks clients to reload the list.";
    PRESENCE_FRAME_BYTES_MAX = 256 * 1024, "Bytes of one presence frame. With more, the frame asks clients to reload the list.";
    PRESENCE_MEMBERS_MAX = 20_000, "Members tracked as present.";
    PRESENCE_PROJECTS_MAX = 1_000, "Projects in which one person is shown as present and receives presence.";
    PRESENCE_WINDOW_MS = 1_000, "Milliseconds over which presence and typing changes are collected into one frame.";
    TYPING_NAMES_MAX = 5, "Members in one typing frame.";
    TYPING_CONVERSATIONS_MAX = 10_000, "Conversations with typing members. Typing in further ones is not published.";
    TYPING_SECONDS_MAX = 6, "Seconds after which a typing indicator expires.";
    SNAPSHOT_ITEMS_MAX = 1_000, "Newest threads, tasks, batches and artifacts in a snapshot, each.";
    SNAPSHOT_MENTIONS_MAX = 100, "Newest unread mentions of one conversation in a snapshot.";
    TIMELINE_MESSAGES_MAX = 10_000, "Newest messages of one conversation that a client keeps loaded.";
    TOKEN_CHARS_MAX = 4_096, "Characters of a bearer token.";
    TOKEN_LABEL_CHARS_MAX = 100, "Characters of the label of a token or an invite.";
    TOKENS_PER_MEMBER_MAX = 100, "Tokens of one member, including browser sessions.";
    TOKEN_SECONDS_MAX = 366 * 24 * 60 * 60, "Seconds until a signed token expires, at most.";
    TOKEN_SECONDS_DEFAULT = 90 * 24 * 60 * 60, "Seconds until a signed token expires, by default.";
    REPLACED_KEYS_MAX = 64, "Replaced signing keys kept for tokens that they signed. A further rotation is refused until some of those tokens have expired.";
    COOKIES_BYTES_MAX = 8_192, "Bytes of all cookies of one request.";
    ISSUER_KEYS_MAX = 100, "Keys of a trusted issuer.";
    ISSUER_BODY_BYTES_MAX = 256 * 1024, "Bytes of a trusted issuer's keys or metadata document.";
    ISSUER_FETCH_SECONDS_MAX = 5, "Seconds until a trusted issuer must have answered.";
    ISSUER_KEYS_SECONDS = 60 * 60, "Seconds after which the keys of a trusted issuer are fetched again.";
    ISSUER_PAUSE_SECONDS = 30, "Seconds between two fetches of the keys of a trusted issuer.";
    SESSION_SECONDS_MAX = 30 * 24 * 60 * 60, "Seconds until a browser session expires.";
    LINK_SECONDS_MAX = 24 * 60 * 60, "Seconds until a sign-in link expires.";
    INVITES_PER_PROJECT_MAX = 100, "Open invites of one project.";
    INVITE_USES_MAX = 1_000, "Agents that can join with one invite.";
    INVITE_SECONDS_MAX = 30 * 24 * 60 * 60, "Seconds until an invite expires, at most.";
    INVITE_SECONDS_DEFAULT = 24 * 60 * 60, "Seconds until an invite expires, by default.";
    PASSWORD_CHARS_MIN = 10, "Characters of a password, at least.";
    PASSWORD_BYTES_MAX = 256, "Bytes of a password.";
    PASSWORD_CHECKS_MAX = 2, "Passwords hashed at once. Further ones wait.";
    PASSWORD_QUEUE_LEN_MAX = 64, "Passwords waiting to be hashed. Further ones are refused as retryable.";
    AUDIT_NOTES_PER_MINUTE_MAX = 600, "Refusals written to the audit log per minute. Further ones are only counted.";
    AUDIT_ENTRIES_PER_READ_MAX = 1_000, "Audit entries returned by one read of an export, plus the rest of the last commit.";
    AUDIT_CANDIDATES_MAX = 10_000, "Entries examined for one page of the audit log.";
    AUDIT_LINE_BYTES_MAX = 16_384, "Bytes of one line of an exported audit log.";
    AUDIT_WORDS_LEN_MAX = 10_000, "Actions, results and tokens of the audit log cached in memory.";
    RATE_MAX = 1_000_000, "Count or burst of a rate in the setting `rates`.";
    RATE_KEYS_MAX = 100_000, "Members, projects, addresses or names with a rate counter of their own. Further ones share one counter.";
    SEEN_TOKENS_MAX = 20_000, "Tokens remembered as used from an address before.";
    TOKEN_CACHE_LEN_MAX = 10_000, "Tokens whose owner is cached.";
    MODEL_CHARS_MAX = 128, "Characters of a model name.";
    PROVIDERS_MAX = 50, "Providers in the setting `providers`.";
    HOSTED_AGENTS_MAX = 200, "Agents that the hub runs itself. Further ones wait for a free place.";
    GUARD_WINDOW_MAX = 100, "Latest messages of a conversation that the loop guard evaluates.";
    GUARD_CALLS_MAX = 200, "Latest calls of one agent, or of one correlation id, that the loop guard evaluates.";
    GUARD_TEXT_CHARS_MAX = 2_000, "Leading characters of a message that the loop guard compares with other messages.";
    ANSWER_BYTES_MAX = 16 * 1024 * 1024, "Bytes of an agent's answer. Beyond that, the runner stops the engine.";
    HANDOFFS_MAX = 10, "Hand-offs of one answer that create tasks.";
    TASK_DEPTH_MAX = 5, "Ancestors of a task that an agent can create. Deeper tasks need a person.";
    TRANSCRIPT_BYTES_MAX = 256 * 1024, "Bytes of the conversation text passed to a command. The oldest messages are dropped first.";
    ARGUMENT_BYTES_MAX = 128 * 1024 - 1, "Bytes of the conversation text passed to a command as an argument. Operating systems allow no more.";
    COMMAND_OUTPUT_BYTES_MAX = 16 * 1024 * 1024, "Bytes of a command's output, by default. Beyond that, the command is stopped.";
    COMMAND_EVENTS_BYTES_MAX = 256 * 1024 * 1024, "Bytes of a command's output if it consists of events. Beyond that, the command is stopped.";
    COMMAND_EVENT_BYTES_MAX = 4 * 1024 * 1024, "Bytes of one event in a command's output. A longer event is left out, with a note.";
    COMMAND_STDERR_BYTES_MAX = 1_200, "Last bytes of a command's standard error, kept for the failure report.";
    CALL_LOCKS_MAX = 10_000, "Agents and projects whose posts and calls are serialised at the same moment.";
    ROOT_CACHE_LEN_MAX = 100_000, "Conversations whose access root is cached: the channel of a thread, the members of a DM.";
    MEMBERSHIP_CACHE_LEN_MAX = 4_000, "Memberships cached for one project.";
    POST_CONTEXT_CACHE_LEN_MAX = 4_000, "Pairs of author and channel or DM whose facts for a post are cached, in one project.";
    CALL_STATE_CACHE_LEN_MAX = 10_000, "Agents cached as never called, and conversations cached as out of budget, in one project.";
    ROSTER_CACHE_LEN_MAX = 256, "Projects whose roster is cached.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_bounds_positive() {
        let mut names: Vec<_> = TABLE.iter().map(|limit| limit.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
        assert!(TABLE.iter().all(|limit| limit.value > 0));
    }

    #[test]
    fn a_default_page_fits_into_the_largest() {
        const { assert!(PAGE_ITEMS_DEFAULT <= PAGE_ITEMS_MAX) }
    }
}
