//! The parsers of the core.

use std::{fmt, str::FromStr};

use serde::{Serialize, de::DeserializeOwned};

use super::{FuzzTarget, agents, text};
use crate::{
    Refusal, Timestamp,
    artifact::{ContentHash, check_filename, check_media_type},
    attribution::Surface,
    audit::{AuditHash, AuditHead, Verifier},
    claims::{Claims, ForeignClaims},
    id,
    import::ImportMessages,
    limits,
    live::{ClientFrame, ServerFrame},
    mention::{Roster, find_mentions, resolve_named},
    message::State,
    name::Name,
    paging::PageRequest,
    password,
    policy::Policy,
    position::Position,
    post::PostMessage,
    question::{AnswerRequest, NewQuestion, Question, RawAnswer},
    rate::Rates,
    reaction::check_emoji,
    run::{FinishRun, Run, StartRun},
    scope::{JoinRole, Scope, Scopes},
    search_query::SearchQuery,
    text::check_web_address,
};

/// The parsers of the core.
pub const TARGETS: &[FuzzTarget] = &[
    ("names", names),
    ("ids", ids),
    ("positions", positions),
    ("search", search),
    ("mentions", mentions),
    ("timestamps", timestamps),
    ("policy", policy),
    ("posts", posts),
    ("imports", imports),
    ("scopes", scopes),
    ("claims", claims),
    ("rates", rates),
    ("hashes", hashes),
    ("audit_lines", audit_lines),
    ("live_frames", live_frames),
    ("words_of_files", words_of_files),
    ("passwords", passwords),
    ("pages", pages),
    ("handoffs", agents::handoffs),
    ("calls_of_messages", agents::calls_of_messages),
    ("causes", agents::causes),
    ("guard", agents::guard),
    ("questions", questions),
    ("runs", runs),
];

/// Texts that some parser accepts, and texts that none should accept.
pub const SAMPLES: &[&[u8]] = &[
    b"",
    b"Mara",
    "Zoë van den Berg".as_bytes(),
    b"agt_01JAR0B0T0000000000000000A",
    b"msg_after-1",
    b"1b2c3d4e-7",
    b"0:0",
    b"\"two words\" begin* rest",
    b"Hello @Mara, `@Ben` and [@Cleo](x) \\@no\n\n```\n@Clerk\n```\n> @Coder",
    b"2026-01-31T12:00:00.000Z",
    b"2026-01-31T12:00:00+01:00",
    br#"{"retention":{"message_days_max":30},"budgets":{},"loop_limits":{"response_depth_max":3},"streams":{"window_ms":200}}"#,
    br#"{"channel_id":"chn_1","body":"Hi @Mara","mentions":["Ben"],"importance":"high","context":{"task_id":"tsk_1"},"metadata":{"a":[1,2.5,null]},"stream":true}"#,
    br#"{"channel_id":"chn_1","messages":[{"id":"msg_1","from":{"type":"agent","id":"pynchy:7","name":"Coder"},"kind":"assistant","body":"Hi @Mara","state":"failed","reason":"gone","steps":[{"id":"s1","name":"ls","started_at":"2026-01-31T12:00:00Z"}],"created_at":"2026-01-31T12:00:00Z"}]}"#,
    b"messages:read messages:write admin",
    br#"{"iss":"urn:parlour:0123456789abcdef0123456789abcdef","aud":"urn:parlour:0","sub":"agt_1","jti":"tok_1","scope":"messages:read","iat":1,"exp":2}"#,
    br#"{"iss":"https://id.example","sub":"x","aud":["a","b"],"exp":1e9,"scope":"a b"}"#,
    b"member=100/1000, address=off",
    b"off",
    b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    b"17:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    br#"{"no":1,"at":"2026-01-31T12:00:00.000Z","action":"messaging.posted","result":"done","seal":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}"#,
    br#"{"type":"subscribe","project_id":"prj_1","after":"a:1"}"#,
    br#"{"type":"chunk","message_id":"msg_1","start":3,"text":"more"}"#,
    b"https://agent.example:8443/hook?x=1",
    b"report.pdf",
    b"text/plain; charset=utf-8",
    "👍🏽".as_bytes(),
    b"full",
    b"correct horse battery staple",
    b"@everyone and @agents, @here: `@all`",
    b"Done. [HANDOFF: @Project Manager \"Plan the next step\"] [HANDOFF:@Coder \"x\"]",
    br#"{"channel_id":"chn_1","body":"x","cause":{"depth":2,"chain":["Coder"]},"is_notice":true,"confirm_wide":true}"#,
    br#"{"options":[{"id":"keep","label":"Keep it"},{"id":"drop","label":"Drop it"}],"default":"keep","expires_in_seconds":600,"run_id":"run_1"}"#,
    br#"{"schema":{"type":"object","properties":{"port":{"type":"integer","minimum":1}},"required":["port"]},"default":{"port":4870}}"#,
    br#"{"text":"1"}"#,
    br#"{"label":"Claude Code","channel_id":"chn_1","message_id":"msg_1","task_id":"tsk_1","lease_seconds":60}"#,
    br#"{"failed":"no room on the disk","usage":{"model":"m","input_tokens":3,"output_tokens":4}}"#,
    b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
];

