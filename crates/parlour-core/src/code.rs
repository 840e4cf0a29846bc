//! Stable codes of refusals and faults. Each has a page in `docs/errors/`, generated from this table.

/// The class of a refusal; a surface maps it to its own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalClass {
    /// The request itself is malformed.
    Malformed,
    /// The request is well-formed, but a value in it is not acceptable.
    Invalid,
    /// Nobody is signed in.
    Unauthenticated,
    /// The caller is known and may not do this.
    Forbidden,
    /// There is no such thing, or the caller may not know of it.
    NotFound,
    /// The address exists, but not for this method.
    MethodNotAllowed,
    /// The state of the thing does not allow it.
    Conflict,
    /// The request is too large.
    TooLarge,
    /// The request asks for a part of a content that it does not have.
    UnsatisfiableRange,
    /// The request is in a format that is not read here.
    UnsupportedMedia,
    /// The request took too long to arrive or to be answered.
    Timeout,
    /// The caller asks for more than its share; later it may ask again.
    TooMany,
    /// The request is meant for another host.
    Misdirected,
    /// The hub cannot do it now.
    Unavailable,
    /// A fault of the hub.
    Internal,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $class:ident, $retryable:literal, $title:literal, $remedy:literal;)+) => {
        /// A stable code: its text never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $variant),+ }

        impl Code {
            /// All codes, in the order of this file.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as text, for example `PARLOUR-C01`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The class of the refusal.
            pub fn class(self) -> RefusalClass {
                match self { $(Self::$variant => RefusalClass::$class),+ }
            }

            /// Whether the same request can succeed later without a change.
            pub fn is_retryable(self) -> bool {
                match self { $(Self::$variant => $retryable),+ }
            }

            /// The error in a few words, the same for every request.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// The remedy.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$variant => $remedy),+ }
            }
        }
    };
}

