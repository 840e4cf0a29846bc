//! `parlour deliveries`: what has really become of a message for each of its recipients.

use clap::{Args, builder::PossibleValuesParser, builder::TypedValueParser as _};
use parlour_core::{
    delivery::{Delivery, DeliveryPath, DeliveryState},
    id::{MemberId, MessageId},
    inbox::DeliveryReason,
    limits,
    paging::Page,
};

use super::interrupt::Interrupt;
use crate::{
    failure::{EXIT_INTERRUPTED, EXIT_UNMET, Failure},
    lifetime::Lifetime,
    output::{Output, length::show_millis, table::Table},
    resolve::Names,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour deliveries msg_01K…
  parlour deliveries msg_01K… --wait seen                     until everybody has read it
  parlour deliveries msg_01K… --wait answered --for Coder --timeout 5m

The states: stored by the hub, queued by the recipient's process, injected into a prompt, seen, answered; or expired, \
or failed. With --wait the program ends with 0 when all have come so far, and with 3 when one will not or time is \
over.";

/// Show what has become of a message
///
/// One line for each recipient: agents that got it into their inbox, people whom it mentions, and those of the dm. Only
/// what really happened is told.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Deliveries {
    /// The message, by id
    message: MessageId,
    /// Wait until every recipient has come so far
    #[arg(long, value_name = "STATE", value_parser = awaited())]
    wait: Option<DeliveryState>,
    /// Wait only for this member, by name or id
    #[arg(long = "for", value_name = "MEMBER", requires = "wait")]
    recipient: Option<String>,
    /// Wait no longer than this, such as 30s or 5m
    #[arg(long, value_name = "TIME", requires = "wait")]
    timeout: Option<Lifetime>,
    #[command(flatten)]
    connection: Connection,
}

impl Deliveries {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let message = session.client.message(&self.message).await?;
        let names = session.names_in(&message.project_id).await?;
        let recipient = match &self.recipient {
            Some(wanted) => Some(session.member_in(&message.project_id, wanted).await?),
            None => None,
        };
        let items = match self.wait {
            Some(state) => match self.wait_for(&session, state, recipient.as_ref()).await? {
                Some(items) => items,
                None => return Ok(Output { text: String::new(), exit: EXIT_INTERRUPTED }),
            },
            None => session.client.deliveries(&self.message).await?,
        };
        let is_met = self.wait.is_none_or(|state| waited(&items, recipient.as_ref()).all(|one| has_come(one, state)));
        let page = Page { items, next: None };
        let output = session.answer(&page, |page| show(&session, &names, &page.items))?;
        Ok(Output { exit: if is_met { 0 } else { EXIT_UNMET }, ..output })
    }

    /// The deliveries when they have come so far or will not, or time is over; nothing after Ctrl+C.
    async fn wait_for(
        &self,
        session: &Session,
        state: DeliveryState,
        recipient: Option<&MemberId>,
    ) -> Result<Option<Vec<Delivery>>, Failure> {
        let mut interrupt = Interrupt::catch()?;
        let mut left = self.timeout.map_or(u64::MAX, |time| time.0);
        loop {
            let seconds = left.min(limits::WAIT_SECONDS_MAX as u64);
            left -= seconds;
            let items = tokio::select! {
                items = session.client.await_deliveries(&self.message, state, recipient, seconds) => items?,
                () = interrupt.caught() => return Ok(None),
            };
            if left == 0 || waited(&items, recipient).all(|one| one.state.settles(state)) {
                return Ok(Some(items));
            }
        }
    }
}

/// Those of the deliveries that are waited for.
fn waited<'a>(items: &'a [Delivery], recipient: Option<&'a MemberId>) -> impl Iterator<Item = &'a Delivery> {
    items.iter().filter(move |one| recipient.is_none_or(|wanted| one.recipient == *wanted))
}

fn has_come(delivery: &Delivery, state: DeliveryState) -> bool {
    !matches!(delivery.state, DeliveryState::Expired | DeliveryState::Failed) && delivery.state >= state
}

fn show(session: &Session, names: &Names, items: &[Delivery]) -> String {
    if items.is_empty() {
        return "Nobody in particular gets this message: no agent follows it, and nobody is mentioned.\n".to_owned();
    }
    let mut table = Table::new(&["recipient", "why", "state", "delivered via", "run", "read after", "note"]);
    for one in items {
        let name = names.of(&one.recipient);
        let run = one.run_id.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
        let read = one.time_to_read_ms.map_or_else(|| "–".to_owned(), show_millis);
        let note = one.why.clone().or_else(|| one.answer_id.as_ref().map(|id| format!("answer {id}")));
        let delivered_via = one.delivered_via.map_or("–", delivery_path_text);
        table.row(&[
            &name,
            reason_word(one.reason),
            state_word(one.state),
            delivered_via,
            &run,
            &read,
            &note.unwrap_or_default(),
        ]);
    }
    table.render(session.style)
}

fn reason_word(reason: DeliveryReason) -> &'static str {
    match reason {
        DeliveryReason::Subscription => "subscription",
        DeliveryReason::Thread => "thread",
        DeliveryReason::Dm => "dm",
        DeliveryReason::Mention => "mention",
    }
}

fn state_word(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Stored => "stored",
        DeliveryState::Queued => "queued",
        DeliveryState::Injected => "injected",
        DeliveryState::Seen => "seen",
        DeliveryState::Answered => "answered",
        DeliveryState::Expired => "expired",
        DeliveryState::Failed => "failed",
    }
}

/// What a delivery path is called.
pub(crate) fn delivery_path_text(delivered_via: DeliveryPath) -> &'static str {
    match delivered_via {
        DeliveryPath::Prompt => "prompt",
        DeliveryPath::Checkpoint => "checkpoint",
        DeliveryPath::Nudge => "nudge",
        DeliveryPath::Tool => "tool",
        DeliveryPath::Hook => "hook",
    }
}

/// What can be waited for.
fn awaited() -> impl clap::builder::TypedValueParser<Value = DeliveryState> {
    PossibleValuesParser::new(["queued", "injected", "seen", "answered"]).map(|text| match text.as_str() {
        "queued" => DeliveryState::Queued,
        "injected" => DeliveryState::Injected,
        "answered" => DeliveryState::Answered,
        _ => DeliveryState::Seen,
    })
}