/// A parsed text is formatted such that parsing gives the same value.
fn check_text<T>(text: &str)
where
    T: FromStr + fmt::Display + PartialEq + fmt::Debug,
    T::Err: fmt::Debug,
{
    if let Ok(value) = text.parse::<T>() {
        let again = value.to_string().parse::<T>().expect("what is written can be read");
        assert_eq!(again, value, "{text:?}");
    }
}

/// Like [`check_text`], for JSON.
fn check_json<T: DeserializeOwned + Serialize + PartialEq + fmt::Debug>(bytes: &[u8]) -> Option<T> {
    let value: T = serde_json::from_slice(bytes).ok()?;
    let written = serde_json::to_vec(&value).expect("plain data can be written");
    assert_eq!(serde_json::from_slice::<T>(&written).expect("what is written can be read"), value);
    Some(value)
}

/// The length of a refusal does not depend on the length of the input.
fn check_refusal<T>(result: Result<T, Refusal>) -> Option<T> {
    result.inspect_err(|refusal| assert!(refusal.to_string().len() < 4_000, "{}", refusal.detail.len())).ok()
}

fn names(bytes: &[u8]) {
    let text = text(bytes);
    let Some(name) = check_refusal(Name::parse(&text)) else { return };
    assert_eq!(Name::parse(name.as_str()).expect("a name is a name"), name);
    assert_eq!(Name::parse(name.as_str()).expect("a name").key(), name.key(), "the key depends on the name alone");
    assert!(name.as_str().chars().all(|char| !char.is_control()), "{name:?}");
    assert!(!name.as_str().starts_with(char::is_whitespace) && !name.as_str().ends_with(char::is_whitespace));
}

fn ids(bytes: &[u8]) {
    let text = text(bytes);
    check_text::<id::ProjectId>(&text);
    check_text::<id::MessageId>(&text);
    check_text::<id::MemberId>(&text);
    check_text::<id::ConversationId>(&text);
    check_text::<id::TokenId>(&text);
    // An id becomes a part of keys, subjects and file names elsewhere.
    if let Ok(id) = text.parse::<id::MessageId>() {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        assert!(id.as_str().bytes().all(is_plain) && id.as_str().len() <= 128, "{id}");
    }
}

fn positions(bytes: &[u8]) {
    check_text::<Position>(&text(bytes));
}

fn search(bytes: &[u8]) {
    let text = text(bytes);
    let Some(query) = check_refusal(SearchQuery::parse(&text)) else { return };
    assert!((1..=limits::SEARCH_TERMS_MAX).contains(&query.terms().len()));
    // A word becomes part of a query of the store's index, where other characters have a meaning.
    let is_word = |char: char| char.is_alphanumeric() || !char.is_ascii() && !char.is_whitespace();
    assert!(query.terms().iter().all(|term| term.word.chars().all(is_word)), "{query:?}");
    assert!(query.snippet(&text).len() <= text.len() + 16);
    query.accepts(&text);
}

fn mentions(bytes: &[u8]) {
    let named = |id: u128, name: &str| (id::PersonId::from_bits(id).into(), Name::parse(name).expect("a name"));
    let roster = Roster::new([named(1, "Mara"), named(2, "Mara Lind"), named(3, "Zoë"), named(4, "Coder")]);
    let text = text(bytes);
    let found = find_mentions(&text, &roster);
    assert!(found.members.len() <= limits::MENTIONS_MAX && found.members.iter().all(|member| roster.contains(member)));
    assert!(found.problems.len() <= limits::MENTION_PROBLEMS_MAX);
    let code: String = text.chars().filter(|sign| !matches!(sign, '`' | '\n' | '\r')).collect();
    let hidden = find_mentions(&format!("x `{code}` y"), &roster);
    assert_eq!((hidden.members.len(), hidden.wide), (0, None), "code contains a mention");
    check_refusal(resolve_named(&[text], &roster));
}

fn timestamps(bytes: &[u8]) {
    check_text::<Timestamp>(&text(bytes));
}

fn policy(bytes: &[u8]) {
    check_json::<Policy>(bytes).map(|policy| check_refusal(policy.check()));
}

fn posts(bytes: &[u8]) {
    if let Some(post) = check_json::<PostMessage>(bytes) {
        check_refusal(post.check());
        assert_eq!(post.digest(), post.clone().digest());
    }
}

