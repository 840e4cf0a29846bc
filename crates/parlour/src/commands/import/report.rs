//! What an import has found and done, for people and for programs.

use parlour_core::{
    id::{ChannelId, ProjectId},
    import::ImportOutcome,
    project::Project,
};
use serde::Serialize;

use super::{places::Plan, sending::Sending, survey::Survey, system::System};
use crate::{
    output::{plain::one_line, shell::quoted, table::Table},
    session::Session,
};

/// What is told.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    system: &'static str,
    project_id: ProjectId,
    /// Whether nothing was written.
    is_dry_run: bool,
    #[serde(flatten)]
    outcome: ImportOutcome,
    /// Messages that were taken over before and have changed there since.
    changed: u64,
    /// Messages that can be taken over.
    messages: u64,
    /// Messages beyond these in which the texts of long ones go on; they are among those that were stored.
    further_parts: u64,
    kinds: std::collections::BTreeMap<&'static str, u64>,
    authors: usize,
    first_at: Option<parlour_core::Timestamp>,
    last_at: Option<parlour_core::Timestamp>,
    skipped: SkippedCounts,
    problems: ProblemsTold,
    channels: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct SkippedCounts {
    frames: u64,
    begun_answers: u64,
    doubles: u64,
    cut_events: u64,
}

#[derive(Debug, Serialize)]
struct ProblemsTold {
    count: u64,
    first: Vec<String>,
}

/// One conversation and where it goes.
#[derive(Debug, Serialize)]
struct Row {
    conversation: String,
    channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_id: Option<ChannelId>,
    is_new: bool,
    messages: u64,
}

impl Report {
    pub(super) fn new(system: System, project: &Project, survey: &Survey, plan: &[Plan]) -> Self {
        let conversations = &survey.conversations;
        let span = conversations.span();
        Self {
            system: system.as_str(),
            project_id: project.id.clone(),
            is_dry_run: true,
            outcome: ImportOutcome::default(),
            changed: 0,
            messages: conversations.messages(),
            further_parts: survey.further_parts,
            kinds: conversations.kinds().clone(),
            authors: conversations.authors(),
            first_at: span.map(|(first, _)| first),
            last_at: span.map(|(_, last)| last),
            skipped: SkippedCounts {
                frames: survey.skipped.frames.sum(),
                begun_answers: survey.skipped.begun,
                doubles: survey.skipped.doubles,
                cut_events: survey.skipped.cut_events,
            },
            problems: ProblemsTold { count: survey.problems.count, first: survey.problems.told.clone() },
            channels: rows(survey, plan),
        }
    }

    /// The same after the messages were sent.
    pub(super) fn done(mut self, sending: &Sending<'_>) -> Self {
        (self.is_dry_run, self.outcome, self.changed) = (false, sending.outcome, sending.changed);
        for (place, channel) in &sending.made {
            self.channels[*place].channel = format!("#{}", channel.name);
            self.channels[*place].channel_id = Some(channel.id.clone());
        }
        self
    }

    /// For people.
    pub(super) fn show(&self, session: &Session, survey: &Survey, again: &str) -> String {
        let mut text = self.channels_shown(session);
        text += &self.contents_shown(session, survey);
        text += &skipped_shown(survey);
        if self.is_dry_run {
            return text + "This was a dry run: nothing was written.\n" + &session.next(again);
        }
        let ImportOutcome { stored, known } = self.outcome;
        text += &format!("Stored {stored}, already there {known}, left out {}.\n", self.problems.count);
        if self.further_parts > 0 {
            let parts = counted(self.further_parts, "message");
            text += &format!("Among them {parts} in which a long text goes on.\n");
        }
        if self.changed > 0 {
            let changed = counted(self.changed, "message");
            let stays = if self.changed == 1 { "it stays as it was" } else { "they stay as they were" };
            text += &format!("{changed} changed there since the import before; here {stays}.\n");
        }
        let first = self.channels.first().map(|row| row.channel.trim_start_matches('#'));
        match first {
            Some(channel) => {
                let project =
                    session.wanted_project.as_deref().map(|project| format!(" --project {}", quoted(project)));
                let words = format!("parlour history {}{}", quoted(channel), project.unwrap_or_default());
                text + &session.next(&words)
            }
            None => text,
        }
    }

    fn channels_shown(&self, session: &Session) -> String {
        if self.channels.is_empty() {
            return "There are no messages.\n".to_owned();
        }
        let mut table = Table::new(&["channel", "", "messages", "conversation"]);
        for row in &self.channels {
            let news = if row.is_new { "new" } else { "" };
            table.row(&[&row.channel, news, &row.messages.to_string(), &row.conversation]);
        }
        table.render(session.style) + "\n"
    }

    fn contents_shown(&self, session: &Session, survey: &Survey) -> String {
        let Some((first, last)) = survey.conversations.span() else { return String::new() };
        let (first, last) = (session.moments.show(first), session.moments.show(last));
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let mut names: Vec<String> = survey.conversations.named.iter().map(|name| one_line(name)).collect();
        if self.authors > names.len() {
            names.push(format!("{} more", self.authors - names.len()));
        }
        let messages = counted(self.messages, "message");
        format!("{messages} from {first} to {last}: {}\nWritten by {}\n", kinds.join(", "), names.join(", "))
    }
}

fn rows(survey: &Survey, plan: &[Plan]) -> Vec<Row> {
    let row = |(conversation, plan): (&super::conversations::Conversation, &Plan)| {
        let (channel, channel_id, is_new) = match plan {
            Plan::Known(channel) => (format!("#{}", channel.name), Some(channel.id.clone()), false),
            Plan::New { name, .. } => (format!("#{name}"), None, true),
            Plan::Thread(root) => (format!("thread of {}", survey.conversations.list[*root].foreign), None, false),
        };
        let (conversation, messages) = (conversation.foreign.clone(), conversation.messages);
        Row { conversation, channel, channel_id, is_new, messages }
    };
    survey.conversations.list.iter().zip(plan).map(row).collect()
}

/// What is no message, and why nobody will miss it.
fn skipped_shown(survey: &Survey) -> String {
    let mut text = String::new();
    let frames = &survey.skipped.frames;
    if frames.sum() > 0 {
        text += &format!("Passed over, because they are no messages: {}\n", frames.in_words());
    }
    if survey.skipped.begun > 0 {
        text += &format!("Passed over, because they were only begun: {}\n", counted(survey.skipped.begun, "answer"));
    }
    if survey.skipped.doubles > 0 {
        text +=
            &format!("Passed over, because they stand there twice: {}\n", counted(survey.skipped.doubles, "message"));
    }
    if survey.skipped.cut_events > 0 {
        let events = counted(survey.skipped.cut_events, "event");
        text += &format!("Shown, but not kept as they were, because there is no room: {events} of tools\n");
    }
    text
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