codes! {
    Unauthenticated = "PARLOUR-A01", Unauthenticated, false, "The request is not authenticated",
        "Send the header `Authorization: Bearer <token>`. An administrator creates tokens with `POST /people/{id}/token` or `POST /agents/{id}/token`. A replaced token no longer works.";
    Forbidden = "PARLOUR-A02", Forbidden, false, "The caller lacks permission",
        "The detail names the members who have permission. Ask one of them, or an administrator.";
    WrongOrigin = "PARLOUR-A03", Forbidden, false, "The origin of the page is not allowed",
        "A browser can open a live session only from the hub's own page or from an origin in the setting `origins`. Add the origin there.";
    MissingScope = "PARLOUR-A04", Forbidden, false, "The token lacks a scope",
        "The detail names the missing scope; `/docs` lists the scope of each route. Create a token with that scope: `parlour token create` or `POST /tokens`.";
    WrongHost = "PARLOUR-A05", Misdirected, false, "The host name is not configured",
        "Use the address that the hub was started with, or add this host name to the setting `hosts`. The check protects against DNS rebinding: a page of another site cannot reach the hub through a browser.";
    SignInFailed = "PARLOUR-A06", Unauthenticated, false, "Sign-in failed",
        "The name and password, or the sign-in link, are wrong or expired. Try again. A link works once and expires; create a new one with `parlour person link`, or ask an administrator.";
    CrossSite = "PARLOUR-A07", Forbidden, false, "Cross-site request",
        "A browser session is accepted only on requests from the hub's own page. Programs authenticate with a bearer token.";
    RateLimited = "PARLOUR-A08", TooMany, true, "Too many requests",
        "Wait for the time in `Retry-After`. `GET /limits` lists the rates; an operator changes them with the setting `rates`.";
    InviteEnded = "PARLOUR-A09", Conflict, false, "The invite has ended",
        "The invite has expired, was used up or was revoked. Ask a person of the project for a new one: `parlour invite`.";
    MalformedJson = "PARLOUR-I01", Malformed, false, "The body is not valid JSON",
        "The detail names the line and column. Send one JSON value in UTF-8 with no text around it.";
    WrongShape = "PARLOUR-I02", Invalid, false, "The body does not match the schema",
        "The named field is missing or has the wrong type. `/docs` shows the schema of each route.";
    UnknownField = "PARLOUR-I03", Invalid, false, "The body has an unknown field",
        "Remove the field or correct its spelling; the detail lists the known fields. Unknown fields are refused so that a typing error is not ignored silently.";
    DuplicateKey = "PARLOUR-I04", Malformed, false, "Duplicate key in a JSON object",
        "Send each key once. JSON parsers disagree on which of two equal keys counts, so the hub refuses both.";
    TooDeep = "PARLOUR-I05", Malformed, false, "The body is nested too deeply",
        "Flatten the value; `GET /limits` shows the maximum depth.";
    TooLarge = "PARLOUR-I06", TooLarge, false, "The request is too large",
        "Send less at once; `GET /limits` shows the maximum. Upload large content as an artifact (`POST /artifacts`) and attach its id to a message.";
    WrongMediaType = "PARLOUR-I07", UnsupportedMedia, false, "Unsupported media type",
        "Send `Content-Type: application/json`.";
    BadId = "PARLOUR-I08", Invalid, false, "Invalid id",
        "An id starts with the prefix of its type (`prj_`, `agt_`, `chn_`, `thr_`, `dm_`, `msg_`, …), followed by 1 to 60 letters, digits, `_` or `-`.";
    BadQuery = "PARLOUR-I09", Malformed, false, "Invalid query parameter",
        "Correct the named parameter. Send the cursor `next` back exactly as you received it.";
    OutOfBounds = "PARLOUR-I10", Invalid, false, "A value is out of range",
        "The response names the field and its range; `GET /limits` lists all limits.";
    ControlCharacter = "PARLOUR-I11", Invalid, false, "The text contains a control character",
        "Remove the character. Tabs and line breaks are allowed; other control characters are not.";
    BadName = "PARLOUR-I12", Invalid, false, "Invalid name",
        "A name consists of letters, digits, single spaces, `-`, `_`, `.` and `'`; it starts and ends with a letter or digit, uses one script, and is not reserved (host, system, everyone …).";
    NoWebSocket = "PARLOUR-I13", Malformed, false, "WebSocket connection required",
        "Connect with a WebSocket client (version 13, over HTTP/1.1). `GET /events` serves the same events over plain HTTP.";
    MalformedHttp = "PARLOUR-I14", Malformed, false, "The HTTP request is malformed",
        "The detail names the rule of HTTP that the request breaks. Most often a proxy or a hand-written client is the cause.";
    BadRange = "PARLOUR-I15", UnsatisfiableRange, false, "The range is outside of the content",
        "The header `Content-Range` contains the size. Request a range within it, or omit the header `Range`.";
    NotFound = "PARLOUR-N01", NotFound, false, "Not found",
        "Check the id. A resource that you cannot see gets the same response as one that does not exist.";
    NoRoute = "PARLOUR-N02", NotFound, false, "No such route",
        "`/docs` lists the routes of this hub.";
    NoMethod = "PARLOUR-N03", MethodNotAllowed, false, "Method not allowed",
        "The header `Allow` lists the methods of this route.";
    ClientIdReused = "PARLOUR-C01", Conflict, false, "The id is already used",
        "An id belongs to one message for ever. Repeat the first request exactly to get its result again, or use a new id for a new message.";
    NameTaken = "PARLOUR-C02", Conflict, false, "The name is taken or too similar to another",
        "Choose a name that cannot be confused with the one in the detail.";
    Archived = "PARLOUR-C03", Conflict, false, "The channel is archived",
        "An archived channel is read-only. Unarchive it with `POST /channels/{id}/unarchive` to write again.";
    Removed = "PARLOUR-C04", Conflict, false, "The message was removed",
        "A removed message keeps its number and cannot be edited, reacted to or answered in a thread.";
    Full = "PARLOUR-C05", Conflict, false, "A limit on the number of items is reached",
        "The detail names the limit. Remove an item first.";
    OpenChannel = "PARLOUR-C06", Conflict, false, "The channel is open to the whole project",
        "Only private channels have their own members; every project member is in an open channel. Make the channel private first: `PATCH /channels/{id}`.";
    StreamEnded = "PARLOUR-C07", Conflict, false, "The stream has already ended",
        "A stream ends once: complete, failed, cancelled or interrupted; the detail says how. Edit the text of the message with `PATCH /messages/{id}`.";
    StreamOpen = "PARLOUR-C08", Conflict, false, "The message is still streaming",
        "End the stream with `POST /messages/{id}/complete`, or stop it with `POST /messages/{id}/cancel`, then try again.";
    ChunkMisplaced = "PARLOUR-C09", Conflict, false, "The chunk does not start at the end of the text",
        "`start` is the number of characters (Unicode code points) before the chunk; the detail says where the text ends. Repeating a chunk with the same start and text is allowed.";
    UnknownMention = "PARLOUR-M01", Invalid, false, "Unknown name in `mentions`",
        "Use one of the names in `candidates`, or an id. Only names in `mentions` are refused; an unknown name in the text is reported with the posted message.";
    AmbiguousMention = "PARLOUR-M02", Invalid, false, "Ambiguous name in `mentions`",
        "Use the id of the member you mean; `candidates` lists them.";
    WideMention = "PARLOUR-M03", Conflict, false, "The mention would call many agents",
        "Nothing was posted. `candidates` lists the agents it would call. Send it again with `confirm_wide` to call them.";
    TaskMoved = "PARLOUR-C10", Conflict, false, "The task has another status",
        "Another member has started or changed the task; the detail names its status. Read the task again.";
    RunEnded = "PARLOUR-C11", Conflict, false, "The run has ended",
        "A run ends once; the detail says how. Start a new one with `POST /runs`.";
    QuestionClosed = "PARLOUR-C12", Conflict, false, "The question is closed",
        "A question ends once; the detail says how. Nothing was changed. Reply in its thread to add something.";
    WaitRing = "PARLOUR-C13", Conflict, false, "The question would create a deadlock",
        "Nothing was posted. `candidates` lists the cycle: each member waits for the next. Ask a person, answer the question you were asked first, or post the message without `blocking`.";
    NotPaused = "PARLOUR-C14", Conflict, false, "The run is not paused by this message",
        "The run was resumed already, or the question has ended. Read the run again.";
    BadAnswer = "PARLOUR-M04", Invalid, false, "The answer does not match the question",
        "The detail names the rule that the answer breaks. The question stays open: answer again.";
    NobodyAsked = "PARLOUR-M05", Invalid, false, "The blocking message has no addressee",
        "Mention the members who should answer, or post it in a DM. If nobody is mentioned, agents that follow the channel or have written in the thread are addressed.";
    BudgetTooSmall = "PARLOUR-M06", Invalid, false, "The token budget is too small",
        "The detail names the minimum number of tokens. Request more, or raise the budget in the context rules of the project or the agent.";
    StoreUnavailable = "PARLOUR-S01", Unavailable, true, "The store is unavailable",
        "Nothing was written. Try again with the same id. `GET /health` and the hub's log name the cause, most often a full disk.";
    Overloaded = "PARLOUR-S02", Unavailable, true, "The hub is overloaded",
        "Nothing was written. Try again with the same id after the time in `Retry-After`.";
    Internal = "PARLOUR-S03", Internal, true, "Internal error",
        "The hub's log has the cause under the request id of the response. Please report it.";
    Stopping = "PARLOUR-S04", Unavailable, true, "The hub is shutting down",
        "Nothing was written. Try again with the same id after the hub has restarted.";
    TimedOut = "PARLOUR-S05", Timeout, true, "The request timed out",
        "Try again. A repeated message id never posts twice.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let mut texts: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Code::ALL.len());
    }

    #[test]
    fn only_what_passes_by_itself_is_retryable() {
        for code in Code::ALL {
            let is_own = matches!(
                code.class(),
                RefusalClass::Unavailable | RefusalClass::Internal | RefusalClass::Timeout | RefusalClass::TooMany
            );
            assert_eq!(code.is_retryable(), is_own, "{}", code.as_str());
        }
    }
}