fn imports(bytes: &[u8]) {
    let now = Timestamp::from_millis(1_800_000_000_000);
    let Some(request) = check_json::<ImportMessages>(bytes) else { return };
    check_refusal(request.conversation());
    check_refusal(request.check(now));
    let to = id::ChannelId::from_bits(1).into();
    for message in request.messages.into_iter().filter(|message| message.check(now).is_ok()) {
        assert_eq!(message.from.member_id(), None, "an author of another system is a member");
        let (digest, again) = (message.digest(&to), message.clone().digest(&to));
        let taken = message.into_message(id::ProjectId::from_bits(1), to.clone());
        assert!(digest == again && !taken.blocking && taken.mentions.is_empty() && taken.state != State::Streaming);
    }
}

fn scopes(bytes: &[u8]) {
    let text = text(bytes);
    check_text::<Scope>(&text);
    check_text::<Scopes>(&text);
    if let Ok(role) = text.parse::<JoinRole>() {
        assert_eq!(role.as_str().parse(), Ok(role));
    }
    check_text::<Surface>(&text);
    check_json::<Scopes>(bytes);
    if let Ok(scopes) = text.parse::<Scopes>() {
        assert!(Scopes::all().contains_all(scopes));
    }
}

fn claims(bytes: &[u8]) {
    let now = Timestamp::from_millis(1_800_000_000_000);
    if let Some(claims) = check_json::<Claims>(bytes) {
        assert!(claims.check("urn:parlour:other", now).is_err(), "another hub's token is not believed");
        let _ = claims.check_life();
    }
    let _ = serde_json::from_slice::<ForeignClaims>(bytes);
}

fn rates(bytes: &[u8]) {
    let _ = text(bytes).parse::<Rates>();
}

fn hashes(bytes: &[u8]) {
    let text = text(bytes);
    check_text::<ContentHash>(&text);
    check_text::<AuditHash>(&text);
    check_text::<AuditHead>(&text);
}

/// Arbitrary lines are not an intact log.
fn audit_lines(bytes: &[u8]) {
    let mut verifier = Verifier::new(None);
    let is_read = bytes.split(|byte| *byte == b'\n').all(|line| verifier.check(line).is_ok());
    if is_read {
        assert!(verifier.finish().is_err(), "made-up lines pass for a log");
    }
}

fn live_frames(bytes: &[u8]) {
    check_json::<ServerFrame>(bytes);
    check_json::<ClientFrame>(bytes);
}

fn words_of_files(bytes: &[u8]) {
    let text = text(bytes);
    if check_refusal(check_filename(&text)).is_some() {
        assert!(!text.contains(['/', '\\', '\0', '\n', '\r']) && text != "." && text != "..", "{text:?}");
    }
    if check_refusal(check_media_type(&text)).is_some() {
        assert!(text.is_ascii() && !text.contains(['\n', '\r']), "{text:?}");
    }
    check_refusal(check_web_address(&text));
    check_refusal(check_emoji(&text));
}

fn passwords(bytes: &[u8]) {
    let text = text(bytes);
    let normal = password::normal_form(&text);
    assert_eq!(password::normal_form(&normal), normal, "the normal form is normal");
    check_refusal(password::check(&text, &Name::parse("Mara").expect("a name")));
}

fn pages(bytes: &[u8]) {
    let limit = bytes.first().copied().map(usize::from);
    if let Some(page) = check_refusal(PageRequest::new(Some(text(bytes)), limit)) {
        assert!((1..=limits::PAGE_ITEMS_MAX).contains(&page.limit()));
    }
}

/// An accepted question is valid, and every answer is parsed or refused; a parsed option exists.
fn questions(bytes: &[u8]) {
    let asked = check_json::<NewQuestion>(bytes).filter(|ask| ask.check().is_ok());
    let question = asked.map(|ask| ask.asked(Vec::new(), Timestamp::from_millis(0)));
    let _ = check_json::<Question>(bytes);
    let question = question.unwrap_or_else(|| {
        let options = serde_json::json!({"options": [{"id": "keep", "label": "Keep it"}]});
        let ask: NewQuestion = serde_json::from_value(options).expect("an ask");
        ask.asked(Vec::new(), Timestamp::from_millis(0))
    });
    let _ = check_json::<AnswerRequest>(bytes).map(|give| give.given(&question));
    if let RawAnswer::Option(id) = question.read_text(&text(bytes)) {
        assert!(question.options.iter().any(|option| option.id == id));
    }
}

/// Requests about runs are accepted or refused with a field.
fn runs(bytes: &[u8]) {
    if let Some(Err(refusal)) = check_json::<StartRun>(bytes).map(|request| request.check()) {
        assert!(refusal.field.is_some(), "{refusal}");
    }
    if let Some(Err(refusal)) = check_json::<FinishRun>(bytes).map(FinishRun::end) {
        assert!(refusal.field.is_some(), "{refusal}");
    }
    if let Some(run) = check_json::<Run>(bytes) {
        assert!(run.published().pauses.len() <= limits::REQUEST_BODY_BYTES_MAX);
    }
}
