//! What whoever has posted should know at once, while it can be corrected.

use parlour_agent::answers::{AnswerProblem, Finished, Posted};
use parlour_core::{
    mention::{MentionProblem, MentionProblemReason},
    message::Message,
    question::Question,
};

use crate::{
    commands::guard::meaning,
    output::{plain::one_line, style::Look},
    resolve::Place,
    session::Session,
};

/// A message that was posted, and what is odd about it.
pub(crate) struct Report<'a> {
    message: &'a Message,
    mention_problems: &'a [MentionProblem],
    answer_problem: Option<&'a AnswerProblem>,
}

impl<'a> Report<'a> {
    /// The report on a post.
    pub(crate) fn of(posted: &'a Posted) -> Self {
        let Posted { message, mention_problems, answer_problem, .. } = posted;
        Self { message, mention_problems, answer_problem: answer_problem.as_ref() }
    }

    /// The report on a stream that has ended.
    pub(crate) fn of_stream(finished: &'a Finished) -> Self {
        let Finished { message, mention_problems, answer_problem, .. } = finished;
        Self { message, mention_problems, answer_problem: answer_problem.as_ref() }
    }

    /// Where it stands, whom it calls and asks, and what did not work.
    pub(crate) fn show(&self, session: &Session, place: &Place) -> String {
        let message = self.message;
        let mut text = format!("Posted to {} as number {} ({}).\n", place.label, message.seq, message.id);
        text += &match message.calls.len() {
            0 => String::new(),
            1 => "1 agent is called.\n".to_owned(),
            count => format!("{count} agents are called.\n"),
        };
        text += &message.question.as_ref().map(|question| asked_line(session, question)).unwrap_or_default();
        if let Some(answered) = &message.answer_to {
            text += &format!("It answers {}.\n", answered.message_id);
        }
        text + &self.warnings(session)
    }

    /// One line for each thing that did not work.
    pub(crate) fn warnings(&self, session: &Session) -> String {
        let held = self.message.held.iter();
        let held =
            held.map(|held| format!("! {} is not called: {}.", one_line(held.name.as_str()), meaning(held.rule)));
        let problems = self.mention_problems.iter().map(problem_line);
        let unanswered = self.answer_problem.map(|problem| {
            format!("! It does not answer the question: {} ({}).", one_line(&problem.detail), problem.code)
        });
        let lines = held.chain(problems).chain(unanswered);
        lines.map(|line| session.style.paint(Look::Warning, &line) + "\n").collect()
    }
}

/// Who is asked, and for how long.
fn asked_line(session: &Session, question: &Question) -> String {
    let until = session.moments.show(question.expires_at);
    match question.addressees.len() {
        1 => format!("1 member is asked, until {until}.\n"),
        count => format!("{count} members are asked, until {until}; the answer of one is enough.\n"),
    }
}

/// One line for each name, with what may have been meant.
fn problem_line(problem: &MentionProblem) -> String {
    let name = one_line(&problem.name);
    let candidates = problem.candidates.join(", ");
    match problem.reason {
        MentionProblemReason::Unknown if candidates.is_empty() => {
            format!("! @{name} calls nobody: no member has this name.")
        }
        MentionProblemReason::Unknown => format!("! @{name} calls nobody; did you mean {candidates}?"),
        MentionProblemReason::Ambiguous => format!("! @{name} calls nobody: it fits {candidates}."),
        MentionProblemReason::NotInConversation => {
            format!("! {name} cannot read this conversation and will not know of it.")
        }
        MentionProblemReason::Wide => format!("! @{name} means many at once and calls nobody here."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(reason: MentionProblemReason, candidates: &[&str]) -> String {
        let candidates = candidates.iter().map(ToString::to_string).collect();
        problem_line(&MentionProblem { name: "Codr".into(), reason, candidates })
    }

    #[test]
    fn names_that_call_nobody_are_explained() {
        assert_eq!(line(MentionProblemReason::Unknown, &["Coder"]), "! @Codr calls nobody; did you mean Coder?");
        assert_eq!(line(MentionProblemReason::Unknown, &[]), "! @Codr calls nobody: no member has this name.");
        assert_eq!(
            line(MentionProblemReason::Ambiguous, &["agt_1", "per_1"]),
            "! @Codr calls nobody: it fits agt_1, per_1."
        );
        assert!(line(MentionProblemReason::NotInConversation, &[]).contains("cannot read"));
    }
}
