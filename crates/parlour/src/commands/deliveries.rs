//! `parlour deliveries`: the delivery of a message to each recipient.

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
    resolve::MemberNames,
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour deliveries msg_01K…
  parlour deliveries msg_01K… --wait seen                     wait until all recipients have seen it
  parlour deliveries msg_01K… --wait answered --for Coder --timeout 5m

States: stored by the hub, queued by the recipient's process, injected into a prompt, seen, answered; or expired, or \
failed. With --wait the exit code is 0 when all recipients reached the state, and 3 when one cannot reach it or the \
timeout passed.";

/// Show the deliveries of a message
///
/// One line per recipient: agents with the message in their inbox, mentioned people, and the members of a DM. A delivery
/// records only steps that were reported.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DeliveriesCommand {
    /// Message, by id
    message: MessageId,
    /// Wait until every recipient reached this state
    #[arg(long, value_name = "STATE", value_parser = awaited())]
    wait: Option<DeliveryState>,
    /// Wait only for this member, by name or id
    #[arg(long = "for", value_name = "MEMBER", requires = "wait")]
    recipient: Option<String>,
    /// Maximum time to wait, for example 30s or 5m
    #[arg(long, value_name = "TIME", requires = "wait")]
    timeout: Option<Lifetime>,
    #[command(flatten)]
    connection: Connection,
}

impl DeliveriesCommand {
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

    /// Waits until the deliveries reached the state or cannot reach it, or until the timeout; none after Ctrl+C.
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

fn waited<'a>(items: &'a [Delivery], recipient: Option<&'a MemberId>) -> impl Iterator<Item = &'a Delivery> {
    items.iter().filter(move |one| recipient.is_none_or(|wanted| one.recipient == *wanted))
}

fn has_come(delivery: &Delivery, state: DeliveryState) -> bool {
    !matches!(delivery.state, DeliveryState::Expired | DeliveryState::Failed) && delivery.state >= state
}

fn show(session: &Session, names: &MemberNames, items: &[Delivery]) -> String {
    if items.is_empty() {
        return "No recipients: no agent subscribes to the conversation and nobody is mentioned.\n".to_owned();
    }
    let mut table = Table::new(&["recipient", "reason", "state", "delivered via", "run", "read after", "note"]);
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

pub(crate) fn delivery_path_text(delivered_via: DeliveryPath) -> &'static str {
    match delivered_via {
        DeliveryPath::Prompt => "prompt",
        DeliveryPath::Checkpoint => "checkpoint",
        DeliveryPath::Nudge => "nudge",
        DeliveryPath::Tool => "tool",
        DeliveryPath::Hook => "hook",
    }
}

fn awaited() -> impl clap::builder::TypedValueParser<Value = DeliveryState> {
    PossibleValuesParser::new(["queued", "injected", "seen", "answered"]).map(|text| match text.as_str() {
        "queued" => DeliveryState::Queued,
        "injected" => DeliveryState::Injected,
        "answered" => DeliveryState::Answered,
        _ => DeliveryState::Seen,
    })
}
