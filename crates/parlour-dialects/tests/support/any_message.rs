use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    call::{HeldCall, HoldRule},
    engine::Usage,
    id::{
        AgentId, ArtifactId, BatchId, ChannelId, ConversationId, DmId, MemberId, MessageId, ProjectId, TaskId, ThreadId,
    },
    message::{Attachment, Cause, Importance, Kind, Message, MessageContext, State},
    name::Name,
    reaction::Reaction,
    step::Step,
};
use parlour_dialects::{Frame, Item};
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value, json};

/// Words, marks of the dialects, line breaks and arbitrary characters.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z0-9 .,!?@:_-]{0,40}",
        2 => ".{0,40}",
        1 => "(\\[(applet|agent|scheduler):[a-z]{0,4}\\] ?|<host>|</host>|<internal>|</internal>|User: |@[A-Z][a-z]{1,5} |\n|\"|&|<|>|🏠 |🔧 ){0,6}[a-z]{0,5}",
        1 => any::<String>(),
    ]
}

fn id_text() -> impl Strategy<Value = String> {
    prop_oneof!["[0-9A-HJKMNP-TV-Z]{26}", "[a-zA-Z0-9_-]{1,20}", "f_[a-z0-9-]{1,20}", "h_[0-9A-Z]{26}"]
}

macro_rules! any_id {
    ($name:ident, $id:ident) => {
        fn $name() -> impl Strategy<Value = $id> {
            id_text().prop_map(|tail| format!("{}_{tail}", $id::PREFIX).parse().expect("an id"))
        }
    };
}

any_id!(message_id, MessageId);
any_id!(project_id, ProjectId);
any_id!(channel_id, ChannelId);
any_id!(thread_id, ThreadId);
any_id!(dm_id, DmId);
any_id!(task_id, TaskId);
any_id!(batch_id, BatchId);
any_id!(agent_id, AgentId);
any_id!(artifact_id, ArtifactId);

fn conversation_id() -> impl Strategy<Value = ConversationId> {
    prop_oneof![
        channel_id().prop_map(ConversationId::from),
        thread_id().prop_map(ConversationId::from),
        dm_id().prop_map(ConversationId::from)
    ]
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0..2_000_000_000_000_i64).prop_map(Timestamp::from_millis)
}

/// Any JSON that is not null.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[a-z_]{1,6}", inner), 0..3).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn metadata() -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof![
        4 => "[a-z_]{1,6}".boxed(),
        1 => prop::sample::select(vec!["tkr", "caco", "jaibber", "pynchy", "zen", "a2a", "parlour", "id", "imported"])
            .prop_map(str::to_owned).boxed(),
    ];
    prop_oneof![3 => Just(Map::new()), 2 => vec((key, value()), 0..3).prop_map(|fields| fields.into_iter().collect())]
}

fn author() -> impl Strategy<Value = Author> {
    use AuthorType::{Agent, Applet, Host, Person, Scheduler, System, Tool};
    let author_type = prop::sample::select(vec![Person, Agent, Applet, Scheduler, Tool, Host, System]);
    let id = prop_oneof![
        2 => id_text().prop_map(|tail| Some(format!("agt_{tail}"))),
        2 => id_text().prop_map(|tail| Some(format!("per_{tail}"))),
        1 => "(tkr|caco|jaibber|pynchy|zen|a2a):[a-z@.:]{0,10}".prop_map(Some),
        1 => option::of(any_text()),
    ];
    (author_type, id, any_text()).prop_map(|(author_type, id, name)| Author { author_type, id, name })
}

fn step() -> impl Strategy<Value = Step> {
    let values = (option::of(value()), option::of(value()));
    ("[a-z0-9_-]{1,9}", any_text(), values, any::<bool>(), time(), option::of(time())).prop_map(
        |(id, name, (input, output), is_error, started_at, finished_at)| Step {
            id,
            name,
            input,
            output,
            is_error,
            started_at,
            finished_at,
        },
    )
}

