//! Every limit of the product, named in one place and shown by `GET /limits`.

/// One row of the table of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name, with its unit and `_max` at the end.
    pub name: &'static str,
    /// The bound.
    pub value: usize,
    /// What it bounds.
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
    NAME_MARKS_MAX = 4, "Marks, such as accents, on one letter of a name: Burmese needs four.";
    NAME_STACKED_MARKS_MAX = 2, "Marks of those that pile up above or below one letter: no living script needs a third.";
    TOPIC_CHARS_MAX = 500, "Characters of a channel's topic.";
    DESCRIPTION_CHARS_MAX = 4_000, "Characters of a description.";
    INSTRUCTIONS_CHARS_MAX = 32_000, "Characters of an agent's instructions.";
    URL_CHARS_MAX = 2_000, "Characters of an address.";
    TITLE_CHARS_MAX = 200, "Characters of a task's title or an artifact's file name.";
    MESSAGE_BODY_BYTES_MAX = 65_536, "Bytes of a message's body.";
    MESSAGE_CONTENT_BYTES_MAX = 65_536, "Bytes of a message's structured content, written as JSON.";
    DIALECT_DEPTH_MAX = 100, "Levels of lists and objects in one line of a foreign format.";
    DIALECT_LINE_BYTES_MAX = 16 * 1024 * 1024, "Bytes of one line of a foreign format.";
    IMAGE_DATA_BYTES_MAX = 8 * 1024 * 1024, "Bytes of an image that comes inside a foreign message, as a data address.";
    EMBEDS_QUEUED_MAX = 100, "Embeds of one foreign session that wait for its answer; beyond that the oldest is told at once.";
    IMPORT_MESSAGES_MAX = 100, "Messages in one request that takes over messages of another system.";
    IMPORT_BODY_BYTES_MAX = 4 * 1024 * 1024, "Bytes of a request that takes over messages of another system.";
    FOREIGN_SYSTEM_CHARS_MAX = 20, "Characters of the name of another system in the id of an author.";
    FOREIGN_AUTHOR_ID_CHARS_MAX = 256, "Characters of the id of an author of another system, the name of the system included.";
    MESSAGE_PREVIEW_CHARS_MAX = 160, "Characters of the preview of a message.";
    MESSAGE_METADATA_BYTES_MAX = 8_192, "Bytes of a message's metadata, written as JSON.";
    CONTEXT_BUDGET_TOKENS_MAX = 1_000_000, "Tokens that a pack can be asked for.";
    CONTEXT_QUERY_CHARS_MAX = 4_000, "Characters of what a pack is asked to be about.";
    CONTEXT_COMMAND_CHARS_MAX = 500, "Characters that the commands in a pack begin with.";
    CONTEXT_TOLD_MAX = 200, "Messages that a model is said to know already, in one request for a pack.";
    CONTEXT_TOGETHER_MAX = 50, "Further messages that are answered together with another, in one request for a pack.";
    CONTEXT_LIST_MESSAGES_MAX = 300, "Messages of the conversation in a list for a model.";
    CONTEXT_CANDIDATES_MAX = 10_000, "Candidates that one pack is chosen from.";
    CONTEXT_ITEM_CHARS_MAX = 16_000, "Characters of one candidate that are looked at.";
    CONTEXT_CACHE_LEN_MAX = 20_000, "Texts that are kept prepared for packs.";
    CONTEXT_LINKS_MAX = 3, "Links of one candidate that are shown.";
    CONTEXT_LINE_CHARS_MAX = 1_000, "Characters of one line that are shown; prose may have more.";
    SYSTEM_NOTICES_MAX = 20, "Notices of the moment in one request for a pack.";
    SYSTEM_NOTICE_CHARS_MAX = 500, "Characters of one of them.";
    RECEIPT_ITEMS_MAX = 500, "Candidates that a receipt lists; the others are counted.";
    INJECTIONS_PER_RUN_MAX = 500, "Injections of one run that are kept; beyond that the oldest are forgotten.";
    SUMMARIES_PER_CONVERSATION_MAX = 1_000, "Summaries of one conversation that are kept; beyond that the oldest are forgotten.";
    SUMMARY_CHARS_MAX = 4_000, "Characters of a summary of a conversation.";
    REDACTION_RULES_MAX = 50, "Rules that a project can add to those that take out secrets.";
    REDACTION_MUTED_MAX = 100, "Rules that a project can mute.";
    REDACTION_KIND_CHARS_MAX = 40, "Characters of the name of such a rule.";
    REDACTION_PATTERN_CHARS_MAX = 500, "Characters of the pattern of such a rule.";
    CORRELATION_ID_CHARS_MAX = 128, "Characters of a correlation id.";
    MENTIONS_MAX = 50, "Members that one message can mention.";
    MENTION_PROBLEMS_MAX = 20, "Names in one message that are reported as unknown or ambiguous.";
    MENTION_CANDIDATES_MAX = 5, "Names proposed for one that is unknown or ambiguous.";
    ARTIFACTS_PER_MESSAGE_MAX = 20, "Artifacts that one message can carry.";
    ATTACHMENTS_PER_MESSAGE_MAX = 20, "Attachments that one message can carry.";
    CHAIN_NAMES_MAX = 64, "Names in the chain of agents that led to a message.";
    CLAIMED_DEPTH_MAX = 1_000_000, "The depth that a client may claim for its message.";
    OPTIONS_PER_QUESTION_MAX = 12, "Options of one question.";
    OPTION_ID_CHARS_MAX = 64, "Characters of the id of an option.";
    OPTION_DESCRIPTION_CHARS_MAX = 1_000, "Characters of what an option would mean.";
    ANSWER_SCHEMA_BYTES_MAX = 8_192, "Bytes of the JSON Schema of an answer.";
    ANSWER_SCHEMA_PARTS_MAX = 500, "Parts of the JSON Schema of an answer, when its references are followed.";
    ANSWER_SCHEMA_DEPTH_MAX = 24, "How deep the parts of the JSON Schema of an answer may stand in each other.";
    ANSWER_BYTES_OF_QUESTION_MAX = 16_384, "Bytes of the answer to a question, or of its default, written as JSON.";
    ANSWER_PATTERN_BYTES_MAX = 64 * 1024, "Bytes that one pattern of such a schema may take when it is read.";
    QUESTION_SECONDS_DEFAULT = 24 * 60 * 60, "Seconds until a question expires when nobody says otherwise.";
    QUESTION_SECONDS_MAX = 7 * 24 * 60 * 60, "Seconds until a question expires.";
    QUESTIONS_PER_ASKER_MAX = 3, "Open questions of one member in one project.";
    QUESTIONS_PER_PROJECT_MAX = 1_000, "Open questions in one project.";
    RUN_LEASE_SECONDS_MIN = 5, "Seconds that the lease of a run has at least.";
    RUN_LEASE_SECONDS_DEFAULT = 120, "Seconds without a sign after which a run has failed when nobody says otherwise.";
    RUN_LEASE_SECONDS_MAX = 3_600, "Seconds without a sign after which a run has failed.";
    RUN_PAUSES_MAX = 8, "Messages that pause one run at once; further ones wait for its next checkpoint.";
    RUNS_PER_AGENT_MAX = 20, "Runs of one agent that have not ended.";
    RUNS_PER_PROJECT_MAX = 1_000, "Runs of one project that have not ended.";
    BRIEF_CHARS_MAX = 280, "Characters of a message in short.";
    NUDGE_MESSAGES_MAX = 10, "Messages that the nudge at the end of a run names; further ones are counted.";
    DELIVERIES_PER_REPORT_MAX = 200, "Messages in one report of deliveries, or marked as read at once.";
    DIGEST_NAMES_MAX = 5, "Names of authors in the digest of one conversation.";
    DIGEST_MESSAGES_MAX = 50, "Unread messages of one conversation whose authors its digest looks at.";
    WAIT_SECONDS_MAX = 25, "Seconds that a request waits for something to happen.";
    WAITERS_MAX = 10_000, "Requests that wait for something to happen at once.";
    MCP_SESSIONS_MAX = 2_000, "MCP sessions that are open at once.";
    MCP_SESSIONS_PER_MEMBER_MAX = 50, "MCP sessions of one member; a further one ends the one that was quiet for longest.";
    MCP_SESSION_QUIET_SECONDS = 60 * 60, "Seconds without a request after which an MCP session ends.";
    MCP_TOKENS_MAX = 2_000, "Tokens of MCP clients without a session whose run is kept in mind; beyond that the one that was quiet for longest is forgotten.";
    MCP_PAGE_ITEMS_MAX = 50, "Items on one page of an MCP tool or resource.";
    MCP_PAGE_ITEMS_DEFAULT = 20, "Items on one page of an MCP tool or resource when the call does not say.";
    MCP_MESSAGE_CHARS_MAX = 1_000, "Characters of one message in a list of an MCP tool; alone it is whole.";
    MCP_LOOKUP_ITEMS_MAX = 2_000, "Projects, channels or members among which an MCP tool looks a name up.";
    MCP_RIDERS_MAX = 100, "Messages that an MCP client was given and of which it is kept in mind that its next call confirms them.";
    MCP_RUN_LEASE_SECONDS = 15 * 60, "Seconds without a call of a tool after which the run of an MCP client has failed.";
    MCP_LINE_BYTES_MAX = 8 * 1024 * 1024, "Bytes of one line that `parlour mcp` takes or gives.";
    MCP_RELAYED_MAX = 32, "Requests that `parlour mcp` has under way at once; further lines wait.";
    CAPABILITIES_MAX = 50, "Capabilities that an agent can name.";
    DM_PARTICIPANTS_MAX = 20, "Members of one dm.";
    CHANNEL_MEMBERS_MAX = 10_000, "Members of one private channel.";
    CHANNEL_SUBSCRIBERS_MAX = 1_000, "Agents subscribed to one channel.";
    PROJECT_MEMBERS_MAX = 10_000, "People in one project, and agents in one project.";
    REACTION_CHARS_MAX = 32, "Characters of one reaction.";
    REACTIONS_PER_MESSAGE_MAX = 500, "Reactions on one message, counted per member.";
    ARTIFACT_BYTES_MAX = 50 * 1024 * 1024, "Bytes of one artifact.";
    REQUEST_BODY_BYTES_MAX = 256 * 1024, "Bytes of a JSON request.";
    REQUEST_ID_CHARS_MAX = 64, "Characters of an id that a client gives its request.";
    REQUEST_DEPTH_MAX = 32, "Levels of nesting in a JSON request.";
    REQUEST_SECONDS_MAX = 30, "Seconds until a request is answered; uploads and downloads excepted.";
    HANDSHAKE_SECONDS_MAX = 10, "Seconds until a TLS handshake is done.";
    HEADER_SECONDS_MAX = 10, "Seconds until the head of a request has arrived.";
    HEAD_BYTES_MAX = 16 * 1024, "Bytes of the head of a request.";
    IDLE_SECONDS_MAX = 75, "Seconds that a connection may stay open between two requests.";
    BODY_SECONDS_MAX = 20, "Seconds until the next byte of a request's body has arrived.";
    WRITE_SECONDS_MAX = 15, "Seconds until a client has taken the next byte of its answer.";
    STOP_SECONDS_MAX = 5, "Seconds that running requests are given when the hub stops.";
    HTTP2_REQUESTS_MAX = 100, "Requests that one HTTP/2 connection may have under way.";
    HTTP2_RESETS_MAX = 20, "Requests in a row that an HTTP/2 connection may take back before they were looked at.";
    HTTP2_ERRORS_MAX = 1_024, "Faults of its client that the hub puts up with on one HTTP/2 connection.";
    HTTP2_PING_SECONDS = 30, "Seconds between two questions to an HTTP/2 client whether it is still there.";
    UPLOAD_SECONDS_MAX = 600, "Seconds until an upload has arrived.";
    HOSTS_MAX = 100, "Names of the hub that the setting `hosts` takes.";
    HOST_CHARS_MAX = 253, "Characters of the name of a host.";
    ORIGINS_MAX = 100, "Origins that the setting `origins` takes.";
    PROXIES_MAX = 100, "Addresses and nets that the setting `proxies` takes.";
    FORWARDED_HOPS_MAX = 20, "Addresses in `X-Forwarded-For` that are looked at, from its end.";
    CONNECTIONS_MAX = 20_000, "Connections that are open at once.";
    CONNECTIONS_PER_ADDRESS_MAX = 1_000, "Connections of one address that are open at once; all of an IPv6 /64 count as one. The setting `connections_per_address` says otherwise.";
    TLS_LOOK_SECONDS = 2, "Seconds between two looks whether the files of TLS have changed.";
    PAGE_ITEMS_MAX = 200, "Items on one page of a list.";
    PAGE_ITEMS_DEFAULT = 50, "Items on one page when the request does not say.";
    EPOCH_CHARS_MAX = 32, "Characters of the epoch of a position.";
    CURSOR_CHARS_MAX = 200, "Characters of a cursor.";
    SEARCH_QUERY_CHARS_MAX = 200, "Characters of a search.";
    SEARCH_TERMS_MAX = 16, "Words of a search.";
    SEARCH_CANDIDATES_MAX = 2_000, "Messages that one page of a search may look at.";
    FIND_WORDS_MAX = 64, "Words by which messages are found for a pack; further ones are not looked for.";
    FIND_PER_WORD_MAX = 100, "Newest messages with one of these words that come into question.";
    FIND_CANDIDATES_MAX = 1_000, "Newest messages with one of these words that are looked at for them.";
    GRAPH_NODES_MAX = 5_000, "Nodes in one answer of the project graph.";
    GRAPH_EDGES_MAX = 20_000, "Edges in one answer of the project graph.";
    GRAPH_MESSAGES_MAX = 500, "Messages among the nodes of the project graph.";
    STORE_QUEUE_LEN_MAX = 4_096, "Writes that wait for the store; further ones are refused as retryable.";
    STORE_GROUP_LEN_MAX = 512, "Writes that share one sync of the disk.";
    STORE_PRUNE_LEN_MAX = 500, "Old events that one write to the store forgets; further ones are left to the next write.";
    EVENTS_PER_READ_MAX = 1_000, "Events that one read of a log returns.";
    WATCH_QUEUE_LEN_MAX = 8_192, "Committed events that wait for the fan-out; what does not fit is read from the log later.";
    FEED_FRAMES_MAX = 4_096, "Frames of one project that a reader may be behind before it is told to resume.";
    FEED_BYTES_MAX = 4 * 1024 * 1024, "Bytes of one project's frames that a reader may be behind before it is told to resume.";
    FEED_RECENT_EVENTS_MAX = 256, "Events before its beginning that a feed holds for readers who come back.";
    CATCH_UP_EVENTS_MAX = 200, "Events that a resuming reader gets from the log at once.";
    LIVE_SESSIONS_MAX = 20_000, "Live sessions, sockets and event streams together, that are open at once.";
    LIVE_SESSIONS_PER_MEMBER_MAX = 10_000, "Live sessions of one member.";
    LIVE_STORE_READS_MAX = 128, "Live readers that ask the store at once, when they come or catch up; further ones wait for their turn.";
    LIVE_SUBSCRIPTIONS_MAX = 50, "Projects that one live session can follow.";
    LIVE_FRAME_BYTES_MAX = 256 * 1024, "Bytes of one frame from a client of a live session.";
    LIVE_REF_CHARS_MAX = 64, "Characters of the reference that a client gives a frame.";
    LIVE_BAD_FRAMES_MAX = 20, "Frames in a row that cannot be read before a live session is closed.";
    LIVE_RATE_REFUSALS_MAX = 100, "Frames in a row that come faster than the rates allow before a live session is closed.";
    LIVE_SIGN_IN_SECONDS_MAX = 10, "Seconds until a socket without a token in its head has signed in.";
    LIVE_HEARTBEAT_SECONDS = 20, "Seconds between two heartbeats of a live session.";
    LIVE_MISSED_HEARTBEATS_MAX = 3, "Heartbeats that may go unanswered before a session or a presence is gone.";
    LIVE_WRITE_SECONDS_MAX = 10, "Seconds until a reader has taken a frame; a slower one is cut off.";
    STREAMS_MAX = 2_000, "Answers that are being written at once.";
    STREAMS_PER_MEMBER_MAX = 100, "Answers that one member writes at once.";
    STREAM_SAVE_SECONDS = 2, "Seconds between two saves of the texts of running answers.";
    STEPS_PER_MESSAGE_MAX = 200, "Steps of one answer.";
    STEP_NAME_CHARS_MAX = 128, "Characters of the id and of the name of a step.";
    STEP_VALUE_BYTES_MAX = 16_384, "Bytes of a step's input or output, written as JSON.";
    STEPS_BYTES_PER_MESSAGE_MAX = 131_072, "Bytes of all inputs and outputs of one answer's steps together.";
    REASON_CHARS_MAX = 2_000, "Characters of the reason why an answer ended.";
    PRESENCE_TEXT_CHARS_MAX = 128, "Characters of a machine name or runtime in a presence.";
    PRESENCE_CHANGES_MAX = 100, "Members in one frame about presence; beyond that it says to read the list anew.";
    PRESENCE_FRAME_BYTES_MAX = 256 * 1024, "Bytes of one frame about presence; beyond that it says to read the list anew.";
    PRESENCE_MEMBERS_MAX = 20_000, "Members that are counted as there at once.";
    PRESENCE_PROJECTS_MAX = 1_000, "Projects in which one person is shown as there, and sees who is there.";
    PRESENCE_WINDOW_MS = 1_000, "Milliseconds in which changes of presence and typing become one frame.";
    TYPING_NAMES_MAX = 5, "Members in one frame about typing.";
    TYPING_CONVERSATIONS_MAX = 10_000, "Conversations in which somebody is typing at once; further ones are not told.";
    TYPING_SECONDS_MAX = 6, "Seconds until somebody who was typing no longer counts as typing.";
    SNAPSHOT_ITEMS_MAX = 1_000, "Threads, tasks, batches and artifacts in a snapshot: the newest of each.";
    SNAPSHOT_MENTIONS_MAX = 100, "Unread mentions of one conversation in a snapshot: the newest.";
    TIMELINE_MESSAGES_MAX = 10_000, "Messages of one conversation that a client keeps loaded: the newest.";
    TOKEN_CHARS_MAX = 4_096, "Characters of a bearer token.";
    TOKEN_LABEL_CHARS_MAX = 100, "Characters of what a token or an invite is for.";
    TOKENS_PER_MEMBER_MAX = 100, "Tokens of one member, its browsers included.";
    TOKEN_SECONDS_MAX = 366 * 24 * 60 * 60, "Seconds until a signed token ends.";
    TOKEN_SECONDS_DEFAULT = 90 * 24 * 60 * 60, "Seconds until a signed token ends when nobody says otherwise.";
    KEYS_KEPT_MAX = 64, "Older keys that are kept for the tokens that they have signed; further ones are refused until some of those have ended.";
    COOKIES_BYTES_MAX = 8_192, "Bytes of all cookies of one request.";
    ISSUER_KEYS_MAX = 100, "Keys of a trusted issuer.";
    ISSUER_BODY_BYTES_MAX = 256 * 1024, "Bytes of a trusted issuer's keys or description.";
    ISSUER_FETCH_SECONDS_MAX = 5, "Seconds until a trusted issuer has answered.";
    ISSUER_KEYS_SECONDS = 60 * 60, "Seconds after which the keys of a trusted issuer are asked for again.";
    ISSUER_PAUSE_SECONDS = 30, "Seconds between two questions for the keys of a trusted issuer.";
    SESSION_SECONDS_MAX = 30 * 24 * 60 * 60, "Seconds until a browser has to sign in again.";
    LINK_SECONDS_MAX = 24 * 60 * 60, "Seconds until a link for signing in ends.";
    INVITES_PER_PROJECT_MAX = 100, "Open invites of one project.";
    INVITE_USES_MAX = 1_000, "Agents that may join by one invite.";
    INVITE_SECONDS_MAX = 30 * 24 * 60 * 60, "Seconds until an invite ends.";
    INVITE_SECONDS_DEFAULT = 24 * 60 * 60, "Seconds until an invite ends when nobody says otherwise.";
    PASSWORD_CHARS_MIN = 10, "Characters that a password has at least.";
    PASSWORD_BYTES_MAX = 256, "Bytes of a password.";
    PASSWORD_CHECKS_MAX = 2, "Passwords that are hashed at once; further ones wait.";
    PASSWORD_QUEUE_LEN_MAX = 64, "Passwords that wait to be hashed; further ones are refused as retryable.";
    AUDIT_NOTES_PER_MINUTE_MAX = 600, "Refusals that go into the audit log in one minute; further ones are only counted.";
    AUDIT_ENTRIES_PER_READ_MAX = 1_000, "Entries of the audit log that one read of an export returns, besides the rest of a commit.";
    AUDIT_CANDIDATES_MAX = 10_000, "Entries that one page of the audit log may look at.";
    AUDIT_LINE_BYTES_MAX = 16_384, "Bytes of one line of an exported audit log.";
    AUDIT_WORDS_LEN_MAX = 10_000, "Actions, results and tokens of the audit log that are kept in memory.";
    RATE_MAX = 1_000_000, "The greatest count and the greatest burst that the setting `rates` takes.";
    RATE_KEYS_MAX = 100_000, "Members, projects, addresses or names whose rate is kept in memory at once; further ones share one rate.";
    SHOWN_TOKENS_MAX = 20_000, "Tokens of which it is kept in memory that they were shown from an address before.";
    TOKEN_CACHE_LEN_MAX = 10_000, "Tokens whose owner is kept in memory.";
    MODEL_CHARS_MAX = 128, "Characters of the name of a model.";
    PROVIDERS_MAX = 50, "Providers that the setting `providers` takes.";
    HOSTED_AGENTS_MAX = 200, "Agents that the hub runs itself; further ones wait until others no longer have an engine.";
    GUARD_WINDOW_MAX = 100, "Last messages of a conversation that the loop guard looks at.";
    GUARD_CALLS_MAX = 200, "Last calls of one agent, or under one correlation id, that the loop guard looks at.";
    GUARD_TEXT_CHARS_MAX = 2_000, "Characters at the beginning of a message that the loop guard compares with others.";
    ANSWER_BYTES_MAX = 16 * 1024 * 1024, "Bytes of an agent's answer that its runner keeps; then its engine is stopped.";
    HANDOFFS_MAX = 10, "Hand-offs in one answer that become tasks.";
    TASK_DEPTH_MAX = 5, "Tasks above a task that an agent may give: from there on a person has to.";
    TRANSCRIPT_BYTES_MAX = 256 * 1024, "Bytes of the text of a conversation that a command is given; the oldest messages are left out first.";
    ARGUMENT_BYTES_MAX = 128 * 1024 - 1, "Bytes of that text when a command takes it as an argument: systems take no longer ones.";
    COMMAND_OUTPUT_BYTES_MAX = 16 * 1024 * 1024, "Bytes that a command may write as its answer, if it is not told otherwise; then it is stopped.";
    COMMAND_STDERR_BYTES_MAX = 1_200, "Bytes at the end of a command's standard error that are kept, to say why it failed.";
    CALL_LOCKS_MAX = 10_000, "Agents and projects whose posts and calls go one after another at the same moment.";
    ROOT_CACHE_LEN_MAX = 100_000, "Conversations whose root, the channel of a thread or the members of a dm, is kept in memory.";
    STANDING_CACHE_LEN_MAX = 4_000, "Producers of answers of whom it is kept in memory that they may write.";
    UNCALLED_CACHE_LEN_MAX = 10_000, "Agents of whom it is kept in memory that nobody has ever called them, and conversations in which agents may say no more.";
    ROSTER_CACHE_LEN_MAX = 256, "Projects whose member names are kept in memory.";
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
