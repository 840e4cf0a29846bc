//! Reads of deliveries.

use async_trait::async_trait;
use parlour_core::{
    conversation::ConversationType,
    delivery::{Delivery, DeliveryState},
    id::{MemberId, MessageId},
    inbox::DeliveryReason,
    message::Message,
};
use parlour_hub::{Failure, ports::Deliveries};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, join_access, readable},
    error::StoreResult,
    lookup::{as_i64, number, project_no},
    rows::{
        delivery::load_deliveries,
        message::{StoredMessage, load_message},
    },
};

#[async_trait]
impl Deliveries for SqliteStore {
    async fn deliveries(&self, message: &MessageId, people: &[MemberId]) -> Result<Vec<Delivery>, Failure> {
        let (message, people) = (message.clone(), people.to_vec());
        self.read("read deliveries", move |db| deliveries(db, &message, &people)).await
    }
}

/// The deliveries of a message: its agents, then the listed people who may read it. A removed message has none.
pub(in crate::sqlite) fn deliveries(
    db: &Connection,
    message: &MessageId,
    people: &[MemberId],
) -> StoreResult<Vec<Delivery>> {
    let Some(stored) = load_message(db, message)?.filter(|stored| stored.message.removed_at.is_none()) else {
        return Ok(Vec::new());
    };
    let project_no = project_no(db, &stored.message.project_id)?.unwrap_or(0);
    let mut all = load_deliveries(db, stored.as_delivered(project_no))?;
    for person in people.iter().filter(|member| member.person().is_some()) {
        all.extend(of_person(db, &stored, project_no, person)?);
    }
    Ok(all)
}

/// People have no delivery rows: the state follows from their read position.
fn of_person(
    db: &Connection,
    stored: &StoredMessage,
    project_no: i64,
    person: &MemberId,
) -> StoreResult<Option<Delivery>> {
    let (message, Some(viewer)) = (&stored.message, viewer(db, person)?) else { return Ok(None) };
    let params = named_params! {
        ":conversation": stored.conversation_no, ":project": project_no, ":seq": as_i64(message.seq),
        ":viewer": viewer.no, ":is_admin": viewer.is_admin
    };
    let Some(is_seen) = number(db, IS_SEEN, params)? else { return Ok(None) };
    let delivery = Delivery::stored(message.id.clone(), person.clone(), reason(message, person), message.created_at);
    let state = if is_seen == 1 { DeliveryState::Seen } else { DeliveryState::Stored };
    Ok(Some(Delivery { state, ..delivery }))
}

/// Whether a member who may read the conversation has read up to this seq.
const IS_SEEN: &str = concat!(
    "SELECT COALESCE(read_position.seq, 0) >= :seq
     FROM conversation\n",
    join_access!(),
    "LEFT JOIN read_position
         ON read_position.member_no = :viewer AND read_position.conversation_no = conversation.no
     WHERE conversation.no = :conversation AND ",
    readable!()
);

fn viewer(db: &Connection, person: &MemberId) -> StoreResult<Option<ReaderRow>> {
    let mut statement = db.prepare_cached("SELECT no, is_admin\nFROM member\nWHERE id = ?1")?;
    let as_viewer = |row: &Row<'_>| Ok(ReaderRow { no: row.get(0)?, is_admin: row.get(1)? });
    Ok(statement.query_row([person.as_str()], as_viewer).optional()?)
}

fn reason(message: &Message, person: &MemberId) -> DeliveryReason {
    match message.conversation_type {
        _ if message.mentions.contains(person) => DeliveryReason::Mention,
        ConversationType::Dm => DeliveryReason::Dm,
        ConversationType::Thread => DeliveryReason::Thread,
        ConversationType::Channel => DeliveryReason::Subscription,
    }
}
