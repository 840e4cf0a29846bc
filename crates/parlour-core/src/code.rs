//! Stable codes of refusals and faults. Each has a page in `docs/errors/`, generated from this table.

/// What kind of no it is; a surface turns this into its own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalClass {
    /// The request itself is malformed.
    Malformed,
    /// The request is well-formed, but a value in it cannot be taken.
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

            /// The code as it stands in answers, for example `PARLOUR-C01`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// What kind of no this is.
            pub fn class(self) -> RefusalClass {
                match self { $(Self::$variant => RefusalClass::$class),+ }
            }

            /// Whether the same request may succeed later without a change.
            pub fn is_retryable(self) -> bool {
                match self { $(Self::$variant => $retryable),+ }
            }

            /// What happened, in a few words that never change with the request.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// What the caller can do about it.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$variant => $remedy),+ }
            }
        }
    };
}

codes! {
    Unauthenticated = "PARLOUR-A01", Unauthenticated, false, "Nobody is signed in",
        "Send the header `Authorization: Bearer <token>`. An administrator makes tokens with `POST /people/{id}/token` or `POST /agents/{id}/token`; a token that was replaced no longer works.";
    Forbidden = "PARLOUR-A02", Forbidden, false, "You may not do this",
        "The detail names who may. Ask such a member, or an administrator.";
    WrongOrigin = "PARLOUR-A03", Forbidden, false, "This page may not open a live session here",
        "A browser may connect only from the hub's own page, or from an origin that the setting `origins` names.";
    MissingScope = "PARLOUR-A04", Forbidden, false, "The token is not for this",
        "The detail names the scope that is missing. `/docs` shows the scope of each route; issue a token that has it with `parlour token create` or `POST /tokens`.";
    WrongHost = "PARLOUR-A05", Misdirected, false, "The hub is not known by this name",
        "Use the address that the hub was started with, or name this host in the setting `hosts`. Names are checked so that a page of another site cannot reach the hub through the browser.";
    SignInFailed = "PARLOUR-A06", Unauthenticated, false, "Name and password, or the link, do not fit",
        "Try again. A link works once and not for ever; `parlour person link` makes a new one, and an administrator can make one for you.";
    CrossSite = "PARLOUR-A07", Forbidden, false, "Another page has sent this request",
        "A browser's session counts only for the hub's own page. Programs send a bearer token instead.";
    RateLimited = "PARLOUR-A08", TooMany, true, "Too many requests",
        "Wait for the time in `Retry-After`. `GET /limits` shows the bounds; an operator sets them with the setting `rates`.";
    InviteEnded = "PARLOUR-A09", Conflict, false, "The invite has ended",
        "Ask a person of the project for a new one: `parlour invite`.";
    MalformedJson = "PARLOUR-I01", Malformed, false, "The body is no JSON",
        "The detail names the line and column. Send one JSON value in UTF-8, without text around it.";
    WrongShape = "PARLOUR-I02", Invalid, false, "The body does not fit the contract",
        "The field named in the answer is missing or has another type. `/docs` shows the contract of each route.";
    UnknownField = "PARLOUR-I03", Invalid, false, "The body has a field that does not exist",
        "Remove the field or correct its spelling; the detail lists the fields that exist. Unknown fields are refused so that a typing error cannot be lost silently.";
    DuplicateKey = "PARLOUR-I04", Malformed, false, "A key stands twice in one object",
        "Send each key once. Readers disagree on which of two equal keys counts, so neither is taken.";
    TooDeep = "PARLOUR-I05", Malformed, false, "The body is nested too deeply",
        "Flatten the value; `GET /limits` shows the bound.";
    TooLarge = "PARLOUR-I06", TooLarge, false, "The request is too large",
        "Send less at once; `GET /limits` shows the bound. Large contents belong into an artifact (`POST /artifacts`), whose id a message can carry.";
    WrongMediaType = "PARLOUR-I07", UnsupportedMedia, false, "This media type is not read here",
        "Send `Content-Type: application/json`.";
    BadId = "PARLOUR-I08", Invalid, false, "This is no id of the kind that is needed here",
        "Ids start with the prefix of their kind (`prj_`, `agt_`, `chn_`, `thr_`, `dm_`, `msg_`, …), followed by 1 to 60 letters, digits, `_` or `-`.";
    BadQuery = "PARLOUR-I09", Malformed, false, "A parameter in the address cannot be read",
        "Correct the parameter named in the answer. Pass `next` back exactly as it was given.";
    OutOfBounds = "PARLOUR-I10", Invalid, false, "A value is out of its bounds",
        "The answer names the field and its bound; `GET /limits` shows all of them.";
    ControlCharacter = "PARLOUR-I11", Invalid, false, "The text holds a control character",
        "Remove it. Texts may hold tabs and line breaks, but no other control characters.";
    BadName = "PARLOUR-I12", Invalid, false, "This cannot be a name",
        "Names hold letters, digits, single blanks, `-`, `_`, `.` and `'`, start and end with a letter or digit, stay within one script, and are not reserved (host, system, everyone …).";
    NoWebSocket = "PARLOUR-I13", Malformed, false, "This address speaks WebSocket only",
        "Connect with a WebSocket client (version 13, over HTTP/1.1). The same events over plain HTTP are at `GET /events`.";
    NotFound = "PARLOUR-N01", NotFound, false, "There is no such thing here",
        "Check the id. Things that you may not see are answered exactly like things that do not exist.";
    NoRoute = "PARLOUR-N02", NotFound, false, "There is no such address",
        "`/docs` lists the addresses of this hub.";
    NoMethod = "PARLOUR-N03", MethodNotAllowed, false, "This address does not take that method",
        "The header `Allow` names the methods that it takes.";
    ClientIdReused = "PARLOUR-C01", Conflict, false, "This message id was used for something else",
        "An id belongs to one message for ever. Repeat the first request exactly to get its answer again, or take a new id for a new message.";
    NameTaken = "PARLOUR-C02", Conflict, false, "This name is taken, or looks like one that is",
        "Choose a name that nobody could confuse with the one in the detail.";
    Archived = "PARLOUR-C03", Conflict, false, "The channel is archived",
        "Archived channels can be read. Bring it back with `POST /channels/{id}/unarchive` to write again.";
    Removed = "PARLOUR-C04", Conflict, false, "The message was removed",
        "A removed message keeps its place and cannot be changed, answered in a thread or reacted to.";
    Full = "PARLOUR-C05", Conflict, false, "There is no room for more",
        "The detail names the bound that was reached; remove something first.";
    OpenChannel = "PARLOUR-C06", Conflict, false, "The channel is open to the whole project",
        "Only private channels have members of their own: everybody in the project is in an open one. Make it private with `PATCH /channels/{id}` first.";
    StreamEnded = "PARLOUR-C07", Conflict, false, "The answer has already ended",
        "An answer ends once: complete, failed, cancelled or interrupted; the detail says how. Its text can be changed with `PATCH /messages/{id}`.";
    StreamOpen = "PARLOUR-C08", Conflict, false, "The answer is still being written",
        "End it first with `POST /messages/{id}/complete`, or stop it with `POST /messages/{id}/cancel`.";
    ChunkMisplaced = "PARLOUR-C09", Conflict, false, "The chunk does not begin where the text ends",
        "`start` is the number of characters (Unicode code points) before the chunk; the detail says where the text ends. Repeating a chunk with the same start and text is fine.";
    UnknownMention = "PARLOUR-M01", Invalid, false, "A mentioned name is unknown",
        "Use one of the names in `candidates`, or an id. Only names in `mentions` are refused; an unknown name in the text is reported with the posted message.";
    AmbiguousMention = "PARLOUR-M02", Invalid, false, "A mentioned name fits several members",
        "Use the id of the one you mean; `candidates` lists them.";
    WideMention = "PARLOUR-M03", Conflict, false, "This would call many at once",
        "Nothing was posted. `candidates` lists whom it would call; send it again with `confirm_wide` if you want that.";
    TaskMoved = "PARLOUR-C10", Conflict, false, "The task is not as far as you think",
        "Somebody else has begun or changed it; the detail says how far it is. Read it again.";
    RunEnded = "PARLOUR-C11", Conflict, false, "The run has ended",
        "A run ends once; the detail says how. Begin a new one with `POST /runs`.";
    QuestionClosed = "PARLOUR-C12", Conflict, false, "The question is closed",
        "A question is answered once; the detail says how it ended. Nothing was changed; write in its thread if there is more to say.";
    WaitRing = "PARLOUR-C13", Conflict, false, "The members would wait for each other for ever",
        "Nothing was posted. `candidates` names the ring: each of them waits for the next. Ask a person, answer what you were asked first, or send the message without `blocking`.";
    NotPaused = "PARLOUR-C14", Conflict, false, "The run is not paused by that",
        "Somebody has resumed it already, or its question has ended. Read the run again.";
    BadAnswer = "PARLOUR-M04", Invalid, false, "The answer does not fit the question",
        "The detail names the rule that it breaks. The question stays open: answer again.";
    NobodyAsked = "PARLOUR-M05", Invalid, false, "The blocking message addresses nobody",
        "Mention the members who are to answer, or write to them in a dm. Agents that follow the channel, or have written in the thread, are addressed when nobody is mentioned.";
    BudgetTooSmall = "PARLOUR-M06", Invalid, false, "The budget is too small for anything to be said",
        "The detail says how many tokens are needed at least. Ask for more, or raise the budget in the rules of the project or the agent.";
    StoreUnavailable = "PARLOUR-S01", Unavailable, true, "The hub cannot store anything at the moment",
        "Nothing was written. Try again with the same id; `GET /health` and the hub's log name the cause, most often a full disk.";
    Overloaded = "PARLOUR-S02", Unavailable, true, "The hub is too busy",
        "Nothing was written. Try again with the same id after the time in `Retry-After`.";
    Internal = "PARLOUR-S03", Internal, true, "A fault of the hub",
        "The hub's log holds the cause under the request id of the answer. Please report it.";
    Stopping = "PARLOUR-S04", Unavailable, true, "The hub is stopping",
        "Nothing was written. Try again with the same id when it is back.";
    TimedOut = "PARLOUR-S05", Timeout, true, "The request took too long",
        "Try again; a repeated message id never posts twice.";
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
