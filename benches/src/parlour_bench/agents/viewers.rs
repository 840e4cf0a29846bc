//! People who follow streamed answers.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use parlour_agent::live::{Live, LiveItem, Start};
use parlour_core::{event::Change, id::MessageId, message::State};
use tokio::{sync::mpsc, task::JoinSet};

use super::{client, paced::marked};
use crate::environment::PreparedHub;

/// Connected viewers; dropping the value disconnects them.
pub(super) struct Viewers {
    notes: mpsc::Receiver<Note>,
    watching: JoinSet<()>,
    cut_off: u64,
}

/// A report of a viewer.
enum Note {
    Live,
    /// Time from writing the first token of an answer to its arrival.
    FirstChunk(Duration),
    /// An answer has ended.
    Ended {
        is_whole: bool,
    },
    CutOff,
}

/// The measurements of a round.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) first_chunks: Vec<Duration>,
}

/// Queue length of notes; the receiver reads them all the time.
const NOTES_MAX: usize = 100_000;

impl Viewers {
    /// Connects all viewers and waits until each is live.
    pub(super) async fn connect(hub: &PreparedHub, count: usize, epoch: Instant) -> Result<Self> {
        let (sender, notes) = mpsc::channel(NOTES_MAX);
        let mut watching = JoinSet::new();
        for _ in 0..count {
            let client = client(hub, &hub.fixture.admin_token)?;
            let live = Live::follow(&client, &hub.fixture.project_id.parse()?, Start::Now);
            watching.spawn(watch(live, epoch, sender.clone()));
        }
        let mut viewers = Self { notes, watching, cut_off: 0 };
        for _ in 0..count {
            ensure!(matches!(viewers.notes.recv().await, Some(Note::Live)), "a viewer could not watch");
        }
        Ok(viewers)
    }

    pub(super) fn len(&self) -> usize {
        self.watching.len()
    }

    /// How often a viewer was disconnected or had a gap.
    pub(super) fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// Waits until every viewer has seen the end of this many answers.
    pub(super) async fn until_answered(&mut self, answers: usize, time_max: Duration) -> Result<Seen> {
        let (mut seen, mut left) = (Seen::default(), answers * self.len());
        let all = async {
            while left > 0 {
                match self.notes.recv().await.context("nobody watches any more")? {
                    Note::FirstChunk(after) => seen.first_chunks.push(after),
                    Note::Ended { is_whole } => {
                        left -= 1;
                        self.cut_off += u64::from(!is_whole);
                    }
                    Note::CutOff => self.cut_off += 1,
                    Note::Live => {}
                }
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(time_max, all).await.context("the answers took too long")??;
        Ok(seen)
    }
}

/// Reports until the receiver is closed.
async fn watch(mut live: Live, epoch: Instant, notes: mpsc::Sender<Note>) {
    let mut texts: HashMap<MessageId, String> = HashMap::new();
    while let Ok(item) = live.next().await {
        let note = match item {
            LiveItem::Live(_) => Some(Note::Live),
            LiveItem::Reconnecting(_) | LiveItem::Gap(_) => Some(Note::CutOff),
            LiveItem::Stream(running) => first(&mut texts, running.message_id, running.text, epoch),
            LiveItem::Chunk(chunk) => match texts.get_mut(&chunk.message_id) {
                Some(text) if !text.is_empty() => {
                    text.push_str(&chunk.text);
                    None
                }
                _ => first(&mut texts, chunk.message_id, chunk.text, epoch),
            },
            LiveItem::Event(event) => match event.change {
                Change::MessageFinished(message) => {
                    let is_seen = texts.remove(&message.id).is_some_and(|text| message.body.starts_with(&text));
                    Some(Note::Ended { is_whole: is_seen && message.state == State::Complete })
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(note) = note
            && notes.send(note).await.is_err()
        {
            return;
        }
    }
}

/// Stores the beginning of an answer and reports its age.
fn first(texts: &mut HashMap<MessageId, String>, id: MessageId, text: String, epoch: Instant) -> Option<Note> {
    let written = marked(&text);
    texts.insert(id, text);
    Some(Note::FirstChunk(epoch.elapsed().saturating_sub(written?)))
}