fn attachment() -> impl Strategy<Value = Attachment> {
    (any_text(), "[a-z]{1,5}/[a-z]{1,5}", any::<u32>(), option::of(artifact_id()), option::of("https://[a-z]{1,9}"))
        .prop_map(|(filename, media_type, size, artifact_id, url)| Attachment {
            filename,
            media_type,
            size: size.into(),
            artifact_id,
            url,
        })
}

fn cause() -> impl Strategy<Value = Cause> {
    (0..9_u32, vec(any_text(), 0..3), vec(agent_id(), 0..2), option::of(message_id()))
        .prop_map(|(depth, chain, agents, message_id)| Cause { depth, chain, agents, message_id })
}

/// Any native message.
pub(crate) fn any_message() -> impl Strategy<Value = Message> {
    let required = (message_id(), project_id(), conversation_id(), 0..99_u64, author(), any_text(), time());
    let kind = prop::sample::select(vec![Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host]);
    let said = (option::weighted(0.3, kind), option::weighted(0.2, value()), metadata(), vec(step(), 0..2));
    let member = prop_oneof![id_text().prop_map(|t| format!("per_{t}")), id_text().prop_map(|t| format!("agt_{t}"))]
        .prop_map(|id| id.parse::<MemberId>().expect("an id"));
    let importance = prop::sample::select(vec![Importance::Normal, Importance::High, Importance::Critical]);
    let addressed = (vec(member, 0..2), vec(agent_id(), 0..2), importance, any::<bool>(), any::<bool>());
    let files = (vec(artifact_id(), 0..2), vec(attachment(), 0..2));
    let state = prop::sample::select(vec![
        State::Streaming,
        State::Complete,
        State::Complete,
        State::Failed,
        State::Cancelled,
        State::Interrupted,
    ]);
    let ends = (state, option::weighted(0.2, any_text()), option::weighted(0.2, time()), option::weighted(0.1, time()));
    let ties = (
        option::weighted(0.3, message_id()),
        option::weighted(0.3, cause()),
        option::weighted(0.2, any_text()),
        option::weighted(0.3, task_id()),
        option::weighted(0.2, batch_id()),
    );
    (required, said, addressed, files, ends, ties, option::weighted(0.2, thread_id())).prop_map(
        |((id, project, to, seq, from, body, at), said, addressed, files, ends, ties, thread_id)| {
            let plain = Message::plain(id, project.clone(), to, from, body, at);
            let (reply_to, cause, correlation_id, task_id, batch_id) = ties;
            let held = addressed.1.iter().map(|agent| held(agent.clone())).collect();
            Message {
                seq,
                kind: said.0.unwrap_or(plain.kind),
                content: said.1,
                metadata: said.2,
                steps: said.3,
                mentions: addressed.0,
                calls: addressed.1,
                held,
                importance: addressed.2,
                blocking: addressed.3,
                is_notice: addressed.4,
                artifacts: files.0,
                attachments: files.1,
                state: ends.0,
                reason: ends.1,
                edited_at: ends.2,
                removed_at: ends.3,
                reply_to,
                cause,
                correlation_id,
                context: MessageContext { project_id: project, task_id, batch_id },
                thread_id,
                usage: usage(seq),
                reactions: reactions(seq),
                ..plain
            }
        },
    )
}

fn held(agent_id: AgentId) -> HeldCall {
    HeldCall { agent_id, name: Name::parse("Coder").expect("a name"), rule: HoldRule::Depth, until: None }
}

fn usage(seq: u64) -> Option<Usage> {
    let usage = json!({"model": "m", "input_tokens": seq, "output_tokens": 2});
    (seq % 7 == 1).then(|| serde_json::from_value(usage).expect("usage"))
}

fn reactions(seq: u64) -> Vec<Reaction> {
    let reaction = Reaction { emoji: "👍".into(), members: vec!["per_1".parse().expect("an id")] };
    if seq % 5 == 1 { vec![reaction] } else { Vec::new() }
}

/// Any frame of a message.
pub(crate) fn any_item() -> impl Strategy<Value = Item> {
    let frame = prop::sample::select(vec![Frame::Message, Frame::Message, Frame::Typing, Frame::Piece, Frame::Step]);
    (frame, any_message()).prop_map(|(frame, message)| Item { frame, message })
}
